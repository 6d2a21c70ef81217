"""Laws of every table that is read: the same rows out of any container, every damage named by its line."""

import csv
import gzip
import importlib
import io
import json
import pkgutil
from collections.abc import Callable, Sequence
from contextlib import suppress

import pandas as pd
import pytest

import evalcore.features
import evalcore.study
from evalcore.study.parts.runs import RUN
from evalcore.study.tables.files import MAX_LINE, at_most
from evalcore.study.tables.frames import frame_of
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Refused
from evalcore.study.tables.schema import Column, Rows, Schema, no_rows
from evalcore.values.errors import SHOWN_PER_RULE, Report
from tests.study import made


def every_schema() -> dict[str, Schema]:
    """Every table that the program reads, by the module that defines it."""
    schemas = {}
    for place in (evalcore.study, evalcore.features):
        for info in pkgutil.walk_packages(place.__path__, f"{place.__name__}."):
            for name, value in vars(importlib.import_module(info.name)).items():
                if isinstance(value, Schema):
                    schemas.setdefault(id(value), (f"{info.name}.{name}", value))
    return dict(schemas.values())


SCHEMAS = every_schema()
N = 4


def cell(column: Column, row: int) -> str:
    return f"{row + 1}.5" if column.number else f"{column.name.strip('_')[:3]}_é{row}"


def header_of(schema: Schema) -> list[str]:
    return [column.name for column in schema.columns] + (["organ"] if schema.others == "keep" else [])


def rows_of(schema: Schema) -> list[list[str]]:
    more = ["lung"] if schema.others == "keep" else []
    return [[cell(column, row) for column in schema.columns] + more for row in range(N)]


