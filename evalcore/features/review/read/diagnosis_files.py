"""Diagnoses as a table, one row each: what a statistician needs, and what `review import` reads back."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evalcore.features.review.diagnosis.conversion import judgment_from
from evalcore.features.review.diagnosis.details import (
    MAX_ANSWER,
    MAX_PLACE,
    MAX_SECONDS,
    is_answer,
    is_place,
    region_of,
    seconds_of,
)
from evalcore.features.review.diagnosis.reading import Diagnosis
from evalcore.features.review.tasks import wrong
from evalcore.study.tables.lines import parsed
from evalcore.study.tables.tables import full_rows
from evalcore.study.tables.writers import csv_lines, opened, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.study.tables.problems import Problems
    from evalcore.study.tables.tables import Row

REGION = ("region_left", "region_top", "region_width", "region_height")
COLUMNS = (
    *("task", "reader", "case", "arm", "session", "order", "answer", "concept", "truth", "right"),
    *("confidence", "seconds", *REGION, "at", "simulated"),
)
"""As the data dictionary in the docs describes them; truth and right are written, and never read."""
NEEDED = ("task", "reader", "case", "arm", "answer", "confidence", "at")
WAY_OUT = "Correct the row, or export the diagnoses again."
_FIELDS = {"query": "case", "value": "confidence", "systems": "arm"}
"""The columns of fields of a judgment."""
_NUMBER = re.compile("[0-9]{1,7}")


def diagnosis_lines(diagnoses: Iterable[Diagnosis]) -> Iterator[str]:
    """The lines of the table."""
    return csv_lines(COLUMNS, (tuple(map(_cell, _values(one))) for one in diagnoses))


def is_table_of_diagnoses(header: Sequence[str]) -> bool:
    """Whether a header is that of this table, and not of judgments."""
    return {"case", "arm"} <= {*header} and "query" not in header


def parse_rows(header: Sequence[str], rows: Sequence[Row], problems: Problems) -> list[tuple[int, Judgment]]:
    """The diagnoses as judgments, each with its line; everything that is wrong by its line."""
    missing = [name for name in NEEDED if header.count(name) != 1]
    if missing:
        message = f"The header needs one column {', '.join(missing)}."
        problems.error("wrong-header", message, f"Let the first row be: {','.join(COLUMNS)}.", line=1)
        return []
    read = []
    expected = f"The header names {len(header)} columns"
    for row in full_rows(rows, problems, len(header), expected=expected):
        cells = {name: cell.strip() for name, cell in zip(header, row.cells, strict=True)}
        mistakes = list(_mistakes(cells))
        if not mistakes:
            judgment = judgment_from(_diagnosis(cells))
            mistakes = [(_FIELDS.get(name, name), rule, value) for name, rule, value in wrong(judgment)]
        for name, rule, value in mistakes:
            problems.error("wrong-value", f"`{name}` must be {rule}.", WAY_OUT, line=row.line, value=value)
        if not mistakes:
            read.append((row.line, judgment))
    return read


def _values(one: Diagnosis) -> Iterator[Any]:
    region = dict(zip(REGION, one.region or ("",) * 4, strict=True))
    for name in COLUMNS:
        yield region[name] if name in region else getattr(one, name)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return sealed(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value)


def _mistakes(cells: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    """What of a row cannot be: (column, what it must be, what it is); `tasks.wrong` knows the rest."""
    for name in ("session", "order"):
        if cells.get(name) and not is_place(int(cells[name]) if _NUMBER.fullmatch(cells[name]) else None):
            yield name, f"a whole number from 1 to {MAX_PLACE:,}", cells[name]
    if parsed(cells["confidence"]) is None:
        yield "confidence", "a number from 0 to 1", cells["confidence"]
    if cells.get("seconds") and seconds_of(parsed(cells["seconds"])) is None:
        yield "seconds", f"a number from 0 to {MAX_SECONDS:,.0f}", cells["seconds"]
    region = [cells.get(name, "") for name in REGION]
    if any(region) and region_of([parsed(cell) for cell in region]) is None:
        rule = "with the next three columns a rectangle inside the picture, each from 0 to 1"
        yield REGION[0], rule, ", ".join(region)
    for name in ("answer", "concept"):
        if not is_answer(opened(cells.get(name, ""))) or (name == "answer" and not cells[name]):
            yield name, f"one line of at most {MAX_ANSWER} characters, without control signs", cells[name]
    if cells.get("simulated", "").lower() not in ("", "true", "false"):
        yield "simulated", "true or false", cells["simulated"]
    if not cells["arm"]:
        yield "arm", "alone, or the name of a system", ""
    try:
        datetime.fromisoformat(cells["at"]).astimezone(UTC)
    except (ValueError, OverflowError):
        yield "at", "a time in UTC, such as 2026-05-01T09:30:00+00:00", cells["at"]


def _diagnosis(cells: Mapping[str, str]) -> Diagnosis:
    """The diagnosis of a row that can be read."""
    at = datetime.fromisoformat(cells["at"])
    return Diagnosis(
        **{name: opened(cells[name]) for name in ("task", "reader", "case", "arm", "answer")},
        concept=opened(cells.get("concept", "")),
        session=int(cells.get("session") or 1),
        order=int(cells.get("order") or 1),
        confidence=float(cells["confidence"]),
        seconds=float(cells["seconds"]) if cells.get("seconds") else None,
        region=region_of([parsed(cells.get(name, "")) for name in REGION]),
        at=at if at.tzinfo is None else at.astimezone(UTC),
        simulated=cells.get("simulated", "").lower() == "true",
    )
