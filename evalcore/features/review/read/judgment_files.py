"""One judgment as a record of a file, and back: nothing a stranger's file holds is believed unread."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.tasks import wrong
from evalcore.study.tables.files import decode, decode_whole, parse_float
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.study.tables.tables import Row, full_rows, guess_delimiter, read_rows
from evalcore.study.tables.writers import csv_lines, opened, sealed

if TYPE_CHECKING:
    from collections.abc import Mapping


FIELDS = tuple(field.name for field in fields(Judgment))
NEEDED = ("id", "task", "reader", "kind", "query", "said", "at")
"""What every record holds; the others may be left out where they are empty."""
_EMPTY: Mapping[str, Any] = {
    "result": "",
    "systems": [],
    "criterion": "",
    "value": None,
    "reasons": [],
    "comment": "",
    "simulated": False,
    "shown": "",
}
LISTS = ("systems", "reasons")
WAY_OUT = "Correct the record, or export the judgments again."


def record_of(judgment: Judgment) -> dict[str, Any]:
    """A judgment with its lists and its time as JSON has them."""
    record = {name: getattr(judgment, name) for name in FIELDS}
    lists = {name: list(record[name]) for name in LISTS}
    return {**record, **lists, "at": judgment.at.astimezone(UTC).isoformat()}


def judgment_of(record: Mapping[str, Any], found: Problems, *, line: int | None) -> Judgment | None:
    """The judgment of a record; None, with everything that is wrong in it, when it cannot be one."""
    values, fits = {**_EMPTY, **record}, True
    for name in FIELDS:
        if name not in values:
            _report(found, line, name, "given in every record", "")
            fits = False
        elif not _TYPES[name][0](values[name]):
            _report(found, line, name, _TYPES[name][1], values[name])
            fits = False
    if not fits:
        return None
    value = None if values["value"] is None else float(values["value"])
    at = datetime.fromisoformat(values["at"])
    at = at if at.tzinfo is None else at.astimezone(UTC)
    lists = {name: tuple(values[name]) for name in LISTS}
    judgment = Judgment(**{**{name: values[name] for name in FIELDS}, **lists, "value": value, "at": at})
    problems = list(wrong(judgment))
    for name, rule, what in problems:
        _report(found, line, name, rule, what)
    return None if problems else judgment


def _report(problems: Problems, line: int | None, name: str, rule: str, value: object) -> None:
    problems.error("wrong-value", f"`{name}` must be {rule}.", WAY_OUT, line=line, value=value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value).astimezone(UTC))
    except (ValueError, OverflowError):
        return False


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) <= 1)


_TEXT = (_is_text, "a text")
_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(FIELDS, _TEXT),
    **dict.fromkeys(
        LISTS,
        (
            lambda value: isinstance(value, list) and all(map(_is_text, value)),
            'a list of texts, as in ["a", "b"]',
        ),
    ),
    "simulated": (lambda value: type(value) is bool, "true or false"),
    "value": (_is_number, "a number from -1 to 1, or nothing"),
    "at": (_is_time, "a time in UTC, such as 2026-05-01T09:30:00+00:00"),
}
"""How each field is checked, and what it must be."""

# Judgments as a table, one row each with every field: opened in a spreadsheet, and read back exactly.
#
# A cell that a spreadsheet would compute has an apostrophe in front, as everywhere; here reading takes it
# off again, and one that was the reader's own stays.

Read = tuple[tuple[int, "Judgment"], ...]
"""Judgments of a file, each with the line it stands on."""
_TRUTH = {"true": True, "false": False}


def judgment_lines(judgments: Iterable[Judgment]) -> Iterator[str]:
    """The lines of the table."""
    records = map(record_of, judgments)
    return csv_lines(FIELDS, (tuple(_cell(record[name]) for name in FIELDS) for record in records))


@reader(lambda _: ())
def parse_csv(data: bytes, problems: Problems) -> Read:
    """Read the table. What cannot be is an error of its line, and all are listed."""
    text = decode(data, problems)
    if text is None:
        return ()
    delimiter = guess_delimiter(text.split("\n", 1)[0])
    rows = read_rows(text, problems, delimiter=delimiter)
    header = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if not _check_header(header, rows, problems):
        return ()
    read = []
    expected = f"The header names {len(header)} columns"
    for row in full_rows(rows[1:], problems, len(header), expected=expected):
        one = judgment_of(_record(header, row), problems, line=row.line)
        if one is not None:
            read.append((row.line, one))
    return tuple(read)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return sealed(value)
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value)


def _check_header(header: list[str], rows: list[Row], problems: Problems) -> bool:
    if not rows:
        return False
    line, remedy = rows[0].line, f"Let the first row be: {','.join(FIELDS)}."
    missing = [name for name in NEEDED if name not in header]
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    strange = [name for name in header if name not in FIELDS]
    if missing:
        message = f"The header lacks {', '.join(missing)}: this is no table of judgments."
        problems.error("wrong-header", message, remedy, line=line, value=",".join(header))
    elif twice:
        message = f"The header names {', '.join(twice)} more than once."
        problems.error("wrong-header", message, remedy, line=line, value=",".join(twice))
    for name in strange if not missing else ():
        message = f"Judgments have no column {name!r}; it is ignored."
        problems.warning("unknown-column", message, "Remove it, or correct its name.", line=line, value=name)
    return not (missing or twice)


def _record(header: list[str], row: Row) -> dict[str, Any]:
    """The cells as a record; what is no list, number or truth stays a text, which is an error there."""
    record: dict[str, Any] = {}
    for name, cell in zip(header, row.cells, strict=True):
        if name in LISTS:
            record[name] = _list(cell)
        elif name == "value":
            number = parse_float(cell) if cell else None
            record[name] = (cell or None) if number is None else number
        elif name == "simulated":
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


# Judgments as one JSON document: ``{"judgments": [{"id": …, "task": …, …}, …]}``.

MAX_SIZE = 1 << 25
"""Characters of a document; what it takes in memory may be twenty times as much."""
_WAY_OUT = 'Let it be: {"judgments": [{"id": "…", "task": "…", …}, …]}.'


def json_lines(judgments: Iterable[Judgment]) -> Iterator[str]:
    """The document, one judgment on a line."""
    yield '{"judgments": [\n'
    between = ""
    for judgment in judgments:
        yield between + json.dumps(record_of(judgment), ensure_ascii=False)
        between = ",\n"
    yield "\n]}\n"


@reader(lambda _: ())
def parse_json(data: bytes, problems: Problems) -> Read:
    """Read the document. The line of a judgment is where it stands when each has its own, as written here."""
    text = decode_whole(data, problems)
    if text is None:
        return ()
    if len(text) > MAX_SIZE:
        message = f"The file contains {len(text):,} characters; at most {MAX_SIZE:,} of JSON are read."
        problems.error("too-large", message, "Export the judgments as .csv instead.")
        return ()
    try:
        top: Any = json.loads(text, parse_constant=str)
    except RecursionError:
        problems.error("bad-json", "The file is nested too deeply.", _WAY_OUT)
        return ()
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        problems.error("bad-json", f"The file is not JSON: {truncate(reason)}.", _WAY_OUT, line=line)
        return ()
    listed = top.get("judgments") if isinstance(top, dict) else None
    if not isinstance(listed, list):
        problems.error(
            "bad-json", "The document contains no list named “judgments”.", _WAY_OUT, value=text[:80]
        )
        return ()
    read = []
    for line, record in enumerate(listed, start=2):
        if not isinstance(record, dict):
            problems.error("wrong-value", "A judgment must be an object.", _WAY_OUT, line=line, value=record)
            continue
        for name in record:
            if name not in FIELDS:
                message = f"Judgments have no field {name!r}; it is ignored."
                problems.warning(
                    "unknown-field", message, "Remove it, or correct its name.", line=line, value=name
                )
        one = judgment_of({key: record[key] for key in record if key in FIELDS}, problems, line=line)
        if one is not None:
            read.append((line, one))
    return tuple(read)
