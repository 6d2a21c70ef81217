"""How far apart two concepts are, and over which concepts: distances and shortest paths.

Both ends search at once, always the end with fewer links to follow, until they meet. Only the
concepts on a shortest path are then looked at one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.errors import InputError, SettingError
from evalcore.graph.nearness import Links, Nodes, linked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.graph.structure import ConceptGraph
    from evalcore.model import Ints
    from evalcore.settings import Direction


@dataclass(frozen=True, slots=True)
class Paths:
    """The shortest paths from ``start`` to ``end``.

    ``distance`` edges, None when there is no path; ``n_shortest`` how many paths are that short;
    ``paths`` the first of them in alphabetical order, each from start to end.
    """

    start: str
    end: str
    distance: int | None
    n_shortest: int
    paths: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path, walked from ``start`` to ``end``: "up" when end is the parent, "down" when it is
    the child. ``label`` is where the edge comes from ("MESH; UBERON isa")."""

    start: str
    end: str
    direction: Literal["up", "down"]
    label: str


def distance(
    graph: ConceptGraph | None, a: str, b: str, *, direction: Direction = "undirected"
) -> int | None:
    """Edges on the shortest is_a path between two concepts, None when there is none.

    0 for a == b, also when the graph does not know it. ``directed``: one must be an ancestor of the
    other; the shorter of both directions. Source: arXiv 2506.13509, Eq. 1.
    """
    if a == b:
        return 0
    return min((search.length for search in _searches(graph, a, b, direction)), default=None)


def shortest_paths(
    graph: ConceptGraph | None, a: str, b: str, *, direction: Direction = "undirected", limit: int = 5
) -> Paths:
    """The shortest paths between two concepts: length, number, and the first ``limit`` of them.

    a == b: distance 0, one path (a,), known to the graph or not. A concept the graph does not know
    has no path to another one. ``directed``: only along parents, from a up to b or from b up to a,
    whichever is shorter (from a when equal, which needs a cycle). Raises SettingError for an unknown
    direction or a negative limit.
    """
    if limit < 0:
        raise SettingError("limit", "an integer of at least 0", limit)
    if a == b:
        return Paths(a, b, 0, 1, ((a,),)[:limit])
    found = _searches(graph, a, b, direction)
    if graph is None or not found:
        return Paths(a, b, None, 0, ())
    search = min(found, key=lambda one: one.length)
    layers = _layers(search)
    chains = _chains(search, layers)
    start = int(layers[0][0])
    paths = tuple(tuple(graph.cuis[node] for node in path) for path in _walk(chains, start, limit))
    return Paths(a, b, search.length, _count(chains, layers), paths)


