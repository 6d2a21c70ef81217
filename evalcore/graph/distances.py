"""How far are many concepts from each other: tables of distances, and how often each distance occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import numpy.typing as npt

from evalcore.graph.structure import ConceptGraph, check_direction, nodes_of
from evalcore.values.arrays import Offsets, readonly
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import Direction

Table = npt.NDArray[np.uint8]
NO_PATH, NOT_IN_GRAPH = 255, 254
"""What a table holds instead of a distance; longer paths than ``FURTHEST`` count as none."""
FURTHEST = 253
_ROWS = 512
"""Concepts whose distances are held at once when only their frequencies are wanted: those that search
together (``loops.SOURCES``)."""


@dataclass(frozen=True, slots=True, eq=False)
class DistanceCounts:
    """How often each distance occurs among the pairs of different concepts.

    ``pairs[d]`` concept pairs d steps apart (``pairs[0]`` is 0); ``weighted[d]`` the same with each pair
    counted as often as the two concepts occur (product of their numbers of images). The pairs without a
    path, and those of which the graph does not know a concept, are counted apart. ``n_known`` of
    ``n_concepts`` are in the graph.
    """

    pairs: Offsets
    weighted: Offsets
    no_path: tuple[int, int]
    not_in_graph: tuple[int, int]
    n_concepts: int
    n_known: int
    direction: Direction

    def counts(self, *, weighted: bool) -> tuple[Offsets, int, int]:
        """(occurrences by distance, without a path, not in the graph), pairs plain or weighted."""
        k = int(weighted)
        return (self.weighted if weighted else self.pairs), self.no_path[k], self.not_in_graph[k]


def distance_table(
    graph: ConceptGraph | None,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    direction: Direction = "undirected",
) -> Table:
    """Steps on the shortest path between each of ``rows`` and each of ``columns``, shape (rows, columns).

    0 for a concept and itself, known to the graph or not; ``NO_PATH`` where nothing connects the two,
    ``NOT_IN_GRAPH`` where the graph does not know one of them. ``directed``: one must be an ancestor of
    the other. Raises SettingError for an unknown direction. Source: arXiv 2506.13509, Eq. 1.
    """
    check_direction(direction)
    result: Table = np.full((len(rows), len(columns)), NOT_IN_GRAPH, np.uint8)
    starts, ends = nodes_of(graph, rows), nodes_of(graph, columns)
    known, at = np.flatnonzero(starts >= 0), np.flatnonzero(ends >= 0)
    if graph is not None and len(known) and len(at):
        targets, place = np.unique(ends[at], return_inverse=True)
        table = _search(graph, starts[known], targets, direction)
        result[np.ix_(known, at)] = table[:, place]
    places: dict[str, list[int]] = {}
    for j, cui in enumerate(columns):
        places.setdefault(cui, []).append(j)
    for i, cui in enumerate(rows):
        result[i, places.get(cui, [])] = 0
    return readonly(result)


def distance_counts(
    graph: ConceptGraph | None,
    concepts: Sequence[str],
    occurrences: Offsets,
    *,
    direction: Direction = "undirected",
    progress: Progress = silent,
) -> DistanceCounts:
    """How far apart are the concepts of a vocabulary, pair by pair?

    Parameters
    ----------
    concepts, occurrences
        Different CUIs and how often each occurs, aligned.
    progress
        Called with the share done; raise in it to cancel.

    Returns
    -------
    DistanceCounts
        Over all pairs of two different concepts; nothing but zeros for fewer than two.
    """
    check_direction(direction)
    times = np.asarray(occurrences, np.int64)
    nodes = nodes_of(graph, concepts)
    known = np.flatnonzero(nodes >= 0)
    order = known[np.argsort(nodes[known])]
    pairs, weighted = np.zeros(256, np.int64), np.zeros(256, np.int64)
    for first in range(0, len(order), _ROWS):
        block = order[first : first + _ROWS]
        assert graph is not None, "without a graph no concept is known"
        table = _search(graph, nodes[block], nodes[order], direction)
        later = np.arange(len(order)) > np.arange(first, first + len(block))[:, np.newaxis]
        steps = table[later]
        # Sums of whole numbers stay exact in float64 up to 2^53: far above any product of images here.
        weights = np.broadcast_to(times[order], table.shape)[later] * np.repeat(
            times[block], later.sum(axis=1)
        )
        pairs += np.bincount(steps, minlength=256)
        weighted += np.rint(np.bincount(steps, weights=weights, minlength=256)).astype(np.int64)
        progress(min(1.0, (first + len(block)) / len(order)), "")
    n, n_known = len(nodes), len(known)
    unknown = _pairs_of(np.ones(n, np.int64)) - _pairs_of(np.ones(n_known, np.int64))
    unknown_weighted = _pairs_of(times) - _pairs_of(times[known])
    furthest = int(np.flatnonzero(pairs[:NOT_IN_GRAPH]).max(initial=0))
    return DistanceCounts(
        readonly(pairs[: furthest + 1]),
        readonly(weighted[: furthest + 1]),
        (int(pairs[NO_PATH]), int(weighted[NO_PATH])),
        (unknown, unknown_weighted),
        n,
        n_known,
        direction,
    )


def _search(graph: ConceptGraph, starts: Offsets, targets: Offsets, direction: Direction) -> Table:
    """Distances from each start to each target; ``targets`` different nodes."""
    column_of = np.full(graph.n_nodes, -1, np.int32)
    column_of[targets] = np.arange(len(targets), dtype=np.int32)
    loops = import_module("evalcore.graph.loops")  # numba takes a while to import
    tables = []
    for indptr, indices in graph.ways(direction):
        result: Table = np.full((len(starts), len(targets)), NO_PATH, np.uint8)
        loops.distances_from(indptr, indices, starts, column_of, result, FURTHEST)
        tables.append(result)
    # One is an ancestor of the other: up from here, or down from here. NO_PATH is larger than any distance.
    table: Table = np.minimum.reduce(tables)
    return table


def _pairs_of(times: Offsets) -> int:
    """Sum of the products of all pairs."""
    return (int(times.sum()) ** 2 - int(np.dot(times, times))) // 2
