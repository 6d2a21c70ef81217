"""Judgments as files with every field: CSV and JSON, read back exactly.

A cell that a spreadsheet would compute has an apostrophe in front, as everywhere; here reading takes it off
again, and one that was the reader's own stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore.features.review import store
from evalcore.features.review.records import FIELDS, Judgment, record_of, report_wrong, validate
from evalcore.study.tables.files import check_memory, content_of, decode_whole, parse_float, reader
from evalcore.study.tables.load import load
from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.tables.schema import Column, Schema
from evalcore.study.tables.writers import csv_lines, opened, sealed
from evalcore.values.errors import InputError, Report
from evalcore.values.writing import pluralize

NEEDED = ("id", "task", "reader", "kind", "query", "status", "at")
"""What every record has; the others may be left out where they are empty."""
WAY_OUT = "Correct the record, or export the judgments again."
_PARSED = 20
"""What the parsed text takes in memory for each of its characters, at most."""
_JSON_WAY_OUT = 'Let it be: {"judgments": [{"id": "…", "task": "…", …}, …]}.'

Read = tuple[tuple[int, "Judgment"], ...]
"""Judgments of a file, each with its line."""


def csv_of(judgments: Iterable[Judgment]) -> Iterator[str]:
    """The lines of a table, a judgment each."""
    rows = ([_cell(cell) for cell in record_of(judgment).values()] for judgment in judgments)
    return csv_lines(FIELDS, rows, escape=False)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return sealed(value)
    return "" if value is None or value == [] else json.dumps(value, ensure_ascii=False)


def json_of(judgments: Iterable[Judgment]) -> Iterator[str]:
    """A document, in which each judgment has a line."""
    lines = ",\n".join(json.dumps(record_of(judgment), ensure_ascii=False) for judgment in judgments)
    yield f'{{"judgments": [\n{lines}\n]}}\n'


TABLE = Schema(
    tuple(Column((name,), required=name in NEEDED, empty=None) for name in FIELDS),
    remedy=f"Let the first row be: {','.join(FIELDS)}.",
    others="mention",
)


@reader(lambda _: ())
def parse_csv(data: bytes, problems: Problems) -> Read:
    """Read the table; every wrong value is an error of its line."""
    rows = load(data, TABLE, problems)
    columns = [name for name in FIELDS if rows.has(name)]
    cells = zip(rows.lines.tolist(), *map(rows.texts, columns), strict=True)
    records = (
        (line, {name: _value(name, cell) for name, cell in zip(columns, texts, strict=True)})
        for line, *texts in cells
    )
    return _read(records, problems)


def _value(name: str, cell: str) -> Any:
    """What a cell contains; what is not a list or number there stays a text, which is an error."""
    if name in ("systems", "reasons"):
        try:
            return json.loads(cell) if cell else []
        except (ValueError, RecursionError):
            return cell
    if name == "value":
        number = parse_float(cell) if cell else None
        return (cell or None) if number is None else number
    return opened(cell)


@reader(lambda _: ())
def parse_json(data: bytes, problems: Problems) -> Read:
    """Read the document. The line of a judgment is right where each has its own, as written here."""
    text = decode_whole(data, problems)
    check_memory(problems, len(text), _PARSED)
    try:
        top: Any = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError) as reason:
        what = truncate(reason) if isinstance(reason, ValueError) else "it is nested too deeply"
        line = getattr(reason, "lineno", None)
        problems.refuse("bad-json", f"The file is not JSON: {what}.", _JSON_WAY_OUT, line=line)
    listed = top.get("judgments") if isinstance(top, dict) else None
    if not isinstance(listed, list):
        message = "The document contains no list named “judgments”."
        problems.refuse("bad-json", message, _JSON_WAY_OUT, value=text[:80])
    return _read(enumerate(listed, start=2), problems)


def _read(records: Iterable[tuple[int, Any]], problems: Problems) -> Read:
    result = []
    for line, record in records:
        if not isinstance(record, Mapping):
            problems.error("wrong-value", "A judgment must be an object.", WAY_OUT, line=line, value=record)
            continue
        for name in record:
            if name not in FIELDS:
                message = f"Judgments have no field {name!r}; it is ignored."
                remedy = "Remove it, or correct its name."
                problems.warning("unknown-field", message, remedy, line=line, value=name)
        judgment, wrong = validate(Judgment, record)
        report_wrong(problems, wrong, WAY_OUT, lambda _, line=line: line)  # type: ignore[misc]
        if judgment is not None:
            result.append((line, judgment))
    return tuple(result)


# Into the database: all of a file or nothing of it, and nothing twice.


def parse_judgments(data: bytes, *, file: str) -> tuple[Read, Report]:
    """Read judgments from a file: JSON when it is called so, else a table; .gz packs either."""
    json_wanted = file.lower().removesuffix(".gz").endswith(".json")
    return (parse_json if json_wanted else parse_csv)(data, file=file)


def import_judgments(study: Path, path: Path) -> tuple[tuple[Judgment, ...], int, Report]:
    """Add the judgments of a file to those of a study, with their ids and times.

    Returns those that are new, how many the study had already, and remarks.

    Raises
    ------
    InputError
        The file has errors, all of which are in the report by line; or the database cannot be written.
        Nothing is stored then.
    """
    read, report = parse_judgments(content_of(path, path.name), file=path.name)
    identity = store.study_id(study)
    known = {judgment.id: judgment for judgment in store.history(identity)} if read else {}
    report += _conflicts(read, known, path.name)
    if n := report.total("error"):
        raise InputError(f"{path.name} has {pluralize(n, 'error')}, so nothing of it was stored.", report)
    by_id = {judgment.id: judgment for _, judgment in read}
    new = store.add(identity, *by_id.values(), keep_times=True)
    return new, len(by_id) - len(new), report


def _conflicts(read: Read, known: Mapping[str, Judgment], file: str) -> Report:
    """The same id with another content: in the file, or in the study."""
    problems, first = Problems(file), dict[str, tuple[int, "Judgment"]]()
    remedy = "Keep the row that is right; an id belongs to one judgment for good."
    for line, judgment in read:
        at, before = first.setdefault(judgment.id, (line, judgment))
        where = {"line": line, "value": judgment.id}
        if before != judgment:
            message = f"The id {judgment.id!r} is on line {at} with other content."
            problems.error("duplicate-id", message, remedy, **where)
        elif at != line:
            message = f"The judgment {judgment.id!r} is already on line {at}; it counts once."
            problems.warning("repeated-row", message, "Remove one of the rows.", **where)
        elif known.get(judgment.id, judgment) != judgment:
            message = f"The study already contains a different judgment with the id {judgment.id!r}."
            problems.error("changed-judgment", message, remedy, **where)
    return problems.report()
