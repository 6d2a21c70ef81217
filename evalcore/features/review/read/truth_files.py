"""The truth of a task of diagnoses: ``review/NAME.csv`` beside its file, with the columns case and truth.

Rows of other images than the cases say what is shown as the label of a result.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.features.review.diagnosis.details import MAX_ANSWER
from evalcore.features.review.diagnosis.setup import FROM_FILE, MAX_CHOICES, OF_LABELS, UNKNOWN, Setup
from evalcore.features.review.diagnosis.truth import values_of
from evalcore.features.review.tasks import MAX_TEXT, is_line
from evalcore.study.tables import tables
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.values.errors import Report
    from evalcore.values.model import Study

Truths = tuple[tuple[str, str], ...]
COLUMNS = ("case", "truth")
MOST = 500_000
"""Rows of a table."""


@reader(lambda _: ())
def parse_truths(data: bytes, *, file: str) -> tuple[Truths, Report]:
    """Read the table; every row that cannot be used is an error. Other columns are not read."""
    problems = Problems(file)
    rows = tables.rows_of(data, problems)
    header = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if not rows or len(rows) > MOST or any(header.count(name) != 1 for name in COLUMNS):
        message = f"The table needs one column {' and one column '.join(COLUMNS)}, and at most {MOST:,} rows."
        problems.error("wrong-header", message, f"Let the first row be: {','.join(COLUMNS)}.", line=1)
        return (), problems.report()
    seen: dict[str, int] = {}
    read = []
    remedy = "Put a text that contains commas into double quotes."
    for row in tables.full_rows(rows[1:], problems, len(header), remedy):
        case, truth = (row.cells[header.index(name)].strip() for name in COLUMNS)
        for name, text, longest in (("case", case, MAX_TEXT), ("truth", truth, MAX_ANSWER)):
            if not is_line(text, longest):
                message = f"The {name} must be one line of 1 to {longest} characters."
                problems.error(
                    "wrong-value", message, "Fill it, or remove the row.", line=row.line, value=text
                )
                break
        else:
            if case in seen:
                message = f"The case {tables.quoted(case)} is on line {seen[case]} already."
                problems.error("repeated-row", message, "Keep one of the rows.", line=row.line, value=case)
            seen.setdefault(case, row.line)
            read.append((case, truth))
    if not read and not problems.n_errors:
        problems.error("no-rows", "There are no rows below the header.", "Add some.", line=1)
    return tuple(read), problems.report()


def setup_of(study: Study, truth: str | bytes, *, choices: tuple[str, ...] = (), **given: Any) -> Setup:
    """The setup of a new task.

    ``truth``: the content of a table, ``labels:COLUMN``, or none; without choices a label column gives its
    values.

    Raises
    ------
    InputError
        The table cannot be used; the report has every row that cannot.
    UnknownName
        The study has no such label column.
    """
    if isinstance(truth, bytes):
        truths, report = parse_truths(truth, file="truth.csv")
        if report.total("error"):
            raise InputError("The table of truths cannot be used.", report)
        return Setup(truth=FROM_FILE, truths=truths, choices=choices, **given)
    setup = Setup(truth=truth, choices=choices, **given)
    values = sorted({*values_of(study, setup).values()})
    return setup if choices or len(values) > MAX_CHOICES else replace(setup, choices=tuple(values))


def table_at(source: str) -> Path | None:
    """The table that a source of truths names; None for a label column, and where the truth is not known."""
    return None if source == UNKNOWN or source.startswith(OF_LABELS) else Path(source)
