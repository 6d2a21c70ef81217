"""Columns out of parquet files that anybody may have made.

Parquet packs a value repeated a billion times into a few bytes, so what a column unpacks to is looked up
first. Texts are read as codes into their distinct values, whatever their number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evalcore.sources.tables.limits import allowed, fits, report_growth
from evalcore.sources.tables.problems import Problems, shown

DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What a damaged file raises; a name of a column may not be UTF-8."""
ROW_BYTES = 150
"""What a row of texts takes in memory once it is read."""
_CODES = re.compile(r"dictionary<values=(\w+), indices=\w+, ordered=\d>")
_BATCH = 1 << 16
_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
_CODED = ("STRING", "NONE", "UNKNOWN")
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4, "INT64": 8, "DOUBLE": 8}


def open_parquet(source: bytes | BinaryIO, *, coded: bool = True) -> pq.ParquetFile:
    """A parquet file, nothing of it unpacked yet; raises what pyarrow raises when it is none.

    ``coded``: columns of texts come as codes and distinct texts.
    """
    stream: Any = pa.BufferReader(source) if isinstance(source, bytes) else source
    metadata = pq.read_metadata(stream)
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    texts = [
        c.path for c in columns if coded and c.physical_type == "BYTE_ARRAY" and c.logical_type.type in _CODED
    ]
    stream.seek(0)
    return pq.ParquetFile(stream, metadata=metadata, read_dictionary=texts)


def columns_of(
    opened: pq.ParquetFile, wanted: Iterable[int], packed: int, found: Problems
) -> dict[int, pa.ChunkedArray] | None:
    """Columns by their places in the schema.

    None with an error when two of the columns share a name, or when they would unpack to more than a
    file of ``packed`` bytes may.
    """
    names, places = opened.schema_arrow.names, list(wanted)
    twice = next((names[i] for i in places if names.count(names[i]) > 1), None)
    if twice is not None:
        message = f"Two columns are called {shown(twice)!r}."
        found.error("duplicate-column", message, "Give each column its own name.", value=twice)
        return None
    most, tops = allowed(packed), {names[i] for i in places}
    if unpacked(opened.metadata, tops, range(opened.metadata.num_row_groups)) > most:
        report_growth(found, packed)
        return None
    if not fits(found, opened.metadata.num_rows, ROW_BYTES):
        return None
    batches = []
    for batch in opened.iter_batches(_BATCH, columns=sorted(tops)):
        batches.append(batch)
        most -= batch.nbytes
        if most < 0:
            report_growth(found, packed)
            return None
    schema = pa.schema([opened.schema_arrow.field(i) for i in sorted(places)])
    table = pa.Table.from_batches(batches, None if batches else schema)
    return {i: table.column(names[i]) for i in places}


def texts_of(column: pa.ChunkedArray) -> list[str | None] | None:
    """Texts of a column of texts or numbers; None when it holds anything else, such as dates.

    Bytes that are not UTF-8 come back as lone surrogates.
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind):
        return [None] * len(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return [None if value is None else str(value) for value in column.to_pylist()]
    if kind not in _TEXTS:
        return None
    found: list[str | None] = []
    once: dict[str, str] = {}
    for chunk in column.chunks:
        coded = chunk
        if not pa.types.is_dictionary(chunk.type):
            coded = chunk.cast(pa.large_binary()).dictionary_encode()
        raw = coded.dictionary.cast(pa.large_binary()).to_pylist()
        texts = (None if word is None else word.decode("utf-8", "surrogateescape") for word in raw)
        words = [None if word is None else once.setdefault(word, word) for word in texts]
        codes = pc.min_max(coded.indices).as_py()
        if codes["max"] is not None and not 0 <= codes["min"] <= codes["max"] < len(words):
            raise pa.ArrowInvalid("its list of texts is incomplete")
        found += [None if code is None else words[code] for code in coded.indices.to_pylist()]
    return found


def lists_of(column: pa.ChunkedArray) -> list[Sequence[str | None] | None] | None:
    """Lists of texts of a column; None when it holds anything else."""
    if not is_list(column.type):
        return None
    found: list[Sequence[str | None] | None] = []
    for chunk in column.chunks:
        words = texts_of(pa.chunked_array([chunk.flatten()]))
        if words is None:
            return None
        at = 0
        for size, missing in zip(
            pc.list_value_length(chunk).to_pylist(), chunk.is_null().to_pylist(), strict=True
        ):
            found.append(None if missing else words[at : at + size])
            at += 0 if missing else size
    return found


def numbers_of(columns: Sequence[pa.ChunkedArray]) -> np.ndarray | None:
    """Columns of numbers side by side; None when one holds anything else."""
    kinds = [column.type for column in columns]
    if not all(pa.types.is_integer(k) or pa.types.is_floating(k) or pa.types.is_boolean(k) for k in kinds):
        return None
    return np.column_stack([column.to_numpy() for column in columns])


def in_words(kind: pa.DataType) -> str:
    """A type as a message names it: texts are texts, however they are held."""
    return shown(_CODES.sub(r"\1", str(kind)))


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def unpacked(metadata: pq.FileMetaData, tops: set[str], groups: Iterable[int]) -> int:
    """Bytes the columns of these names hold in these row groups: their values, and the pages they are in."""
    total = 0
    for group in groups:
        row_group: Any = metadata.row_group(group)
        for i in range(row_group.num_columns):
            chunk = row_group.column(i)
            path = chunk.path_in_schema
            if path in tops or path.partition(".")[0] in tops:
                width = _WIDTHS.get(chunk.physical_type) or max(metadata.schema.column(i).length, 16)
                total += max(chunk.num_values * width, chunk.total_uncompressed_size, 0)
    return total
