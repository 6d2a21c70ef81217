"""``neighbours.csv``: a neighbour dictionary computed elsewhere, for a study without the graph itself.

    cui,neighbour,distance
    C0042449,C0005847,1

One direction of a pair is enough. The dictionary covers thresholds up to its largest distance, or up to what
a column ``threshold`` says: the neighbours of a larger one are not known, so it is refused wherever somebody
asks for it. `cuiscope dictionary` writes this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evalcore.graph import Neighbours, neighbours_of_pairs
from evalcore.study.tables.ids import positions
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Rows, Rule, Schema, no_rows
from evalcore.values.arrays import rows_of
from evalcore.values.settings import MAX_THRESHOLD

_BAD_ROW = Rule(
    "bad-neighbour",
    "A row needs two concepts and the number of edges between them; it is left out.",
    "Write: C0042449,C0005847,1.",
)
_BAD_THRESHOLD = Rule(
    "bad-threshold",
    "The threshold {value} is no number; it does not count.",
    "Write how far the pairs reach.",
)
NEIGHBOURS = Schema(
    (
        Column(("cui", "cui1", "concept", "concept1"), empty=_BAD_ROW, coded=True),
        Column(("neighbour", "neighbor", "cui2", "concept2"), empty=_BAD_ROW, coded=True),
        Column(("distance", "edges", "hops", "steps"), empty=_BAD_ROW, number=_BAD_ROW, limit=999),
        Column(("threshold",), required=False, empty=None, number=_BAD_THRESHOLD, limit=255, lenient=True),
    ),
    remedy="Let the first row be: cui,neighbour,distance.",
)


@reader(lambda file: no_rows(file, NEIGHBOURS))
def parse_neighbours(data: bytes, problems: Problems) -> Rows:
    """Read a neighbour dictionary; rows without two concepts and a whole distance are errors, left out."""
    rows = read(data, NEIGHBOURS, problems)
    steps = rows.numbers("distance")
    whole = (steps >= 0) & (steps == np.floor(steps))
    values = [f"{step:g}" for step in steps[~whole].tolist()]
    problems.each("error", *_BAD_ROW, lines=rows.lines[~whole].tolist(), values=values)
    return rows.where(whole)


def bind_neighbours(rows: Rows, problems: Problems, vocabulary: Sequence[str]) -> Neighbours | None:
    """The neighbours among the concepts of a study; None when there is no pair of them.

    Their ``threshold`` is what the dictionary covers, `MAX_THRESHOLD` at most: a warning says so.
    """
    if not rows.rows:
        return None
    names, codes = zip(*(rows.codes(name) for name in ("cui", "neighbour")), strict=True)
    left, right = (positions(texts, vocabulary)[code] for texts, code in zip(names, codes, strict=True))
    known = (left >= 0) & (right >= 0)
    steps = rows.numbers("distance").astype(np.int64)
    stated = rows.numbers("threshold") if rows.has("threshold") else np.zeros(1)
    covered = min(max(int(steps.max()), int(np.nan_to_num(stated).max())), MAX_THRESHOLD)
    near = neighbours_of_pairs(vocabulary, left[known], right[known], steps[known], threshold=covered)
    if not len(near.indices):
        message = "No pair of this dictionary consists of two concepts of the study."
        remedy = "Compute it for the concepts of this study."
        problems.error("no-neighbours", message, remedy, value=names[0][codes[0][0]])
        return None
    if covered < MAX_THRESHOLD:
        message = (
            f"The dictionary lists neighbours up to {covered} {'edge' if covered == 1 else 'edges'} apart."
        )
        remedy = "A larger threshold is refused: write the dictionary for it, or add the concept graph."
        problems.warning("reach", message, remedy, value=covered)
    return near


def dictionary_rows(near: Neighbours) -> tuple[tuple[str, ...], Iterator[tuple[str | int, ...]]]:
    """A dictionary as a table, header and rows, with a column ``threshold`` where the distances say less."""
    left = rows_of(near.indptr).tolist()
    pairs = zip(left, near.indices.tolist(), near.distances.tolist(), strict=True)
    stated = (near.threshold,) if near.distances.max(initial=0) < near.threshold else ()
    header = ("cui", "neighbour", "distance", *(["threshold"] if stated else []))
    return header, ((near.vocabulary[i], near.vocabulary[j], steps, *stated) for i, j, steps in pairs)
