"""The one way into a study for tables: a file in any form becomes checked columns with line numbers.

`load` reads CSV, TSV, semicolons, TREC's white space, JSON, JSON lines or parquet, gzipped or not, into
`Rows` of texts, as a `Schema` says; `read` keeps the good ones, typed (see `check`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from evalcore.study.tables.files import (
    MAX_LINE,
    check_memory,
    decode,
    is_decodable,
    parse_float,
    reader,
    unpack,
)
from evalcore.study.tables.frames import distinct_texts, holds_texts, is_list, is_number, with_line_feeds
from evalcore.study.tables.parquet import Source, parquet_schema, read_columns, type_name
from evalcore.study.tables.problems import Problems, Refused, guarded, is_whole, quoted, truncate
from evalcore.study.tables.schema import Column, Rows, Schema, check, is_odd, no_rows, rows_of
from evalcore.study.tables.tables import guess_delimiter, is_flat, named, nested_entries, objects, records
from evalcore.values.errors import Report


def read(data: Source, schema: Schema, problems: Problems) -> Rows:
    """The good rows of a table, typed; refused where the file is no such table."""
    return check(load(data, schema, problems), schema, problems)


def table_reader(schema: Schema) -> Callable[..., tuple[Rows, Report]]:
    """The reader (see `files.reader`) of files of this kind of table."""
    return reader(lambda file: no_rows(file, schema))(lambda data, problems: read(data, schema, problems))


# From a file to texts.

_HEAD, _SAMPLE = 100_000, 50
_PIECE = 1 << 16
MAX_NAME, MAX_CELLS = 100, 500
"""Characters of the name of a column, and cells of a header, that are compared with known names."""
_OTHER = Column(("",), required=False, empty=None)
"""A column that a schema does not name."""
_NODE_BYTES = 150
"""What an entry of a JSON object or list takes in memory while a file is read as a whole."""


def load(data: Source, schema: Schema, problems: Problems) -> Rows:
    """The rows of a file (its content, or an open file of parquet), or of a table in memory, as texts;
    refused when it is no such table.

    Errors, left out: rows with another number of cells, undecodable bytes, quotes that do not end, lines
    beyond ``MAX_LINE``. Blank lines are counted in a warning. Number columns of a clean file come as
    float64.
    """
    plain = unpack(data, problems)
    if not isinstance(plain, bytes) or plain[:4] == b"PAR1":
        return _from_table(plain, schema, problems)
    plain = plain.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in plain:
        plain = plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    breaks = plain.count(b"\n")
    check_memory(problems, breaks, schema.row_bytes)
    form = form_of(plain[:_HEAD].decode("utf-8", "replace"), schema)
    rows = _read_clean(plain, breaks, form, schema, problems.file) if form is not None else None
    if rows is not None and form is not None:
        return _with_header(rows, form, 1, schema, problems)
    text = decode(plain, problems).removeprefix("\ufeff")
    return (_from_json if text.lstrip()[:1] in ("{", "[") else _from_text)(text, schema, problems)


@dataclass(frozen=True, slots=True)
class Form:
    """How a delimited file is built: what is between its cells (" ": white space), which column is where,
    and how many cells a row has (0: any number)."""

    name: str
    delimiter: str
    places: Mapping[str, int]
    width: int
    header: tuple[str, ...] = ()


def form_of(head: str, schema: Schema) -> Form | None:
    """The form of a delimited file by its first lines; None when it is no such table."""
    lines = re.split(r"\r\n?|\n", head)[:_SAMPLE]
    top = [line for line in lines if line.strip() and is_whole(line)]
    if not top:
        return None
    delimiter = _delimiter_of(top, schema)
    first = _cells_of(top, delimiter)
    named = _named(first, schema)
    is_complete = named.keys() >= {*schema.required}
    if is_complete or schema.header == "first" or (schema.header == "any" and named):
        if schema.header == "any" and not is_complete and len(first) > len(schema.columns):
            return None
        width = max(len(first), len(schema.columns)) if schema.short else len(first)
        return Form("csv", delimiter, _places(first, schema), 0 if schema.ragged else width, first)
    if _are_spaced(top, schema):
        width = len(schema.spaces)
        tabs = all(line.count("\t") == width - 1 for line in top)
        places = {name: at for at, name in enumerate(schema.spaces) if name}
        return Form("trec", "\t" if tabs else " ", places, width)
    widths = [len(line.split(delimiter)) for line in top]
    width = max(widths, key=widths.count) if len(schema.widths) > 1 else (*schema.widths, len(first))[0]
    fits_schema = width in schema.widths if schema.widths else width >= len(schema.required)
    if schema.header == "required" or not fits_schema or not schema.positional(first):
        return None
    may_be_header = schema.header == "optional" or (schema.widths and len(first) not in schema.widths)
    if may_be_header and nearly_named(first, schema):
        return None  # a misspelt header, no row
    places = {column.name: at for at, column in enumerate(schema.columns) if at < width}
    return Form("csv", delimiter, places, 0 if schema.ragged else width)


def _delimiter_of(top: Sequence[str], schema: Schema) -> str:
    """What is between the cells of these lines: as their header says; without one, what most lines contain.

    Cells below may contain anything: a caption in quotes has lines, TABs and semicolons of its own.
    """
    in_header = [delimiter for delimiter in schema.delimiters if delimiter in top[0]]
    for delimiter in in_header or [","]:
        if _named(_cells_of(top, delimiter), schema).keys() >= {*schema.required}:
            return delimiter
    return guess_delimiter("\n".join(top[:1] if schema.header == "required" else top), schema.delimiters)


def header_of(data: bytes | pa.Table, schema: Schema) -> tuple[str, ...]:
    """The cells of the first row of a delimited file, lower case, whether or not they name its columns."""
    if isinstance(data, pa.Table):
        return tuple(name.strip().lower() for name in data.column_names)
    plain = guarded(Problems(""), partial(unpack, data), b"").removeprefix(b"\xef\xbb\xbf")
    form = form_of(plain[:_HEAD].decode("utf-8", "replace"), replace(schema, header="first"))
    return () if form is None else tuple(cell.lower() for cell in form.header)


def _cells_of(lines: Sequence[str], delimiter: str) -> tuple[str, ...]:
    """The cells of the first row of these lines; a quoted one may hold delimiters and line breaks."""
    cells = lines[0].split(delimiter)
    if '"' in lines[0] and delimiter in ",;":
        with suppress(csv.Error):
            cells = next(csv.reader((f"{line}\n" for line in lines), delimiter=delimiter))
    return tuple(cell.strip().strip('"').strip() for cell in cells)


def _named(cells: Sequence[str], schema: Schema) -> dict[str, int]:
    """Position of each column that a header names."""
    places = {column.name: named(cells, column.names) for column in schema.columns}
    return {name: at for name, at in places.items() if at is not None}


def _places(header: Sequence[str], schema: Schema) -> dict[str, int]:
    """The same; where any name makes a header, with the other required columns at their own positions, if
    these are free."""
    if schema.header == "first":
        return {schema.columns[0].name: place_of_key(header, schema) or 0}
    places = _named(header, schema)
    for at, column in enumerate(schema.columns) if schema.header == "any" else ():
        if column.required and column.name not in places and at not in places.values():
            places[column.name] = at
    return places


def place_of_key(header: Sequence[str], schema: Schema) -> int | None:
    """Position of the first column of a schema in a header of any other names: by its own name, else by
    another that it may have; None without one."""
    own, *_ = names = schema.columns[0].names
    places = (named(header, choice) for choice in ((own,), names))
    return next((place for place in places if place is not None), None)


def _are_spaced(top: Sequence[str], schema: Schema) -> bool:
    """Whether most lines have the cells of the form that is apart by white space."""
    numbers = {column.name for column in schema.columns if column.number}
    last = max((at for at, name in enumerate(schema.spaces) if name in numbers), default=0)

    def is_row(cells: Sequence[str]) -> bool:
        is_wide = len(cells) == len(schema.spaces)
        return is_wide and (cells[1].upper() == "Q0" or parse_float(cells[last]) is not None)

    return bool(schema.spaces) and 2 * sum(is_row(line.split()) for line in top) >= len(top)


def _with_header(rows: Rows, form: Form, line: int, schema: Schema, problems: Problems) -> Rows:
    """The rows of a file, and what is wrong with its header reported; refused where it cannot be used."""
    if not form.header:
        return rows
    rows = replace(rows, header=form.header)
    lower = [cell.lower() for cell in form.header]
    wanted = {name for column in schema.columns for name in column.names}
    twice = next((name for name in lower if name in wanted and lower.count(name) > 1), None)
    if twice is not None:
        message = f"Two columns are called {quoted(twice)}."
        problems.refuse("duplicate-column", message, "Keep one of them.", line=line, value=twice)
    others = [cell for at, cell in enumerate(form.header) if at not in form.places.values()]
    if others and schema.others == "mention":
        n, example = len(others), quoted(others[0])
        message = (
            f"{n} columns are not used, such as {example}." if n > 1 else f"The column {example} is not used."
        )
        problems.warning("unused-column", message, "", line=line, value=others[0], count=n)
    if not rows.rows and schema.no_rows is not None and not problems.n_errors:
        problems.error(*schema.no_rows, line=line)
    return rows


def _read_clean(plain: bytes, breaks: int, form: Form, schema: Schema, file: str) -> Rows | None:
    """All rows of a file in which nothing is irregular, in one go; None for every other."""
    may_be_quoted = form.name == "csv" and form.delimiter != "\t" and b'"' in plain
    if may_be_quoted or form.width < 2 or schema.others == "keep" or b"\0" in plain[:_HEAD]:
        return None
    if not plain[:_HEAD].partition(b"\n")[0].strip():
        return None
    if form.delimiter == " " and _has_wide_gaps(plain):
        plain = plain.replace(b"\t", b" ")
        while b"  " in plain:
            plain = plain.replace(b"  ", b" ")
        plain = plain.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    columns = {str(form.places[c.name]): c for c in schema.columns if c.name in form.places}
    table = _arrow_table(plain, form, columns)
    if table is None or table.num_rows != breaks + (not plain.endswith(b"\n")) - bool(form.header):
        return None
    for at, column in enumerate(table.columns):
        is_coded = pa.types.is_dictionary(column.type) and column.num_chunks
        words = column.chunk(0).dictionary if is_coded else column
        if not pa.types.is_string(words.type) or not len(words):
            continue
        trimmed = pc.utf8_trim_whitespace(words)
        lengths = pc.min_max(pc.binary_length(trimmed)).as_py()
        if lengths["max"] > MAX_LINE or (at == 0 and not lengths["min"]):
            return None  # of a blank line every cell is empty
        if is_coded and not words.equals(trimmed):
            return None  # an id with spaces around it would be taken for another
        if not is_coded:
            table = table.set_column(at, table.column_names[at], trimmed)
    first = 1 + bool(form.header)
    lines = np.arange(first, first + table.num_rows, dtype=np.int64)
    return Rows(table.rename_columns([c.name for c in columns.values()]), lines, form.name, file)


def _arrow_table(plain: bytes, form: Form, columns: Mapping[str, Column]) -> pa.Table | None:
    """The columns of a clean file; an optional one stays text where any of its cells is not a number."""
    texts = pa.dictionary(pa.int32(), pa.string())
    for optional in (pa.float64(), texts):
        kinds = {at: texts if column.coded else pa.string() for at, column in columns.items()}
        for at, column in columns.items():
            if column.number is not None:
                kinds[at] = optional if column.empty is None else pa.float64()
        options = (
            arrow_csv.ReadOptions(
                column_names=[str(at) for at in range(form.width)],
                skip_rows=bool(form.header),
                block_size=1 << 22,
            ),
            arrow_csv.ParseOptions(delimiter=form.delimiter, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), null_values=[], strings_can_be_null=False
            ),
        )
        with suppress(pa.ArrowException):
            table = arrow_csv.read_csv(pa.BufferReader(plain), *options).unify_dictionaries().combine_chunks()
            lenient = [at for at, column in columns.items() if column.lenient and optional != texts]
            if not any(is_odd(table[at].to_numpy(), columns[at]).any() for at in lenient):
                return table
    return None


def _from_text(text: str, schema: Schema, problems: Problems) -> Rows:
    """The rows of any delimited text, every odd line reported."""
    form = form_of(text[:_HEAD], schema)
    if form is None:
        _refuse_form(text, schema, problems)
    line, top = next((n, row) for n, row in enumerate(text[:_HEAD].split("\n"), start=1) if row.strip())
    if form.header and not is_decodable(top, line, problems):
        raise Refused  # the next row would be taken for the header
    kept = records(text, form.delimiter, problems, width=form.width * (form.name == "trec"))
    header = next(kept, None) if form.header else None
    places = list(form.places.items())
    if schema.others == "keep":
        places += [(cell, at) for at, cell in enumerate(form.header) if at not in form.places.values()]
    columns: list[list[str | None]] = [[] for _ in places]
    lines: list[int] = []
    expected = f"The header has {form.width} cells" if form.header else f"A row has {form.width} cells"
    for row in kept:
        n = len(row.cells)
        if n != form.width and form.width and not (schema.short and n < form.width):
            message = f"{expected}, but this row has {n} cell{'s' if n != 1 else ''}; it is left out."
            problems.error("wrong-columns", message, schema.remedy, line=row.line, value=row.cells[0])
            continue
        lines.append(row.line)
        for (_, at), cells in zip(places, columns, strict=True):
            cells.append(row.cells[at] if at < n else None)
        if not len(lines) % _PIECE:
            check_memory(problems, len(lines), schema.row_bytes)
    named_columns = zip([name for name, _ in places], columns, strict=True)
    rows = rows_of(named_columns, problems.file, form.name, lines=lines, coded=schema.coded)
    return _with_header(rows, form, header.line if header is not None else 1, schema, problems)


def _refuse_form(text: str, schema: Schema, problems: Problems) -> NoReturn:
    """A file that is no such table: its header lacks columns, or it has none of the known forms."""
    at, first = next((n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip())
    cells = [cell.strip().strip('"') for cell in first.split(guess_delimiter(text, schema.delimiters))]
    if schema.what:
        message = f"The file is not {schema.what} in a known form."
        problems.refuse("unknown-format", message, _remedy(cells, schema), line=at, value=first)
    missing = [name for name in schema.required if name not in _named(cells, schema)]
    _refuse_header(missing, cells, at, schema, problems)


def _refuse_header(
    missing: Sequence[str], header: Sequence[str], line: int | None, schema: Schema, problems: Problems
) -> NoReturn:
    """A header that does not name all columns that are needed."""
    lacking = " and ".join(", ".join(missing).rsplit(", ", 1))
    message = (
        f"The header must name the columns {', '.join(schema.required)}; {lacking} "
        f"{'is' if len(missing) == 1 else 'are'} not among {truncate(', '.join(header[:8]))}."
    )
    remedy = _remedy(header, schema)
    problems.refuse("wrong-header", message, remedy, line=line, value=header[0] if header else "")


LIKE = 85
"""How similar the name of a column must be to one that is known, of 100."""


def nearly_named(cells: Sequence[str], schema: Schema) -> dict[int, str]:
    """Which cells of a header nearly name the columns that it lacks, by their places.

    Case, blanks, hyphens and the plural do not count, slips of the pen little. None unless there is exactly
    one cell for each column; never one with a digit, as ids have.
    """
    from rapidfuzz import fuzz

    names = {name for column in schema.columns for name in column.names}
    free = {
        at: _simple(cell)
        for at, cell in enumerate(cells)
        if cell.lower() not in names and not any(map(str.isdigit, cell))  # which ids have, as img_1
    }
    result: dict[int, str] = {}
    for column in schema.columns:
        if not column.required or named(cells, column.names) is not None:
            continue
        known = [_simple(name) for name in column.names]
        near = [at for at, cell in free.items() if max(fuzz.ratio(cell, name) for name in known) >= LIKE]
        if len(near) != 1 or near[0] in result:
            return {}
        result[near[0]] = column.name
    return result


def _simple(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold()[:MAX_NAME]).removesuffix("s")


def _remedy(header: Sequence[str], schema: Schema) -> str:
    """What to do about a header that lacks columns: rename those that are nearly called so, if any."""
    new = nearly_named(header[:MAX_CELLS], schema)
    renamed = [f"{quoted(header[at])} to {name}" for at, name in new.items()]
    return f"Rename {' and '.join(renamed)}." if renamed else schema.remedy


# Runs of TREC may be apart by any white space.


def _has_wide_gaps(data: bytes) -> bool:
    """Whether white space stands beside white space, or where the file begins: a cell would be empty."""
    octets = np.frombuffer(data, np.uint8)
    for first in range(0, len(octets), _PIECE):  # small pieces, as fresh memory costs more than looking
        gaps = octets[first : first + _PIECE + 1] <= ord(" ")
        if (gaps[1:] & gaps[:-1]).any() or (first == 0 and gaps[0]):
            return True
    return False


# Other containers.


def _from_table(source: Source, schema: Schema, problems: Problems) -> Rows:
    """The columns of a table in memory or of a parquet file, whose lines are rows counted from 1.

    A file has texts or numbers in them, or lists of these; in memory whatever can be written as a text.
    """
    in_memory = isinstance(source, pa.Table)
    header = tuple(name.strip() for name in parquet_schema(source, problems).names)
    places = (_places if in_memory else _named)(header, schema)
    if missing := [name for name in schema.required if places.get(name, len(header)) >= len(header)]:
        _refuse_header(missing, header, None, schema, problems)
    wanted = list(places.items())
    if in_memory and schema.others == "keep":
        wanted += [(name, at) for at, name in enumerate(header) if at not in places.values()]
    table = read_columns(source, [at for _, at in wanted], problems, row_bytes=schema.row_bytes)
    by_name = {column.name: column for column in schema.columns}
    arrays: list[pa.Array | pa.ChunkedArray] = []
    odd: dict[int, str] = {}
    for (name, _), written, values in zip(wanted, table.column_names, table.columns, strict=True):
        column = by_name.get(name, _OTHER)
        if column.number and is_number(values.type) and not values.null_count:
            arrays.append(values.cast(pa.float64(), safe=False))
            continue
        if not in_memory and not holds_texts(values.type, lists=column.lists):
            message = (
                f"The column {truncate(written)!r} contains {type_name(values.type)}, not texts or numbers."
            )
            problems.refuse("wrong-type", message, "Save it as text.", value=written)
        texts = _texts(values, odd)
        if not (schema.short if in_memory else is_list(values.type)):
            texts = texts.fill_null("")
        arrays.append(texts.dictionary_encode() if column.coded else texts)
    for i in sorted(odd):
        is_decodable(odd[i], i + 1, problems)
    lines, names = np.arange(1, table.num_rows + 1, dtype=np.int64), [name for name, _ in wanted]
    form = "memory" if in_memory else "parquet"
    rows = Rows(pa.table(arrays, names), lines, form, problems.file, header if in_memory else ())
    return rows.where(~np.isin(lines - 1, [*odd])) if odd else rows


def _texts(column: pa.ChunkedArray, odd: dict[int, str]) -> pa.Array:
    """The texts of a column without spaces around them; those of ``odd`` rows, which are added, are null."""
    words, codes = distinct_texts(column)
    words = [word and with_line_feeds(word).strip() for word in words]
    broken = {code for code, word in enumerate(words) if word and not is_whole(word)}
    for i in np.flatnonzero(np.isin(codes, [*broken])).tolist() if broken else ():
        odd[i] = words[codes[i]] or ""
    whole = [None if code in broken else word for code, word in enumerate(words)]
    return pa.array(whole, pa.string()).take(pa.array(codes))


def _from_json(text: str, schema: Schema, problems: Problems) -> Rows:
    """An object of JSON per line, or ``{first: {second: third}}`` where the schema has this form."""
    if schema.nested:
        check_memory(problems, sum(map(text.count, ",[{")), _NODE_BYTES)
    nested = schema.nested and not is_flat(text.lstrip().partition("\n")[0])
    names = [column.name for column in schema.columns[: 3 if nested else None]]
    kept = [*(nested_entries if nested else objects)(text, schema, problems)]
    columns = {
        name: [with_line_feeds(row.cells[at]).strip() for row in kept] for at, name in enumerate(names)
    }
    used = [(name, cells) for name, cells in columns.items() if name in schema.required or any(cells)]
    form, lines = "json" if nested else "jsonl", [row.line for row in kept]
    return rows_of(used, problems.file, form, lines=lines, coded=schema.coded)
