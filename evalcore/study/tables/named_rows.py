"""Rows of a table by the names in its header, for files whose columns have one name each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from types import MappingProxyType

from evalcore.study.tables import tables
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems, shown

Named = tuple[int, dict[str, str]]
"""The line of a row, and its cells by column; "" for an optional column that the file does not have."""


def named_rows(
    data: bytes, found: Problems, *, required: Sequence[str], optional: Sequence[str] = (),
    fill: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Named]:  # fmt: skip
    """Rows of a comma, TAB or semicolon file with all of its cells; every other is an error and left out.

    ``fill``: what to do about an empty cell, for columns where more can be said.
    """
    rows = tables.rows_of(data, found)
    if not rows:
        return
    header = [cell.strip().lower() for cell in rows[0].cells]
    if not _usable(header, rows[0], found, required, optional):
        return
    if len(rows) == 1:
        found.error(
            "no-rows", "There is no row below the header.", "Add one row per line.", line=rows[0].line
        )
    places = {name: header.index(name) if name in header else -1 for name in (*required, *optional)}
    for row in tables.full_rows(rows[1:], found, len(header), "Give each column of the header one cell."):
        cells = {name: row.cells[at] if at >= 0 else "" for name, at in places.items()}
        empty = next((name for name in required if not cells[name]), None)
        if empty:
            message = f"The row has no {empty}; it is left out."
            found.error("empty-cell", message, fill.get(empty, "Fill the cell."), line=row.line,
                        value=",".join(row.cells))  # fmt: skip
            continue
        yield row.line, cells


def _usable(
    header: Sequence[str], row: tables.Row, found: Problems, required: Sequence[str], optional: Sequence[str]
) -> bool:
    """Whether the header names what is needed, each once; other columns are mentioned."""
    first = f"Let the first row be: {','.join(required)}."
    missing = [name for name in required if name not in header]
    if missing:
        lacking = " and ".join(", ".join(missing).rsplit(", ", 1))
        message = (
            f"The header must name the columns {', '.join(required)}; {lacking} "
            f"{'is' if len(missing) == 1 else 'are'} not among {shown(', '.join(row.cells[:8]))}."
        )
        found.error("wrong-header", message, first, line=row.line, value=row.cells[0])
        return False
    twice = [
        name for name in dict.fromkeys(header) if name in (*required, *optional) and header.count(name) > 1
    ]
    if twice:
        message = f"Two columns are called {tables.quoted(twice[0])}."
        found.error("duplicate-column", message, "Keep one of them.", line=row.line, value=twice[0])
        return False
    others = [name for name in header if name not in (*required, *optional)]
    if others:
        message = f"The column {tables.quoted(others[0])} is not used." if len(others) == 1 else (
            f"{len(others)} columns are not used, such as {tables.quoted(others[0])}."
        )  # fmt: skip
        found.warning("unused-column", message, "", line=row.line, value=others[0], count=len(others))
    return True


def number_in(cells: dict[str, str], name: str, line: int, found: Problems, *, remedy: str) -> float | None:
    """A number that is one: not NaN, not endless; None with an error."""
    value = parsed(cells[name])
    if value is not None and isfinite(value):
        return value
    message = f"The {name} {tables.quoted(cells[name])} is not a number; the row is left out."
    found.error("not-a-number", message, remedy, line=line, value=cells[name])
    return None
