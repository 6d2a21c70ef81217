"""``neighbours.csv``: a neighbour dictionary computed elsewhere, for a study without the graph itself.

    cui,neighbour,distance
    C0042449,C0005847,1

One direction of a pair is enough. `cuiscope graph neighbours --dictionary` writes this form.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evalcore.graph import ConceptGraph, Neighbours, neighbours, neighbours_of_pairs
from evalcore.study.tables import tables
from evalcore.study.tables.ids import positions
from evalcore.study.tables.problems import Problems, attempt, reader
from evalcore.study.workspace.disk_cache import keep, kept, place
from evalcore.values.arrays import Offsets, digest_of
from evalcore.values.errors import Report
from evalcore.values.settings import MAX_THRESHOLD, Direction

_NAMES: Mapping[str, frozenset[str]] = {
    "cui": frozenset(("cui", "cui1", "concept", "concept1")),
    "neighbour": frozenset(("neighbour", "neighbor", "cui2", "concept2")),
    "distance": frozenset(("distance", "edges", "hops", "steps")),
}


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourRows:
    """Pairs of concepts and the edges between them, row by row."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    steps: Offsets
    file: str
    format: str = "csv"

    @property
    def rows(self) -> int:
        return len(self.left)


@reader(lambda file: NeighbourRows((), (), np.empty(0, np.int64), file))
def parse_neighbours(data: bytes, *, file: str) -> tuple[NeighbourRows, Report]:
    """Read a neighbour dictionary; rows without two concepts and a whole distance are errors, left out."""
    problems = Problems(file)
    rows = tables.rows_of(data, problems)
    header = rows[0].cells if rows else []
    places = {name: tables.named(header, names) for name, names in _NAMES.items()}
    if not rows and problems.n_errors:
        return NeighbourRows((), (), np.empty(0, np.int64), file), problems.report()
    if None in places.values():
        remedy = "Let the first row be: cui,neighbour,distance."
        message = "The header does not name the columns cui, neighbour and distance."
        problems.error("wrong-header", message, remedy, line=1)
        return NeighbourRows((), (), np.empty(0, np.int64), file), problems.report()
    kept: list[tuple[str, str, int]] = []
    expected = f"The first row has {len(header)} cells"
    for row in tables.full_rows(rows[1:], problems, len(header), "Give as many.", expected=expected):
        left, right, steps = (row.cells[place] for place in places.values() if place is not None)
        if left and right and steps.isascii() and steps.isdigit() and len(steps) < 4:
            kept.append((left, right, int(steps)))
        else:
            message = "A row needs two concepts and the number of edges between them; it is left out."
            problems.error(
                "bad-neighbour", message, "Write: C0042449,C0005847,1.", line=row.line, value=steps
            )
    columns = list(zip(*kept, strict=True)) or [(), (), ()]
    return NeighbourRows(columns[0], columns[1], np.array(columns[2], np.int64), file), problems.report()


@reader(lambda _: None)
def bind_neighbours(rows: NeighbourRows, vocabulary: Sequence[str]) -> tuple[Neighbours | None, Report]:
    """The neighbours among the concepts of a study; None when there is no pair of them.

    How far the dictionary reaches is the largest distance in it, `MAX_THRESHOLD` at most: a warning says
    so, because a larger threshold finds nothing more.
    """
    problems = Problems(rows.file)
    left, right = (positions(column, vocabulary) for column in (rows.left, rows.right))
    known = (left >= 0) & (right >= 0)
    reach = int(min(rows.steps.max(initial=0), MAX_THRESHOLD))
    near = neighbours_of_pairs(vocabulary, left[known], right[known], rows.steps[known], threshold=reach)
    if rows.rows and not len(near.indices):
        message = "No pair of this dictionary consists of two concepts of the study."
        remedy = "Compute it for the concepts of this study."
        problems.error("no-neighbours", message, remedy, value=rows.left[0])
        return None, problems.report()
    if rows.rows and reach < MAX_THRESHOLD:
        message = f"The neighbours reach {reach} {'edge' if reach == 1 else 'edges'} far."
        problems.warning("reach", message, "A larger threshold finds no more of them.", value=reach)
    return near if rows.rows else None, problems.report()


# Neighbours found once are kept: in the cache of the workspace, never in the study, by content.
#
# A graph of millions of concepts takes seconds to search; what is kept opens in milliseconds.

ROOM = 2 << 30
"""Bytes of the disk that they may take; what was used longest ago makes room."""


def stored_neighbours(
    graph: ConceptGraph, vocabulary: Sequence[str], *, threshold: int, direction: Direction
) -> Neighbours:
    """`graph.neighbours`, from the cache where it was found before.

    A file that is damaged, or not what its name says, is computed and written anew; where nothing can be
    written, nothing is kept.
    """
    words = tuple(vocabulary)
    key = digest_of(words, graph.digest, threshold, direction)
    shelf = place("neighbours", key.encode(), ".npz")
    stored, _ = attempt(partial(_parsed, kept(shelf), words, threshold, direction))
    if stored is not None:
        return stored
    near = neighbours(graph, words, threshold=threshold, direction=direction)
    out = io.BytesIO()
    np.savez(
        out, indptr=near.indptr, indices=near.indices, distances=near.distances, digest=np.array(near.digest)
    )
    keep(shelf, out.getvalue(), room=ROOM)
    return near


def _parsed(
    data: bytes | None, words: tuple[str, ...], threshold: int, direction: Direction
) -> Neighbours | None:
    """The neighbours of a file; raises whatever a damaged one raises, or one that is not what it says."""
    if data is None:
        return None
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = file["indptr"], file["indices"], file["distances"]
        digest = str(file["digest"])
    near = Neighbours.of_arrays(words, *arrays, threshold, direction)
    if near.digest != digest:
        raise ValueError("its digest is not that of its content")
    return near
