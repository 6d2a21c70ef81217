"""Tables as JSON: an object per line, or ``{first: {second: third}}``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalcore.study.tables import tables
from evalcore.study.tables.problems import Problems, is_whole, truncate
from evalcore.study.tables.schema import Schema

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_Entry = tuple[int, Sequence[str]]
"""The line of an entry of a JSON file, and its cells."""


def is_flat(line: str) -> bool:
    """Whether a line is a whole object of JSON that holds no objects."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not any(isinstance(cell, dict) for cell in value.values())


def objects(text: str, schema: Schema, problems: Problems) -> Iterator[_Entry]:
    """The cells of objects, one per line; any other line is an error and left out."""
    blank = tables.BlankLineCounter()
    for line, record in tables.filled_lines(text, problems, blank):
        if not tables.is_decodable(record, line, problems):
            continue
        try:
            value = json.loads(record)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            message = "The line is not a JSON object; it is left out."
            problems.error("bad-json", message, schema.remedy, line=line, value=record)
            continue
        given = (next((value[key] for key in c.names if key in value), "") for c in schema.columns)
        cells = [_cell(value) for value in given]
        if _is_whole(cells, line, problems):
            yield line, cells


def _cell(value: object) -> str:
    """A text or number as the cell of a table; "" for anything else."""
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def nested_entries(text: str, schema: Schema, problems: Problems) -> Iterator[_Entry]:
    """The cells of ``{first: {second: third}}``; what is not of this form is an error and left out."""
    names = [column.name for column in schema.columns[:3]]
    what = schema.what or "such a table"
    try:
        # whole numbers as float64 too: one of 5,000 digits is infinite, not an error of the whole file
        top = json.loads(text, object_pairs_hook=_Pairs, parse_int=float)
    except RecursionError:
        problems.error("bad-json", f"The file is not {what}: it is nested too deeply.", schema.remedy)
        return
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        problems.error("bad-json", f"The file is not JSON: {reason}.", schema.remedy, line=line)
        return
    line_at = _line_finder(text)
    for key, entries in top if isinstance(top, _Pairs) else [("", top)]:
        at = line_at(key)
        if not isinstance(entries, _Pairs):
            message = (
                f"The value of {truncate(key)!r} is not an object of {names[1]}s and {names[2]}s; "
                "it is left out."
            )
            problems.error("wrong-structure", message, schema.remedy, line=at, value=key)
            continue
        for name, value in entries:
            at = line_at(name)
            if _is_whole((key, name), at, problems):
                yield at, (key, name, repr(value) if isinstance(value, float) else _described(value))


def _is_whole(cells: Sequence[str], line: int, problems: Problems) -> bool:
    """Whether no cell holds half of a character; else an error."""
    odd = next((cell for cell in cells if not is_whole(cell)), None)
    if odd is not None:
        message = (
            "The row contains half of a character (such as \\ud800) or a byte that is not UTF-8; "
            "it is left out."
        )
        problems.error("undecodable", message, "Write it in full.", line=line, value=odd)
    return odd is None


def _described(value: object) -> str:
    """A value of JSON that is no number, as no number is written."""
    if isinstance(value, list):
        return "an object" if isinstance(value, _Pairs) else "a list"
    return f'"{value}"' if isinstance(value, str) else str(value)


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