def text(rows: Sequence[Sequence[str]], delimiter: str = ",", quoting: int = csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return out.getvalue()


def table(schema: Schema) -> str:
    return text([header_of(schema), *rows_of(schema)])


def load(data: object, schema: Schema) -> tuple[Rows, Report]:
    problems, rows = Problems("f"), no_rows("f", schema)
    with suppress(Refused):
        rows = read(data, schema, problems)
    return rows, problems.report()


def content(rows: Rows, schema: Schema) -> dict[str, list[object]]:
    return {
        column.name: rows.numbers(column.name).tolist() if column.number else rows.texts(column.name)
        for column in schema.columns
    }


def named(report: Report) -> set[tuple[str, str, int | None]]:
    return {(problem.severity, problem.rule, problem.line) for problem in report.problems}


def parquet(schema: Schema) -> bytes:
    columns = zip(*rows_of(schema), strict=True)
    return made.parquet(dict(zip(header_of(schema), columns, strict=True)))


def json_lines(schema: Schema) -> bytes:
    names = header_of(schema)
    return "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows_of(schema)).encode()


def in_memory(schema: Schema) -> object:
    columns = dict(zip(header_of(schema), zip(*rows_of(schema), strict=True), strict=True))
    return frame_of(pd.DataFrame({name: list(cells) for name, cells in columns.items()}))


def reversed_columns(schema: Schema) -> str:
    return text([row[::-1] for row in (header_of(schema), *rows_of(schema))])


def by_alias(which: int) -> Callable[[Schema], str]:
    def write(schema: Schema) -> str:
        names = [column.names[which % len(column.names)] for column in schema.columns]
        names = header_of(schema) if len({*names}) < len(names) else names
        return text([[*names, *header_of(schema)[len(names) :]], *rows_of(schema)])

    return write


CONTAINERS: dict[str, Callable[[Schema], object]] = {
    "commas": table,
    "quotes": lambda schema: text([header_of(schema), *rows_of(schema)], quoting=csv.QUOTE_ALL),
    "TABs": lambda schema: text([header_of(schema), *rows_of(schema)], "\t"),
    "semicolons": lambda schema: text(
        [header_of(schema), *rows_of(schema)], ";" if ";" in schema.delimiters else ","
    ),
    "any order": reversed_columns,
    "upper case": lambda schema: text([[name.upper() for name in header_of(schema)], *rows_of(schema)]),
    **{f"alias {n}": by_alias(n) for n in (1, 2, 3)},
    "no line end": lambda schema: table(schema).rstrip("\n"),
    "CRLF": lambda schema: table(schema).replace("\n", "\r\n"),
    "CR": lambda schema: table(schema).replace("\n", "\r"),
    "blank lines below": lambda schema: table(schema) + "\n\n",
    "mark": lambda schema: table(schema).encode("utf-8-sig"),
    "gzip": lambda schema: gzip.compress(table(schema).encode(), mtime=0),
    "gzip of two parts": lambda schema: b"".join(
        gzip.compress(line.encode(), mtime=0) for line in table(schema).splitlines(keepends=True)
    ),
}  # fmt: skip
ROWS_FROM_1: dict[str, Callable[[Schema], object]] = {
    "parquet": parquet,
    "JSON lines": json_lines,
    "DataFrame": in_memory,
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_container_yields_the_same_rows(name: str) -> None:
    schema = SCHEMAS[name]
    expected = {
        column.name: [float(cell(column, i)) if column.number else cell(column, i) for i in range(N)]
        for column in schema.columns
    }
    for container, write in (CONTAINERS | (ROWS_FROM_1 if schema.others != "keep" else {})).items():
        data, first = write(schema), 1 if container in ROWS_FROM_1 else 2
        rows, report = load(data.encode() if isinstance(data, str) else data, schema)
        assert content(rows, schema) == expected, container
        assert rows.lines.tolist() == list(range(first, N + first)), container
        assert not named(report), container


# Damage: the lines afterwards, and the rule and line of each problem.

Damaged = tuple[list[str], set[tuple[str, str, int | None]], int]
"""The lines of the file, the problems, and how many rows are left."""


def lines_of(schema: Schema) -> list[str]:
    return table(schema).splitlines()


def blank(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    return [*lines[:2], "", " ", *lines[2:-1], "", lines[-1]], {("warning", "blank-line", 3)}, N


def empty_line(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    return [*lines[:2], "", *lines[2:]], {("warning", "blank-line", 3)}, N


def undecodable(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    lines[2] = lines[2].replace("é", "\udce9", 1)
    return lines, {("error", "undecodable", 3)}, N - 1


def too_wide(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    lines[3] += ",more"
    return lines, set() if schema.ragged else {("error", "wrong-columns", 4)}, N if schema.ragged else N - 1


def empty_cell(schema: Schema) -> Damaged:
    rows = rows_of(schema)
    needed = [(at, column) for at, column in enumerate(schema.columns) if column.empty is not None]
    at, column = needed[0] if needed else (0, schema.columns[0])
    rows[1][at] = ""
    lines = text([header_of(schema), *rows]).splitlines()
    if len(rows[1]) == 1:
        return ["id", "a1", "", "a2"], {("warning", "blank-line", 3)}, 2
    return lines, {("error", column.empty.rule, 3)} if column.empty else set(), N - 1 if column.empty else N


def open_quote(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    return [*lines[:3], '"' + lines[3], *lines[4:]], {("error", "broken-quotes", 4)}, 2


def not_a_number(word: str, *, infinite: bool) -> Callable[[Schema], Damaged]:
    def damage(schema: Schema) -> Damaged:
        lines, rows, problems = lines_of(schema), N, set()
        for at, column in enumerate(schema.columns):
            if column.number is not None:
                cells = lines[2].split(",")
                cells[at] = word
                rule = column.infinite if infinite and column.infinite else column.number
                severity = "warning" if column.lenient else "error"
                return (
                    [*lines[:2], ",".join(cells), *lines[3:]],
                    {(severity, rule.rule, 3)},
                    N if column.lenient else N - 1,
                )
        return lines, problems, rows

    return damage


def duplicate(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    rule = {("error", schema.duplicate.rule, N + 2)} if schema.keys else set()
    return [*lines, lines[1]], rule, N if schema.keys else N + 1


def long_line(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    return [*lines[:2], "x" * (MAX_LINE + 1), *lines[2:]], {("error", "long-line", 3)}, N


def quote_in_place(schema: Schema) -> Damaged:
    lines = lines_of(schema)
    return [lines[0], text([rows_of(schema)[0]], quoting=csv.QUOTE_ALL).rstrip("\n"), *lines[2:]], set(), N


DAMAGES: dict[str, Callable[[Schema], Damaged]] = {
    "blank lines": blank,
    "empty line": empty_line,
    "not UTF-8": undecodable,
    "too wide": too_wide,
    "empty cell": empty_cell,
    "open quote": open_quote,
    "no number": not_a_number("1_000", infinite=False),
    "beyond every number": not_a_number("1e400", infinite=True),
    "NaN": not_a_number("nan", infinite=True),
    "twice": duplicate,
    "long line": long_line,
    "one row in quotes": quote_in_place,
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_damage_is_reported_by_line_and_loses_only_its_row(name: str) -> None:
    schema = SCHEMAS[name]
    for damage, write in DAMAGES.items():
        lines, problems, n = write(schema)
        rows, report = load("\n".join([*lines, ""]).encode("utf-8", "surrogateescape"), schema)
        assert named(report) == problems, damage
        assert rows.rows == n, damage
        assert all(problem.remedy or problem.severity == "warning" for problem in report.problems), damage


WHOLE_FILES: dict[str, tuple[Callable[[bytes], bytes], str, int | None]] = {
    "no byte": (lambda _: b"", "empty-file", None),
    "only a mark": (lambda _: b"\xef\xbb\xbf", "empty-file", None),
    "blank lines only": (lambda _: b"\n\n", "empty-file", None),
    "zero bytes": (lambda data: data[:-3] + b"\0" + data[-3:], "not-text", N + 1),
    "UTF-16": (lambda data: data.decode().encode("utf-16-le"), "not-text", 1),
    "cut gzip": (lambda data: gzip.compress(data)[:-9], "unreadable-container", None),
    "bomb": (lambda _: gzip.compress(b"\n" * (17 << 20)), "too-large", None),
    "damaged parquet": (lambda _: b"PAR1" + b"\xff" * 40 + b"PAR1", "unreadable-container", None),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_without_rows_is_explained(name: str) -> None:
    for damage, (hurt, rule, line) in WHOLE_FILES.items():
        rows, report = load(hurt(table(SCHEMAS[name]).encode()), SCHEMAS[name])
        assert rows.rows == 0, damage
        assert ("error", rule, line) in named(report), damage


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if schema.header == "required"])
def test_a_header_must_name_each_needed_column_once(name: str) -> None:
    schema = SCHEMAS[name]
    lines = lines_of(schema)
    _, report = load(lines[0].encode(), schema)
    assert named(report) == ({("error", schema.no_rows.rule, 1)} if schema.no_rows else set())
    others = ",".join(["x", *header_of(schema)[1:]])
    rows, report = load("\n".join([others, *lines[1:]]).encode(), schema)
    assert rows.rows == 0 and named(report) <= {("error", "wrong-header", 1), ("error", "unknown-format", 1)}
    assert report.total("error") == 1
    twice = [f"{line},{line.partition(',')[0]}" for line in lines]
    rows, report = load("\n".join(twice).encode(), schema)
    assert rows.rows == 0 and ("error", "duplicate-column", 1) in named(report)


@pytest.mark.parametrize("name", SCHEMAS)
def test_more_rows_than_fit_below_the_cap_are_refused(name: str) -> None:
    data = table(SCHEMAS[name]).encode()
    data += data.splitlines(keepends=True)[1] * 2_000
    with at_most(len(data) // 8):
        rows, report = load(data, SCHEMAS[name])
    assert rows.rows == 0 and ("error", "too-large", None) in named(report)


def test_the_list_of_problems_is_capped_and_their_count_is_not() -> None:
    _, report = load(b"query,candidate,score\n" + b"a,b,nan\n" * 5_000, RUN)
    assert len(report.problems) == SHOWN_PER_RULE and report.total("error") == 5_000
