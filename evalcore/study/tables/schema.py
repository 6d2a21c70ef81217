"""What a table must be (`Schema`), what was read of it (`Rows`), and which of its rows are good (`check`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables.files import parse_float
from evalcore.study.tables.problems import Problems, Rule
from evalcore.values.arrays import Bools, Floats, Ints, Offsets
from evalcore.values.concept_scheme import read_as, recognised
from evalcore.values.writing import words

EMPTY_CELL = Rule(
    "empty-cell", "The row has no {column}; it is left out.", "Fill the cell, or delete the row."
)
MISSING_ID = Rule(
    "missing-id", "The row has no image id; it is left out.", "Write the id in its column, or delete the row."
)
NOT_A_NUMBER = Rule(
    "not-a-number", "The {column} '{value}' is not a number; the row is left out.", "Write a number."
)
DUPLICATE_ID = Rule(
    "duplicate-id",
    "The image '{value}' is already on line {first}; this row is left out.",
    "Keep one row per image.",
)
NO_ROWS = Rule("no-rows", "There is no row below the header.", "Add one row per line.")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the header names it may have (lower case, the first its own), and what its cells must be.

    ``required``: a table without it cannot be used. ``empty``: the rule of an empty cell, None where it may
    be empty. ``number``: the rule of a cell that is no number; ``infinite``: that of NaN and infinite ones,
    by default the same; ``limit``: the largest absolute value. ``lenient``: a cell that is no number counts
    as missing, in a warning. ``coded``: texts that repeat, such as ids, kept as codes. ``lists``: a parquet
    file may have lists of texts in it, which are joined by ";".
    """

    names: tuple[str, ...]
    required: bool = True
    empty: Rule | None = EMPTY_CELL
    number: Rule | None = None
    infinite: Rule | None = None
    limit: float = np.inf
    lenient: bool = False
    coded: bool = False
    lists: bool = False

    @property
    def name(self) -> str:
        return self.names[0]


IMAGE = Column(
    words(
        """
        id, ids, image, image_id, imageid, image_name, img, img_id, filename, file_name, file, name, figure,
        figure_id
        """
    ),
    empty=MISSING_ID,
)
"""The column that holds the id of an image."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A kind of table.

    Parameters
    ----------
    columns : in the order of a file without header.
    remedy : what to write, for a file of another form.
    what : what such a file is called, "a run", where it has forms without header.
    header : "required": every file has one. "optional": a first row that names all required columns is one.
        "any": a first row that names any of them is one. "first": the first row is one, whatever it names.
    positional : whether a first row may begin a file without header, by its cells.
    widths : how many cells the rows of a file without header may have; those of the first row by default.
    ragged : whether rows may have any number of cells.
    short : whether a row may end early; the missing cells are null, not empty.
    spaces : the columns of a form without header whose cells are apart by white space, as TREC's; "" for
        those that are not read.
    nested : whether JSON ``{first: {second: third}}`` is such a table, by the first three columns.
    keys : the columns that identify a row; ``duplicate``: the rule of a second row with the same.
    others : columns of other names are ignored, mentioned in a warning, or kept under their names.
    delimiters : which may be between cells, the preferred first.
    no_rows : the rule of a header without a row below it; None where that is no problem.
    row_bytes : what a row takes in memory once it is read.
    """

    columns: tuple[Column, ...]
    remedy: str
    what: str = ""
    header: Literal["required", "optional", "any", "first"] = "required"
    positional: Callable[[Sequence[str]], bool] = lambda _cells: True
    widths: tuple[int, ...] = ()
    ragged: bool = False
    short: bool = False
    spaces: tuple[str, ...] = ()
    nested: bool = False
    keys: tuple[str, ...] = ()
    duplicate: Rule = DUPLICATE_ID
    others: Literal["ignore", "mention", "keep"] = "ignore"
    delimiters: str = "\t,;"
    no_rows: Rule | None = None
    row_bytes: int = 64

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    @property
    def coded(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.coded)


