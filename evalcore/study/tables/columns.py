"""Named columns of a big delimited file: read at once when it is clean, row by row when it is not.

Both ways give the same columns. The fast one leaves as soon as something is odd, because only the
slow one knows on which line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from evalcore.study.tables import tables
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import decode, unpack
from evalcore.study.tables.problems import Problems

Synonyms = Mapping[str, frozenset[str]]
"""Header names, lower case, of each column."""
Column = Any
"""A pyarrow string array or chunked array."""

_ID = re.compile(r"(?=\D*\d)[\w.:/#-]+\Z")
_HEAD = 100_000
_ROW_BYTES = 64
"""What a row takes in memory once it is read, and used for a graph."""


def read_columns(
    data: bytes, problems: Problems, *, synonyms: Synonyms, required: Sequence[str], ids: Sequence[str]
) -> dict[str, Column] | None:
    """The columns of a comma, TAB or semicolon file by the names in its header.

    Parameters
    ----------
    data : the file, gzipped or not.
    synonyms : which header names mean which column, in the order of a file without header.
    required : columns that must be there.
    ids : those of them that hold ids: none may be empty (such a row is an error and left out), and a
        first row with ids in them is no header.

    Returns
    -------
    {column: texts}, spaces around them removed, all of one length; optional columns only where the
    file has them. None, with an error, when the file is no such table.
    """
    plain = unpack(data, problems)
    if plain is None or not fits(problems, plain.count(b"\n"), _ROW_BYTES):
        return None
    plain = plain.removeprefix(b"\xef\xbb\xbf")
    head = plain[:_HEAD].decode("utf-8", "replace")
    delimiter = tables.guess_delimiter(head)
    if b'"' not in plain and b"\0" not in plain and head[:1] not in ("", "\n", "\r", "\ufeff", "\ufffd"):
        first = [cell.strip() for cell in re.split(r"[\r\n]", head, maxsplit=1)[0].split(delimiter)]
        places, header = _places(first, synonyms, required, ids)
        columns = _fast(plain, delimiter, len(first), places, ids, header=header) if places else None
        if columns is not None:
            return columns
    text = decode(plain, problems)
    return None if text is None else _slow(text, delimiter, problems, synonyms, required, ids)


def _places(
    first: Sequence[str], synonyms: Synonyms, required: Sequence[str], ids: Sequence[str]
) -> tuple[dict[str, int], bool]:
    """Position of each column, and whether the first row is a header; ({}, True) when it tells nothing."""
    named = {name: tables.named(first, words) for name, words in synonyms.items()}
    if all(named[name] is not None for name in required):
        return {name: at for name, at in named.items() if at is not None}, True
    places = {name: at for at, name in enumerate(synonyms) if at < len(first)}
    if all(name in places for name in required) and all(_ID.match(first[places[name]]) for name in ids):
        return places, False
    return {}, True


def _fast(
    plain: bytes, delimiter: str, width: int, places: Mapping[str, int], ids: Sequence[str], *, header: bool
) -> dict[str, Column] | None:
    """The columns of a file without any oddity, None for every other."""
    names = [str(at) for at in range(width)]
    wanted = {name: str(at) for name, at in places.items()}
    try:
        table = csv.read_csv(
            pa.BufferReader(plain),
            csv.ReadOptions(column_names=names, skip_rows=int(header)),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(
                include_columns=list(wanted.values()), column_types=dict.fromkeys(names, pa.string())
            ),
        )
    except pa.ArrowException:
        return None
    columns = {name: pc.utf8_trim_whitespace(table[at]) for name, at in wanted.items()}
    if any(pc.any(pc.equal(columns[name], "")).as_py() for name in ids):
        return None
    return columns


def _slow(
    text: str,
    delimiter: str,
    problems: Problems,
    synonyms: Synonyms,
    required: Sequence[str],
    ids: Sequence[str],
) -> dict[str, Column] | None:
    """The columns of any file, every oddity reported with its line."""
    rows = tables.read_rows(text, problems, delimiter=delimiter)
    if not rows:
        return None
    first = rows[0].cells
    places, header = _places(first, synonyms, required, ids)
    if not places:
        message = (
            f"The header must name the columns {' and '.join(required)}; it names {', '.join(first[:8])}."
        )
        remedy = f"Let the first row be: {','.join(required)}."
        problems.error("wrong-header", message, remedy, line=rows[0].line, value=first[0])
        return None
    kept: dict[str, list[str]] = {name: [] for name in places}
    expected = f"The first row has {len(first)} cells"
    for row in tables.full_rows(rows[int(header) :], problems, len(first), expected=expected):
        empty = next((name for name in ids if not row.cells[places[name]]), None)
        if empty:
            message = f"The row has no {empty}; it is left out."
            remedy = "Fill the cell, or delete the row."
            problems.error("empty-cell", message, remedy, line=row.line, value=delimiter.join(row.cells))
            continue
        for name, at in places.items():
            kept[name].append(row.cells[at])
    return {name: pa.array(values, pa.string()) for name, values in kept.items()}
