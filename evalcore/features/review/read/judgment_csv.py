"""Judgments as a table, one row each with every field: opened in a spreadsheet, and read back exactly.

A cell that a spreadsheet would compute has an apostrophe in front, as everywhere; here reading takes it off
again, and one that was the reader's own stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evalcore.features.review.read.records import FIELDS, LISTS, NEEDED, judgment_of, record_of
from evalcore.study.tables.guard import reader
from evalcore.study.tables.lines import decode
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import Row, full_rows, guess_delimiter, read_rows
from evalcore.study.tables.writers import csv_lines, opened, sealed

if TYPE_CHECKING:
    from evalcore.features.review.judgments import Judgment
    from evalcore.values.problems import Report

Read = tuple[tuple[int, "Judgment"], ...]
"""Judgments of a file, each with the line it stands on."""
_TRUTH = {"true": True, "false": False}


def judgment_lines(judgments: Iterable[Judgment]) -> Iterator[str]:
    """The lines of the table."""
    rows = (tuple(_cell(value) for value in record_of(one).values()) for one in judgments)
    return csv_lines(FIELDS, rows)


@reader(lambda _: ())
def parse_csv(data: bytes, *, file: str) -> tuple[Read, Report]:
    """Read the table. What cannot be is an error of its line, and all of them are listed."""
    found = Problems(file)
    text = decode(data, found)
    if text is None:
        return (), found.report()
    delimiter = guess_delimiter(text.split("\n", 1)[0])
    rows = read_rows(text, found, delimiter=delimiter)
    header = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if not _check_header(header, rows, found):
        return (), found.report()
    read = []
    expected = f"The header names {len(header)} columns"
    for row in full_rows(rows[1:], found, len(header), expected=expected):
        one = judgment_of(_record(header, row), found, line=row.line)
        if one is not None:
            read.append((row.line, one))
    return tuple(read), found.report()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return sealed(value)
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value)


def _check_header(header: list[str], rows: list[Row], found: Problems) -> bool:
    if not rows:
        return False
    line, remedy = rows[0].line, f"Let the first row be: {','.join(FIELDS)}."
    missing = [name for name in NEEDED if name not in header]
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    strange = [name for name in header if name not in FIELDS]
    if missing:
        message = f"The header lacks {', '.join(missing)}: this is no table of judgments."
        found.error("wrong-header", message, remedy, line=line, value=",".join(header))
    elif twice:
        message = f"The header names {', '.join(twice)} more than once."
        found.error("wrong-header", message, remedy, line=line, value=",".join(twice))
    for name in strange if not missing else ():
        message = f"Judgments have no column {name!r}; it is ignored."
        found.warning("unknown-column", message, "Remove it, or mend its name.", line=line, value=name)
    return not (missing or twice)


def _record(header: list[str], row: Row) -> dict[str, Any]:
    """The cells as a record; what is no list, number or truth stays a text, which is an error there."""
    record: dict[str, Any] = {}
    for name, cell in zip(header, row.cells, strict=True):
        if name in LISTS:
            record[name] = _list(cell)
        elif name == "value":
            number = parsed(cell) if cell else None
            record[name] = (cell or None) if number is None else number
        elif name in ("simulated", "adjudicated"):
            record[name] = _TRUTH.get(cell.lower(), cell) if cell else False
        elif name in FIELDS:
            record[name] = opened(cell)
    return record


def _list(cell: str) -> Any:
    if not cell:
        return []
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell
