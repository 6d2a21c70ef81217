"""How alike people call pairs of concepts: ``CUI1,CUI2,Mean``, other columns allowed, as UMNSRS has them."""

from __future__ import annotations

import numpy as np

from evalcore.study.tables.files import reader
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import NO_ROWS, NOT_A_NUMBER, Column, Rows, Schema
from evalcore.values.concept_scheme import as_written

RATINGS = Schema(
    (
        Column(("cui1",)),
        Column(("cui2",)),
        Column(("mean",), number=NOT_A_NUMBER._replace(remedy="Write a number such as 370.5.")),
    ),
    "Let the first row be: cui1,cui2,mean.",
    others="mention",
    no_rows=NO_ROWS,
)
TEMPLATE = b"CUI1,CUI2,Mean\nC0017601,C0232197,279\nC0006949,C0031507,370.5\nC0019340,C0020550,142.5\n"
MIN_PAIRS = 3
"""Fewest pairs whose order says anything."""
MAX_PAIRS = 100_000
"""Most pairs that are compared: every resample ranks all of them."""


@reader(lambda _: None)
def parse_ratings(data: bytes, problems: Problems) -> Rows | None:
    """Read a table of ratings; rows without two concepts and a number are errors and left out.

    Ratings can have any scale, the higher the more similar. A pair rated twice counts twice, with a warning.
    None, with an error, for fewer than ``MIN_PAIRS`` or more than ``MAX_PAIRS``.
    """
    rows = read(data, RATINGS, problems)
    left, right = concepts_of(rows)
    pairs = [f"{min(pair)},{max(pair)}" for pair in zip(left, right, strict=True)]
    again = np.setdiff1d(np.arange(len(pairs)), np.unique(pairs, return_index=True)[1])
    message = "{n} rows rate a pair that an earlier row rates too; all ratings count."
    remedy = "Keep one row per pair unless that is meant."
    values = [f"{left[i]},{right[i]}" for i in again]
    problems.add_summary("duplicate-pair", values, message, remedy, lines=rows.lines[again].tolist())
    if len(pairs) > MAX_PAIRS:
        message = f"There are {len(pairs):,} rated pairs; at most {MAX_PAIRS:,} are compared."
        problems.refuse("too-many-rows", message, "Give a sample of them.", value=len(pairs))
    if len(pairs) < MIN_PAIRS and (pairs or not problems.n_errors):
        message = f"There are {len(pairs)} rated pairs; a correlation needs at least {MIN_PAIRS}."
        problems.error("no-rows", message, "Add rows such as: C0017601,C0232197,279", value=len(pairs))
    return rows if len(pairs) >= MIN_PAIRS else None


def concepts_of(ratings: Rows) -> tuple[list[str], list[str]]:
    """The two concepts of each pair that was rated."""
    left, right = ([as_written(cui) for cui in ratings.texts(name)] for name in ("cui1", "cui2"))
    return left, right
