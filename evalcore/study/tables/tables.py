"""Text to rows of cells, each with its line number: delimited text, and JSON as such rows."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from evalcore.study.tables.files import MAX_LINE, is_decodable, lines_of
from evalcore.study.tables.problems import Problems, is_whole, quoted, try_call, why
from evalcore.study.tables.schema import Schema

_SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one record, spaces around them removed, and the line it starts on (1-based)."""

    line: int
    cells: list[str]


def named(header: Sequence[str], names: Iterable[str]) -> int | None:
    """Position of the first header cell that is one of ``names`` (lower case), None without one."""
    wanted = frozenset(names)
    return next((i for i, cell in enumerate(header) if cell.strip().lower() in wanted), None)


def guess_delimiter(text: str, offered: str = "\t,;") -> str:
    """The first offered delimiter that every line at the top of the text holds, else the one most hold.

    Commas where no line holds any, as in a list of ids: cells may be in quotes then.
    """
    top = [line for line in text[:100_000].split("\n")[:_SAMPLE] if line.strip()]
    if len(top) > 1 and len(text) > 100_000:
        top.pop()  # perhaps cut in the middle
    counts = {d: sum(d in line for line in top) for d in offered}
    best = max(offered, key=lambda d: counts[d])
    return best if counts[best] or "," not in offered else ","


def records(text: str, delimiter: str, problems: Problems, *, width: int = 0) -> Iterator[Row]:
    """Records of delimited text; ``"`` quotes cells, line breaks inside included, where commas or semicolons
    delimit. " " stands for any white space; with a ``width`` so do TABs where cells would be too few or many.
    A line end takes each line for one cell.

    Blank lines are skipped and counted as a warning unless they end the file. Undecodable records,
    records with broken quotes and lines beyond ``MAX_LINE`` are errors and left out.
    """
    rows = undecoded_records(text, delimiter, problems, width=width)
    if is_whole(text):
        return rows
    return (row for row in rows if is_decodable(delimiter.join(row.cells), row.line, problems))


def undecoded_records(text: str, delimiter: str, problems: Problems, *, width: int = 0) -> Iterator[Row]:
    """The same with those that are not UTF-8."""
    split = _split_quoted if delimiter in ",;" and '"' in text else _split_lines
    first = since = inside = 0
    for line, cells in split(text, delimiter, problems, width):
        if cells is not None and any(cells):
            inside, since = inside + since, 0
            yield Row(line, cells)
        elif cells is not None:
            first, since = first or line, since + 1
    if inside:
        message = f"{inside:,} blank {'lines were' if inside > 1 else 'line was'} skipped."
        remedy = "Remove them if no rows were meant to be there."
        problems.warning("blank-line", message, remedy, line=first, count=inside)


def _short(record: str, line: int, problems: Problems) -> str | None:
    """A line; None, with an error, for one that no table holds: most likely the file is something else."""
    if len(record) <= MAX_LINE:
        return record
    message = f"The line is longer than {MAX_LINE:,} characters; it is left out."
    problems.error("long-line", message, "Check that the file is a table.", line=line, value=record[:100])
    return None


_Split: TypeAlias = Iterator[tuple[int, list[str] | None]]
"""The first line of each record and its cells, none of a blank line; None where it was reported."""


def _split_lines(text: str, delimiter: str, problems: Problems, width: int) -> _Split:
    for line, record in enumerate(lines_of(text), start=1):
        short = _short(record, line, problems)
        cells = None if short is None else short.split(None if delimiter == " " else delimiter)
        cells = cells and [cell.strip() for cell in cells]
        if width and cells and len(cells) != width:  # as trec_eval reads: several TABs are one
            ways = ([cell for cell in cells if cell], record.split())
            cells = next((way for way in ways if len(way) == width), cells)
        yield line, cells


def _split_quoted(text: str, delimiter: str, problems: Problems, _width: int) -> _Split:
    short = (f"{_short(line, at, problems) or ''}\n" for at, line in enumerate(lines_of(text), start=1))
    # strict: a stray quote is an error of its row instead of swallowing the rows below it
    reader = csv.reader(short, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lost = reader.line_num - line
            more = f" with the {lost:,} lines after it" if lost > 0 else ""
            message = f"A quoted cell that starts in this row does not end properly; it is left out{more}."
            remedy = 'Close the quote, or write a quote inside a cell twice ("").'
            problems.error("broken-quotes", message, remedy, line=line)
            yield line, None
        else:
            yield line, [cell.strip() for cell in cells]


# JSON: an object per line, or ``{first: {second: third}}``.

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def is_flat(line: str) -> bool:
    """Whether a line is a whole object of JSON that holds no objects."""
    value, _ = try_call(lambda: json.loads(line))
    return isinstance(value, dict) and not any(isinstance(cell, dict) for cell in value.values())


def objects(text: str, schema: Schema, problems: Problems) -> Iterator[Row]:
    """The cells of objects, one per line, of each column by the first of its keys that is there; any other
    line is an error and left out."""
    for row in records(text, "\n", problems):
        value, _ = try_call(partial(json.loads, row.cells[0]))
        if not isinstance(value, dict):
            message = "The line is not a JSON object; it is left out."
            problems.error("bad-json", message, schema.remedy, line=row.line, value=row.cells[0])
            continue
        values = (next((value[key] for key in column.names if key in value), "") for column in schema.columns)
        cells = [str(cell) if type(cell) in (str, int, float) else "" for cell in values]
        if is_decodable(" ".join(cells), row.line, problems):
            yield Row(row.line, cells)


def nested_entries(text: str, schema: Schema, problems: Problems) -> Iterator[Row]:
    """The cells of ``{first: {second: third}}``; what is not of this form is an error and left out."""
    (_, second, third, *_), remedy = schema.columns, schema.remedy
    # whole numbers as float64 too: one of 5,000 digits is infinite, not an error of the whole file
    top, reason = try_call(lambda: json.loads(text, object_pairs_hook=_Pairs, parse_int=float))
    if reason is not None:
        what = reason if isinstance(reason, ValueError) else why(reason)
        line = getattr(reason, "lineno", None)
        problems.error("bad-json", f"The file is not JSON: {what}.", remedy, line=line)
        return
    line_at = _line_finder(text)
    for key, entries in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(key)
        if not isinstance(entries, _Pairs):
            wanted = f"an object of {second.name}s and {third.name}s"
            message = f"The value of {quoted(key)} is not {wanted}; it is left out."
            problems.error("wrong-structure", message, remedy, line=at, value=key)
            continue
        for name, value in entries:
            at = line_at(name)
            shown = f'"{value}"' if isinstance(value, str) else str(value)  # as no number is written
            if isinstance(value, list):
                shown = "an object" if isinstance(value, _Pairs) else "a list"
            if is_decodable(f"{key} {name}", at, problems):
                yield Row(at, [key, name, shown])


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with repeated keys kept, unlike a dict."""

    __slots__ = ()


def _line_finder(text: str) -> Callable[[str], int]:
    """A function that gives the line of the next occurrence of a JSON text, searching forward only.

    The keys are asked for in the order of the file, so all searches together walk once through it; a key may
    be written with escapes.
    """
    strings = _STRING.finditer(text)
    at, line = 0, 1

    def line_at(key: str) -> int:
        nonlocal at, line
        for hit in strings:
            written = hit.group()
            if (json.loads(written) if "\\" in written else written[1:-1]) == key:
                line += text.count("\n", at, hit.start())
                at = hit.start()
                break
        return line

    return line_at
