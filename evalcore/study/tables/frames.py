"""What people have in memory (DataFrames, mappings, rows, arrays) as tables: columns with names, rows from 1.

A DataFrame is anything with ``columns`` and ``to_numpy`` (pandas), or that becomes one by ``to_pandas``
(polars, pyarrow) or ``to_dataframe`` (ranx). Ids may be numbers; floats without fractions, as pandas makes of
integers with gaps, are integers. Columns of numbers stay numbers; texts are null where a cell is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.study.tables.schema import IMAGE


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
    columns = [
        numbers_of(column) if column.dtype.kind == "f" else texts_of(column)
        for column in (table.iloc[:, at] for at in range(len(table.columns)))
    ]
    return pa.table(columns, names=[str(name) for name in table.columns])


def text_of(value: Any) -> str | None:
    """A value as a cell; None where there is none, lists joined by ";".

    >>> [text_of(value) for value in ("a", None, float("nan"), 3.0, np.float32(0.5), ["CT", "MR"])]
    ['a', None, None, '3', '0.5', 'CT;MR']
    """
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
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


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, and those of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def texts_of(values: Any) -> pa.Array:
    """Ids or words as Arrow texts, null for missing ones."""
    column = values
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        column = values.to_numpy() if hasattr(values, "to_numpy") else values
        try:
            column = pa.array(column, from_pandas=True)
        except (pa.ArrowException, TypeError):  # of several types
            column = pa.array([text_of(value) for value in column], pa.string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if (
        pa.types.is_string(column.type)
        or pa.types.is_integer(column.type)
        or pa.types.is_large_string(column.type)
    ):
        return column.cast(pa.string())
    return pa.array([text_of(value) for value in column.to_pylist()], pa.string())


def numbers_of(values: Any) -> pa.Array:
    """Numbers as float64, or as the texts they are, of which a reader says which are no numbers."""
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    return pa.array(array.astype(np.float64)) if array.dtype.kind in "fiu" else texts_of(values)


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
