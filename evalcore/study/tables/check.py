"""From texts to checked columns: the good rows of a table, typed; every other is an error by its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables import tables
from evalcore.study.tables.lines import parse_float
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import NOT_A_NUMBER, Column, Rows, Rule, Schema
from evalcore.values.arrays import Bools, Floats


def check(rows: Rows, schema: Schema, problems: Problems) -> Rows:
    """The rows whose cells are what their columns say, each key once; every other is an error by its line.

    Number columns become float64, NaN where a cell is missing.
    """
    bad: _Bad = {}
    for column in (column for column in schema.columns if rows.has(column.name)):
        if column.empty is not None:
            for i in _empty(rows.data[column.name]):
                value = ",".join(_row(rows, i))
                bad.setdefault(i, (column.empty, _filled(column.empty, column.name, value), value))
        if column.number is not None:
            rows = _typed(rows, column, bad, problems)
    if schema.keys:
        for i, first in _repeated(rows, schema.keys, bad):
            value = " ".join(_row(rows, i, schema.keys))
            message = _filled(schema.duplicate, "", value).replace("{first}", str(rows.lines[first]))
            bad[i] = schema.duplicate, message, value
    for i in sorted(bad):
        rule, message, value = bad[i]
        problems.error(rule.rule, message, rule.remedy, line=int(rows.lines[i]), value=value)
    if not bad:
        return rows
    good = np.ones(rows.rows, np.bool_)
    good[list(bad)] = False
    return rows.where(good)


_Bad = dict[int, tuple[Rule, str, str]]
"""The rule that a row breaks, the message about it and the value, by the place of the row."""


def _filled(rule: Rule, column: str, value: str) -> str:
    return rule.message.replace("{column}", column).replace("{value}", tables.quoted(value))


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
    cells = (rows.data[name][i].as_py() for name in names or rows.data.column_names if rows.has(name))
    return ["" if cell is None else str(cell) for cell in cells]


def _typed(rows: Rows, column: Column, bad: _Bad, problems: Problems) -> Rows:
    """The rows with a column as numbers; rows with another cell are added to the bad ones."""
    no_number = column.number or NOT_A_NUMBER
    infinite = column.infinite or no_number
    if pa.types.is_floating(rows.data[column.name].type):
        values = rows.numbers(column.name)
        odd = _is_odd(values, column)
        texts = {i: str(values[i]) for i in np.flatnonzero(odd).tolist()}
        beyond = list(texts)
    else:
        words, codes = rows.codes(column.name)
        parts = [parse_float(word) if word else np.nan for word in words]
        distinct = np.array([np.nan if value is None else value for value in parts], float)
        odd = _is_odd(distinct, column)[codes]
        values = np.where(odd, np.nan, distinct[codes])
        rows = rows.with_column(column.name, values)
        empty = words.index("") if "" in words else -1
        texts = {i: words[codes[i]] for i in np.flatnonzero(odd & (codes != empty)).tolist()}
        beyond = list(texts)
        for i in beyond if not column.lenient else ():
            if parts[codes[i]] is None:
                bad.setdefault(i, (no_number, _filled(no_number, column.name, texts[i]), texts[i]))
    for i in beyond:
        if column.lenient and i not in bad:
            message = _filled(no_number, column.name, texts[i])
            problems.warning(
                no_number.rule, message, no_number.remedy, line=int(rows.lines[i]), value=texts[i]
            )
        elif not column.lenient:
            message = infinite.message.replace("{value}", str(parse_float(texts[i])))
            bad.setdefault(i, (infinite, message, texts[i]))
    return rows


def _is_odd(values: Floats, column: Column) -> Bools:
    """Which values are not finite, or larger than a column may have."""
    odd = ~np.isfinite(values)
    return odd if np.isinf(column.limit) else odd | (np.abs(values) > column.limit)


def _repeated(rows: Rows, keys: Sequence[str], bad: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    """The rows with the keys of an earlier good row, and the first of these."""
    code = np.zeros(rows.rows, np.int64)
    for name in keys:
        if rows.has(name):
            texts, codes = rows.codes(name)
            code = code * (len(texts) + 1) + codes
    good = np.ones(rows.rows, np.bool_)
    good[list(bad)] = False
    places = np.flatnonzero(good)
    _, first, group = np.unique(code[places], return_index=True, return_inverse=True)
    if len(first) == len(places):
        return
    earliest = places[first][group]
    for i, at in zip(places.tolist(), earliest.tolist(), strict=True):
        if i != at:
            yield i, at


def first_of(rows: Rows, names: Sequence[str], *, best: str = "") -> Bools:
    """Which rows are the first with the same cells of these columns, or the first of the highest ``best``."""
    key = np.zeros(rows.rows, np.int64)
    for name in names:
        texts, codes = rows.codes(name)
        key = key * (len(texts) + 1) + codes
    order = np.lexsort((-rows.numbers(best), key)) if best else np.argsort(key, kind="stable")
    good = np.zeros(rows.rows, np.bool_)
    good[order[np.flatnonzero(np.diff(key[order], prepend=-1))]] = True
    return good
