"""What people thought of generated images: ``ID,rank`` (1 is the best) or ``ID,score`` (more is better)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.lines import parse_file
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems
from evalcore.values.problems import Report

WAY_OUT = "Give the header ID,rank (1 is the best) or ID,score (more is better)."
_RANK, _SCORE = ("rank", "place", "position"), ("score", "rating", "value", "mean")


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """``values[id]``: more is better, so ranks are held with a minus. ``kind``: "rank" or "score"."""

    values: Mapping[str, float]
    kind: str
    file: str


@reader(lambda _: None)
def parse_rankings(data: bytes, *, file: str) -> tuple[Judged | None, Report]:
    """Read a ranking or scores of people.

    Returns
    -------
    judged, report : None without a usable row. Rows of the wrong length, without an id or a finite number,
        and second rows of an image are errors and left out. Equal ranks are ties.
    """
    found = Problems(file)
    rows = tables.rows_of(data, found)
    if not rows:
        if not found.n_errors:
            found.error("no-rows", "The file has no rows.", WAY_OUT)
        return None, found.report()
    header = rows[0].cells
    at = tables.named(header, tables.ID_NAMES)
    ranks, scores = tables.named(header, _RANK), tables.named(header, _SCORE)
    if at is None or (ranks is None and scores is None):
        shown = ", ".join(header)
        message = (
            f"A column of ids and one called rank or score are needed; there are {tables.quoted(shown)}."
        )
        found.error("wrong-header", message, WAY_OUT, line=rows[0].line)
        return None, found.report()
    column, kind = (ranks, "rank") if ranks is not None else (scores, "score")
    if ranks is not None and scores is not None:
        found.warning("two-columns", "There are ranks and scores; the ranks are used.", "Keep one of them.")
    assert column is not None
    values: dict[str, float] = {}
    first: dict[str, int] = {}
    for row in tables.full_rows(rows[1:], found, len(header), WAY_OUT):
        image, value = row.cells[at], parsed(row.cells[column])
        if not image:
            tables.report_missing_id(found, row)
        elif image in first:
            tables.report_duplicate_id(found, row.line, image, first[image])
        elif value is None or not math.isfinite(value):
            message = (
                f"The {kind} of {tables.quoted(image)} is {tables.quoted(row.cells[column])}, no number; "
            )
            found.error("not-a-number", f"{message}the row is left out.", "Give a number, or remove the row.",
                        line=row.line, value=image)  # fmt: skip
        else:
            first[image] = row.line
            values[image] = -value if kind == "rank" else value
    if not values:
        found.error("no-rows", "No row of this file can be used.", WAY_OUT)
        return None, found.report()
    return Judged(values, kind, file), found.report()


def read_rankings(path: Path) -> tuple[Judged | None, Report]:
    """The same of a file; one that cannot be read is an error."""
    return parse_file(parse_rankings, path, None)