def steps(graph: ConceptGraph, path: Sequence[str]) -> tuple[Step, ...]:
    """A path edge by edge, for telling it in words; empty for a path of one concept.

    An edge that exists in both directions (a cycle of two) counts as "up". Raises InputError when two
    concepts of the path are not linked.
    """
    told = []
    for start, end in pairwise(path):
        i, j = graph.index(start), graph.index(end)
        if i >= 0 and j in graph.parents(i):
            told.append(Step(start, end, "up", graph.label(i, j)))
        elif i >= 0 and j in graph.children(i):
            told.append(Step(start, end, "down", graph.label(j, i)))
        else:
            raise InputError(f"The graph has no edge between {start} and {end}.")
    return tuple(told)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Two searches that have met.

    ``seen[i]``: k for a node k - 1 links after the start, -k for one k - 1 links before the end, else 0.
    ``before`` and ``after`` are the links from the meeting nodes to either end; ``turn`` scratch space.
    """

    onward: Links
    backward: Links
    seen: Ints
    turn: Ints
    meeting: Nodes
    before: int
    after: int

    @property
    def length(self) -> int:
        return self.before + self.after


def _searches(graph: ConceptGraph | None, a: str, b: str, direction: Direction) -> list[_Search]:
    """The searches that found the other end: one without direction, up to two with."""
    if direction not in ("undirected", "directed"):
        raise SettingError("direction", "undirected or directed", direction)
    start, end = (graph.index(a), graph.index(b)) if graph else (-1, -1)
    if graph is None or start < 0 or end < 0:
        return []
    if direction == "undirected":
        both = (graph.indptr, graph.indices)
        found = [_meet(both, both, start, end)]
    else:
        up, down = (graph.up_indptr, graph.up_indices), (graph.down_indptr, graph.down_indices)
        found = [_meet(up, down, start, end), _meet(down, up, start, end)]
    return [search for search in found if search]


def _meet(onward: Links, backward: Links, start: int, end: int) -> _Search | None:
    """Search from both ends, always from the one with fewer links to follow; None when one gets stuck."""
    seen, turn = (np.zeros(len(onward[0]) - 1, np.int32) for _ in range(2))
    ways, signs, lengths = (onward, backward), (1, -1), [0, 0]
    borders: list[Nodes] = [np.array([start]), np.array([end])]
    seen[start], seen[end] = 1, -1
    work = [_n_links(ways[side], borders[side]) for side in (0, 1)]
    while True:
        side = int(work[1] < work[0])
        reached = linked(ways[side], borders[side])
        found = seen[reached] * signs[side]
        if (found < 0).any():
            lengths[side] += 1
            # The other end was there first: its mark stays, the meeting nodes are where both lead.
            meeting = _once(reached[found < 0], turn)
            return _Search(onward, backward, seen, turn, meeting, *lengths)
        border = _once(reached[found == 0], turn)
        if not len(border):
            return None
        lengths[side] += 1
        seen[border] = signs[side] * (lengths[side] + 1)
        borders[side], work[side] = border, _n_links(ways[side], border)


def _n_links(links: Links, nodes: Nodes) -> int:
    return int((links[0][nodes + 1] - links[0][nodes]).sum())


def _once(nodes: Nodes, turn: Ints) -> Nodes:
    """Each node once: of several the one whose place is left in ``turn`` stays."""
    places = np.arange(len(nodes), dtype=np.int32)
    turn[nodes] = places
    once: Nodes = nodes[turn[nodes] == places]
    return once


def _layers(search: _Search) -> list[Nodes]:
    """The nodes on shortest paths by their distance from the start."""
    before = _thread(search, search.backward, range(search.before, 0, -1))
    after = _thread(search, search.onward, range(-search.after, 0))
    return [*reversed(before), search.meeting, *after]


def _thread(search: _Search, links: Links, marks: range) -> list[Nodes]:
    """From the meeting nodes to one end: the nodes with the next mark, step by step."""
    thread, nodes = [], search.meeting
    for mark in marks:
        reached = linked(links, nodes)
        nodes = _once(reached[search.seen[reached] == mark], search.turn)
        thread.append(nodes)
    return thread


def _chains(search: _Search, layers: list[Nodes]) -> dict[int, list[int]]:
    """For each node on a shortest path the next nodes on one, ascending."""
    links, layer = search.onward, search.turn
    base = len(layer)  # nothing that lies in the scratch space is as large
    for k, nodes in enumerate(layers):
        layer[nodes] = base + k
    chains: dict[int, list[int]] = {}
    for k, nodes in enumerate(layers[:-1], start=1):
        targets = linked(links, nodes)
        kept = layer[targets] == base + k
        sources = np.repeat(nodes, links[0][nodes + 1] - links[0][nodes])[kept]
        for node, target in zip(sources.tolist(), targets[kept].tolist(), strict=True):
            chains.setdefault(node, []).append(target)
    return chains


def _count(chains: dict[int, list[int]], layers: list[Nodes]) -> int:
    """Number of shortest paths (Python integers: it can grow beyond 64 bits)."""
    ways = {int(layers[-1][0]): 1}
    for nodes in reversed(layers[:-1]):
        for node in nodes.tolist():
            ways[node] = sum(ways[target] for target in chains[node])
    return ways[int(layers[0][0])]


def _walk(chains: dict[int, list[int]], start: int, limit: int) -> Iterator[list[int]]:
    """The first ``limit`` paths in alphabetical order, by walking the chains depth first."""
    waiting = [[start]] if limit else []
    while waiting and limit:
        path = waiting.pop()
        following = chains.get(path[-1])
        if following is None:
            limit -= 1
            yield path
        else:
            waiting.extend([*path, target] for target in reversed(following))