# What was read.


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a table in the order of their source.

    ``data``: columns by their own names. ``lines``: where each row begins in the file, 1-based, int64 (n,).
    ``format``: "csv", "trec", "json", "jsonl" or "parquet". ``header``: the cells of the first row if it is
    one.
    """

    data: pa.Table
    lines: Offsets
    format: str
    file: str
    header: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.lines)

    def has(self, name: str) -> bool:
        return name in self.data.column_names

    def texts(self, name: str) -> list[str]:
        """The texts of a column; "" for a cell that is null, as one that a short row does not have, and for a
        column that the table does not have."""
        if not self.has(name):
            return [""] * self.rows
        if not pa.types.is_dictionary(self.data[name].type):
            return [cell or "" for cell in self.data[name].to_pylist()]
        texts, codes = self.codes(name)
        return [texts[code] for code in codes.tolist()]

    def codes(self, name: str) -> tuple[tuple[str, ...], Ints]:
        """The distinct texts of a column ("" for null), and the place of each row's text, int32 (n,)."""
        column = self.data[name]
        if column.null_count:
            column = pc.fill_null(column, "")
        if not pa.types.is_dictionary(column.type):
            column = pc.dictionary_encode(column)
        whole = column.unify_dictionaries().combine_chunks()
        return tuple(whole.dictionary.to_pylist()), whole.indices.to_numpy().astype(np.int32, copy=False)

    def numbers(self, name: str) -> Floats:
        """A checked column of numbers, NaN where a cell is missing, float64 (n,)."""
        values: Floats = self.data[name].to_numpy()
        return values

    def where(self, rows: Bools | Ints) -> Rows:
        """Some of the rows: by a mask, or by their places."""
        if rows.dtype == np.bool_:
            if rows.all():
                return self
            rows = np.flatnonzero(rows).astype(np.int32)
        data = self.data.take(pa.array(rows))
        for at, column in enumerate(data.columns):
            if pa.types.is_dictionary(column.type):  # without the texts that no row has any more
                texts = column.cast(pa.string()).dictionary_encode()
                data = data.set_column(at, data.column_names[at], texts)
        return replace(self, data=data, lines=self.lines[rows])


def rows_of(
    columns: Iterable[tuple[str, Sequence[str | None]]],
    file: str,
    form: str = "memory",
    *,
    lines: Sequence[int] | None = None,
    coded: Collection[str] = (),
) -> Rows:
    """Columns of texts as rows of a table, those of repeated texts (``coded``) as codes.

    ``lines``: where each row begins; by default they are counted from 1.
    """
    texts = [(name, pa.array(cells, pa.string())) for name, cells in columns]
    arrays = [column.dictionary_encode() if name in coded else column for name, column in texts]
    data = pa.table(arrays, names=[name for name, _ in texts])
    places = range(1, data.num_rows + 1) if lines is None else lines
    return Rows(data, np.array(places, np.int64), form, file)


def no_rows(file: str, schema: Schema) -> Rows:
    """A table nothing of which can be read."""
    kinds = {c.name: pa.float64() if c.number else pa.string() for c in schema.columns if c.required}
    columns = {name: pa.array([], kind) for name, kind in kinds.items()}
    return Rows(pa.table(columns), np.empty(0, np.int64), "", file)


# From texts to checked columns: every row that is not as its schema says is an error by its line.


def check(rows: Rows, schema: Schema, problems: Problems) -> Rows:
    """The rows whose cells are what their columns say, each key once; every other is an error by its line.

    Number columns become float64, NaN where a cell is missing.
    """
    bad: _Bad = {}
    for column in (column for column in schema.columns if rows.has(column.name)):
        for i in _empty(rows.data[column.name]) if column.empty is not None else ():
            bad.setdefault(i, (column.empty or EMPTY_CELL, ",".join(_row(rows, i)), column.name))
        if column.number is not None:
            rows = _typed(rows, column, bad, problems)
    good = np.delete(np.arange(rows.rows, dtype=np.int32), [*bad])
    if schema.keys:
        first = good[_first(_codes_of(rows, schema.keys)[good])]
        for i, at in zip(good[first != good].tolist(), first[first != good].tolist(), strict=True):
            bad[i] = schema.duplicate, " ".join(_row(rows, i, schema.keys)), str(rows.lines[at])
        good = good[first == good]
    for i in sorted(bad):
        rule, value, word = bad[i]
        problems.error(*rule, line=int(rows.lines[i]), value=value, column=word, first=word)
    return rows.where(good) if bad else rows


_Bad = dict[int, tuple[Rule, str, str]]
"""The rule that a row breaks, the value, and the column or the line of an earlier row, by the place of the
row."""


def _empty(column: pa.ChunkedArray) -> list[int]:
    """The rows whose cell is empty."""
    if pa.types.is_floating(column.type):
        return []
    if pa.types.is_dictionary(column.type):
        if not any(pc.any(pc.equal(chunk.dictionary, "")).as_py() for chunk in column.chunks):
            return []
        column = column.cast(pa.string())
    return np.flatnonzero(pc.equal(column, "").fill_null(False).to_numpy()).tolist()


