"""How far apart two concepts are, and over which concepts: distances and shortest paths.

Both ends search at once, always the end with fewer links to follow, until they meet. Only the
concepts on a shortest path are then looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Literal

from evalcore.graph.structure import ConceptGraph, Links, check_direction
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Direction


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

    a == b: distance 0, one path (a,), known to the graph or not. A concept not in the graph
    has no path to another one. ``directed``: only along parents, from a up to b or from b up to a,
    whichever is shorter (from a when equal, which needs a cycle). Raises SettingError for an unknown
    direction or a negative limit.
    """
    if limit < 0:
        raise SettingError("limit", "an integer of at least 0", limit)
    if a == b:
        return Paths(a, b, 0, 1, ((a,),)[:limit])
    result = _searches(graph, a, b, direction)
    if graph is None or not result:
        return Paths(a, b, None, 0, ())
    search = min(result, key=lambda search: search.length)
    paths = tuple(tuple(graph.cuis[node] for node in path) for path in _walk(search, limit))
    return Paths(a, b, search.length, _count(search), paths)


def steps(graph: ConceptGraph, path: Sequence[str]) -> tuple[Step, ...]:
    """A path edge by edge, for saying it in words; empty for a path of one concept.

    An edge that exists in both directions (a cycle of two) counts as "up". Raises InputError when two
    concepts of the path are not linked.
    """
    result = []
    for start, end in pairwise(path):
        i, j = graph.index(start), graph.index(end)
        if i >= 0 and j in graph.parents(i):
            result.append(Step(start, end, "up", graph.label(i, j)))
        elif i >= 0 and j in graph.children(i):
            result.append(Step(start, end, "down", graph.label(j, i)))
        else:
            raise InputError(f"The graph has no edge between {start} and {end}.")
    return tuple(result)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The nodes on shortest paths, from the end to the start, and after each the next ones, ascending."""

    nodes: tuple[int, ...]
    following: dict[int, list[int]]
    length: int


def _searches(graph: ConceptGraph | None, a: str, b: str, direction: Direction) -> list[_Search]:
    """The searches that found the other end: one without direction, up to two with."""
    check_direction(direction)
    start, end = (graph.index(a), graph.index(b)) if graph else (-1, -1)
    if graph is None or start < 0 or end < 0:
        return []
    ways = graph.ways(direction)
    result = [_search(onward, back, start, end) for onward, back in zip(ways, ways[::-1], strict=True)]
    return [search for search in result if search]


def _search(onward: Links, backward: Links, start: int, end: int) -> _Search | None:
    """The shortest paths along ``onward`` links; None when there are none."""
    loops = import_module("evalcore.graph.loops")  # numba takes a while to import
    nodes, indptr, following, length = loops.on_shortest_paths(onward, backward, start, end)
    if length < 0:
        return None
    ends, targets = indptr.tolist(), following.tolist()
    places = tuple(nodes.tolist())
    return _Search(places, {node: targets[ends[k] : ends[k + 1]] for k, node in enumerate(places)}, length)


def _count(search: _Search) -> int:
    """Number of shortest paths (Python integers: it can grow beyond 64 bits)."""
    ways = {search.nodes[0]: 1}
    for node in search.nodes[1:]:
        ways[node] = sum(ways[target] for target in search.following[node])
    return ways[search.nodes[-1]]


def _walk(search: _Search, limit: int) -> Iterator[list[int]]:
    """The first ``limit`` paths in alphabetical order, by walking depth first."""
    waiting = [[search.nodes[-1]]] if limit else []
    while waiting and limit:
        path = waiting.pop()
        following = search.following[path[-1]]
        if following:
            waiting.extend([*path, target] for target in reversed(following))
        else:
            limit -= 1
            yield path


# Paths as files: rows for a spreadsheet, and a DOT text that Graphviz draws.

PATH_COLUMNS = ("path", "step", "from", "from_name", "direction", "to", "to_name", "sources")


def path_rows(
    graph: ConceptGraph, paths: Sequence[Sequence[str]], names: Mapping[str, str]
) -> list[tuple[int | str, ...]]:
    """One row per link of each path, under ``PATH_COLUMNS``: paths and steps count from 1."""
    return [
        (
            number,
            place,
            step.start,
            names.get(step.start, ""),
            step.direction,
            step.end,
            names.get(step.end, ""),
            step.label,
        )
        for number, path in enumerate(paths, start=1)
        for place, step in enumerate(steps(graph, path), start=1)
    ]
