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
from evalcore.graph.nearness import Links, linked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.graph.structure import ConceptGraph
    from evalcore.model import Ints, Offsets
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
    return shortest_paths(graph, a, b, direction=direction, limit=0).distance


def shortest_paths(
    graph: ConceptGraph | None, a: str, b: str, *, direction: Direction = "undirected", limit: int = 5
) -> Paths:
    """The shortest paths between two concepts: length, number, and the first ``limit`` of them.

    a == b: distance 0, one path (a,), known to the graph or not. A concept the graph does not know
    has no path to another one. ``directed``: only along parents, from a up to b or from b up to a,
    whichever is shorter (from a when equal, which needs a cycle). Raises SettingError for an unknown
    direction or a negative limit.
    """
    if direction not in ("undirected", "directed"):
        raise SettingError("direction", "undirected or directed", direction)
    if limit < 0:
        raise SettingError("limit", "an integer of at least 0", limit)
    if a == b:
        return Paths(a, b, 0, 1, ((a,),)[:limit])
    start, end = (graph.index(a), graph.index(b)) if graph else (-1, -1)
    if graph is None or start < 0 or end < 0:
        return Paths(a, b, None, 0, ())
    up, down = (graph.up_indptr, graph.up_indices), (graph.down_indptr, graph.down_indices)
    both = (graph.indptr, graph.indices)
    ways = ((both, both),) if direction == "undirected" else ((up, down), (down, up))
    found = [(layers, way[0]) for way in ways if (layers := _layers(*way, start, end))]
    if not found:
        return Paths(a, b, None, 0, ())
    layers, onward = min(found, key=lambda item: len(item[0]))
    chains = _chains(onward, layers)
    paths = tuple(tuple(graph.cuis[node] for node in path) for path in _walk(chains, start, limit))
    return Paths(a, b, len(layers) - 1, _count(chains, layers), paths)


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


def _layers(onward: Links, backward: Links, start: int, end: int) -> list[Offsets]:
    """The nodes on shortest paths by their distance from ``start``, 0 to the end; [] without a path."""
    size = len(onward[0]) - 1
    ways = (onward, backward)
    # One more than the distance from each end; 0 where that end has not been.
    seen = (np.zeros(size, np.int32), np.zeros(size, np.int32))
    seen[0][start] = seen[1][end] = 1
    borders = ([np.array([start])], [np.array([end])])
    meeting = np.empty(0, np.int64)
    while not len(meeting):
        work = [
            int(np.sum(ways[side][0][b[-1] + 1] - ways[side][0][b[-1]])) for side, b in enumerate(borders)
        ]
        side = int(work[1] < work[0])
        reached = linked(ways[side], borders[side][-1])[1]
        border = np.unique(reached[seen[side][reached] == 0])
        if not len(border):
            return []
        borders[side].append(border)
        seen[side][border] = len(borders[side])
        meeting = border[seen[1 - side][border] > 0]
    before = _thread(backward, seen[0], meeting, len(borders[0]) - 1)
    after = _thread(onward, seen[1], meeting, len(borders[1]) - 1)
    return [*reversed(before), meeting, *after]


def _thread(links: Links, seen: Ints, meeting: Offsets, length: int) -> list[Offsets]:
    """From the meeting nodes to one end: the nodes that are one edge nearer to it, step by step."""
    thread, nodes = [], meeting
    for value in range(length, 0, -1):
        reached = linked(links, nodes)[1]
        nodes = np.unique(reached[seen[reached] == value])
        thread.append(nodes)
    return thread


def _chains(onward: Links, layers: list[Offsets]) -> dict[int, list[int]]:
    """For each node on a shortest path the next nodes on one, ascending."""
    chains: dict[int, list[int]] = {}
    for nodes, following in pairwise(layers):
        entry, targets = linked(onward, nodes)
        kept = np.isin(targets, following)
        for node, target in zip(nodes[entry[kept]].tolist(), targets[kept].tolist(), strict=True):
            chains.setdefault(node, []).append(target)
    return chains


def _count(chains: dict[int, list[int]], layers: list[Offsets]) -> int:
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