def _row(rows: Rows, i: int, names: Sequence[str] = ()) -> list[str]:
    columns = [rows.data[name] for name in names if rows.has(name)] if names else rows.data.columns
    cells = (column[i].as_py() for column in columns)  # two columns of a file may have one name
    return ["" if cell is None else str(cell) for cell in cells]


def _typed(rows: Rows, column: Column, bad: _Bad, problems: Problems) -> Rows:
    """The rows with a column as numbers; rows with another cell are added to the bad ones."""
    no_number = column.number or NOT_A_NUMBER
    infinite = column.infinite or no_number
    if pa.types.is_floating(rows.data[column.name].type):
        values = rows.numbers(column.name)
        odd = is_odd(values, column)
        texts = {i: str(values[i]) for i in np.flatnonzero(odd).tolist()}
    else:
        words, codes = rows.codes(column.name)
        parts = [parse_float(word) if word else np.nan for word in words]
        distinct = np.array([np.nan if value is None else value for value in parts], float)
        odd = is_odd(distinct, column)[codes]
        values = np.where(odd, np.nan, distinct[codes])
        at = rows.data.column_names.index(column.name)
        rows = replace(rows, data=rows.data.set_column(at, column.name, pa.array(values)))
        empty = words.index("") if "" in words else -1
        texts = {i: words[codes[i]] for i in np.flatnonzero(odd & (codes != empty)).tolist()}
    for i, text in texts.items():
        if i in bad:
            continue
        if column.lenient:
            problems.warning(*no_number, line=int(rows.lines[i]), value=text, column=column.name)
        else:
            bad[i] = no_number if parse_float(text) is None else infinite, text, column.name
    return rows


def is_odd(values: Floats, column: Column) -> Bools:
    """Which values are not finite, or larger than a column may have."""
    odd = ~np.isfinite(values)
    return odd if np.isinf(column.limit) else odd | (np.abs(values) > column.limit)


def _first(codes: Offsets, best: Floats | None = None) -> npt.NDArray[np.intp]:
    """For each row the place of the first of the same code, or of the first with the highest ``best``."""
    order = np.argsort(codes, kind="stable") if best is None else np.lexsort((-best, codes))
    heads = np.diff(codes[order], prepend=-1) != 0
    first = np.empty(len(codes), np.intp)
    first[order] = order[heads][np.cumsum(heads) - 1]
    return first


def _codes_of(rows: Rows, names: Sequence[str]) -> Offsets:
    """A number for each row, the same for rows with the same cells of these columns."""
    result = np.zeros(rows.rows, np.int64)
    for name in filter(rows.has, names):
        texts, codes = rows.codes(name)
        result = result * (len(texts) + 1) + codes
    return result


def first_of(rows: Rows, names: Sequence[str], *, best: str) -> Bools:
    """Which rows are those of the highest ``best`` with the same cells of these columns, of equal ones the
    first."""
    return np.equal(_first(_codes_of(rows, names), rows.numbers(best)), np.arange(rows.rows))


# The top of a table, by which the part of a study that it is can be recognised.


@dataclass(frozen=True, slots=True)
class Sample:
    """The top of a table.

    ``header``: its first row in lower case. ``columns``: the cells of each column below it, or those of the
    first row where it is the only one.
    """

    file: str
    header: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return len(self.columns)

    def named(self, schema: Schema) -> int:
        """How many columns of a schema the header names; 0 where a required one is missing."""
        named = {column.name for column in schema.columns if not {*column.names}.isdisjoint(self.header)}
        return len(named) if named >= {*schema.required} else 0

    def has_concepts(self, at: int) -> bool:
        """Whether most cells of a column are identifiers of concepts, one or several."""
        return at < self.width and are_concepts(self.columns[at])

    def has_numbers(self, at: int) -> bool:
        """Whether all cells of a column are numbers."""
        values = map(parse_float, self.columns[at]) if at < self.width else (None,)
        return all(value is not None and value == value for value in values)

    @property
    def has_ids(self) -> bool:
        """Whether the header says that the first column holds ids of images, and there are others."""
        return self.header[0] in IMAGE.names and self.width > 1

    @property
    def names_ids(self) -> bool:
        """Whether the header says that any column holds ids of images, and there are others."""
        return not {*IMAGE.names}.isdisjoint(self.header) and self.width > 1


def are_concepts(cells: Iterable[str]) -> bool:
    """Whether most of these cells are identifiers of concepts, one or several."""
    values = [value.strip() for cell in cells for value in re.split("[;,|]", cell) if value.strip()]
    scheme = recognised(values)
    return 2 * sum(read_as(value, scheme) is not None for value in values) > len(values)
