"""What people have in memory (DataFrames, mappings, rows, arrays) as tables: columns with names, rows from 1.

A DataFrame is anything with ``columns`` and ``to_numpy`` (pandas), or that becomes one by ``to_pandas``
(polars, pyarrow) or ``to_dataframe`` (ranx). Columns keep their types until a reader takes texts of them
(`distinct_texts`): ids may be numbers; floats without fractions, as pandas makes of integers with gaps, are
integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables.schema import IMAGE
from evalcore.values.arrays import Ints


def frame_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Rows of values as texts; a row may end early."""
    cells = [[text_of(value) for value in row] for row in rows]
    columns = ([row[at] if at < len(row) else None for row in cells] for at in range(len(names)))
    return pa.table([pa.array(column, pa.string()) for column in columns], names=list(names))


def frame_of(value: Any) -> pa.Table | None:
    """The columns of a DataFrame by their own names; None for any other object."""
    table = as_pandas(value)
    if table is None:
        return None
    columns = [column_of(table.iloc[:, at]) for at in range(len(table.columns))]
    return pa.table(columns, names=[str(name) for name in table.columns])


def column_of(values: Any) -> pa.Array | pa.ChunkedArray:
    """Values in memory as an Arrow column of their own type, null for missing ones; NaN stays in an array of
    floats. Values of several types become texts."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if getattr(array, "dtype", np.dtype(object)).kind == "f":
        return pa.array(np.asarray(array, np.float64))
    try:
        return pa.array(array, from_pandas=True)
    except (pa.ArrowException, TypeError):
        return pa.array([text_of(value) for value in array], pa.string())


def text_of(value: Any) -> str | None:
    """A value as a cell; None for an empty cell, lists joined by ";".

    >>> [text_of(value) for value in ("a", None, float("nan"), 3.0, np.float32(0.5), ["CT", "MR"])]
    ['a', None, None, '3', '0.5', 'CT;MR']
    """
    if isinstance(value, str):
        return with_line_feeds(value)
    if is_missing(value):
        return None
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if float(value).is_integer() else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple, np.ndarray)):
        return ";".join(text_of(item) or "" for item in value)
    return str(value)


def with_line_feeds(text: str) -> str:
    """A text whose lines end as those of files do."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, and those of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def holds_texts(kind: pa.DataType, *, lists: bool = False) -> bool:
    """Whether cells are texts, numbers or nothing; with ``lists``, or lists of these."""
    if is_list(kind):
        return lists and holds_texts(kind.value_type)
    kind = _values_of(kind)
    return bool(pa.types.is_null(kind)) or is_number(kind) or kind in _TEXTS


def _values_of(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def distinct_texts(column: pa.ChunkedArray) -> tuple[list[str | None], Ints]:
    """Texts in a column of any type, as `text_of` has them, and the place of each row's, int32 (n,).

    Of a column of texts each is there once; bytes that are not UTF-8 come back as lone surrogates.
    """
    if is_list(column.type):
        items = [chunk.flatten() for chunk in column.chunks]
        words, codes = distinct_texts(pa.chunked_array(items, column.type.value_type))
        rest, lengths = iter(codes.tolist()), pc.list_value_length(column).to_pylist()
        joined = (n if n is None else ";".join(words[i] or "" for i in islice(rest, n)) for n in lengths)
        return [*joined], np.arange(len(column), dtype=np.int32)
    if _values_of(column.type) not in _TEXTS:
        texts = [text_of(value) for value in column.to_pylist()]
        return texts, np.arange(len(texts), dtype=np.int32)
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.large_binary()).dictionary_encode()
    for chunk in column.chunks:
        codes = pc.min_max(chunk.indices).as_py()
        if codes["max"] is not None and not 0 <= codes["min"] <= codes["max"] < len(chunk.dictionary):
            raise pa.ArrowInvalid("its list of texts is incomplete")
    whole = column.unify_dictionaries().combine_chunks()
    words = whole.dictionary.cast(pa.large_binary()).to_pylist()
    texts = [None if word is None else word.decode("utf-8", "surrogateescape") for word in words]
    codes = whole.indices.fill_null(len(texts)).to_numpy().astype(np.int32, copy=False)
    return [*texts, None], codes


def as_pandas(value: Any) -> Any:
    """The pandas DataFrame of an object that is, or becomes, one, its index among the columns where that has
    names or holds texts; None for anything else."""
    if not is_frame(value) and hasattr(value, "to_dataframe"):
        value = value.to_dataframe()
    if hasattr(value, "to_pandas"):
        value = value.to_pandas()
    if not is_frame(value):
        return None
    names = [name for name in value.index.names if name is not None]
    if names:
        return value if set(names) & set(value.columns) else value.reset_index()
    has_ids = any(str(column).strip().lower() in IMAGE.names for column in value.columns)
    return value if has_ids or value.index.dtype.kind in "iuf" else value.rename_axis("ID").reset_index()


def columns_called(table: Any, names: Sequence[str]) -> list[Any]:
    """The columns of a DataFrame called by one of these names, in the order of the names."""
    by_name = {str(column).strip().lower(): column for column in reversed(list(table.columns))}
    return [by_name[name] for name in names if name in by_name]


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def items(value: Any) -> list[tuple[Any, Any]]:
    """(key, value) of a mapping, or of a pandas Series; TypeError for anything else."""
    if hasattr(value, "to_dict") and not isinstance(value, Mapping):
        value = value.to_dict()
    if not isinstance(value, Mapping):
        raise TypeError("it is neither a table nor a mapping")
    return list(value.items())
