"""``neighbours.csv``: a neighbour dictionary computed elsewhere, for a study without the graph itself.

    cui,neighbour,distance
    C0042449,C0005847,1

One direction of a pair is enough. `python -m evalcore neighbours` writes this form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.graph import Neighbours, neighbours_of_pairs
from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.ids import positions
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Offsets
from evalcore.values.problems import Report
from evalcore.values.settings import MAX_THRESHOLD

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
    found = Problems(file)
    rows = tables.rows_of(data, found)
    header = rows[0].cells if rows else []
    places = {name: tables.named(header, names) for name, names in _NAMES.items()}
    if not rows and found.n_errors:
        return NeighbourRows((), (), np.empty(0, np.int64), file), found.report()
    if None in places.values():
        remedy = "Let the first row be: cui,neighbour,distance."
        message = "The header does not name the columns cui, neighbour and distance."
        found.error("wrong-header", message, remedy, line=1)
        return NeighbourRows((), (), np.empty(0, np.int64), file), found.report()
    kept: list[tuple[str, str, int]] = []
    expected = f"The first row has {len(header)} cells"
    for row in tables.full_rows(rows[1:], found, len(header), "Give as many.", expected=expected):
        left, right, steps = (row.cells[place] for place in places.values() if place is not None)
        if left and right and steps.isascii() and steps.isdigit() and len(steps) < 4:
            kept.append((left, right, int(steps)))
        else:
            message = "A row needs two concepts and the number of edges between them; it is left out."
            found.error("bad-neighbour", message, "Write: C0042449,C0005847,1.", line=row.line, value=steps)
    columns = list(zip(*kept, strict=True)) or [(), (), ()]
    return NeighbourRows(columns[0], columns[1], np.array(columns[2], np.int64), file), found.report()


@reader(lambda _: None)
def bind_neighbours(rows: NeighbourRows, vocabulary: Sequence[str]) -> tuple[Neighbours | None, Report]:
    """The neighbours among the concepts of a study; None when there is no pair of them.

    How far the dictionary reaches is the largest distance in it, `MAX_THRESHOLD` at most: a warning says
    so, because a larger threshold finds nothing more.
    """
    found = Problems(rows.file)
    left, right = (positions(column, vocabulary) for column in (rows.left, rows.right))
    known = (left >= 0) & (right >= 0)
    reach = int(min(rows.steps.max(initial=0), MAX_THRESHOLD))
    near = neighbours_of_pairs(vocabulary, left[known], right[known], rows.steps[known], threshold=reach)
    if rows.rows and not len(near.indices):
        message = "No pair of this dictionary consists of two concepts of the study."
        found.error(
            "no-neighbours", message, "Compute it for the concepts of this study.", value=rows.left[0]
        )
        return None, found.report()
    if rows.rows and reach < MAX_THRESHOLD:
        message = f"The neighbours reach {reach} {'edge' if reach == 1 else 'edges'} far."
        found.warning("reach", message, "A larger threshold finds no more of them.", value=reach)
    return near if rows.rows else None, found.report()
