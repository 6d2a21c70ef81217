"""Columns out of parquet files that anybody may have made, and out of tables in memory.

`parquet_schema` tells the names and types of the columns, `read_columns` gives those that are wanted. Parquet
packs a value repeated a billion times into a few bytes, so what a column unpacks to is looked up first.
Texts are read as codes into their distinct values, whatever the number of rows.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from evalcore.study.tables.files import check_memory, check_size
from evalcore.study.tables.problems import Problems, refused, truncate

ROW_BYTES = 150
"""What a row of texts takes in memory once it is read."""
_DAMAGED = (pa.ArrowException, OSError, ValueError)
"""What a damaged file raises; a column name that is not UTF-8 is a ValueError."""
_DAMAGE = "The parquet file is damaged: {why}", "Save or copy it again."
_BATCH = 1 << 16
_CODED = ("STRING", "NONE", "UNKNOWN")
_DICTIONARY = re.compile(r"dictionary<values=(\w+), indices=\w+, ordered=\d>")


Source: TypeAlias = bytes | BinaryIO | pa.Table
"""The content of a parquet file, the file opened in binary mode, or a table in memory."""


def parquet_schema(source: Source, problems: Problems) -> pa.Schema:
    """The names and types of the columns, of nested ones the outermost.

    A name may occur twice. A damaged file is refused ("unreadable-container").
    """
    import pyarrow.parquet as pq  # here, as it takes 8 MB that few studies need

    if isinstance(source, pa.Table):
        return source.schema
    with refused(problems, *_DAMAGE, of=_DAMAGED):
        return pq.read_metadata(_rewound(source)).schema.to_arrow_schema()


def read_columns(
    source: Source, wanted: Sequence[int], problems: Problems, *, row_bytes: int = ROW_BYTES
) -> pa.Table:
    """Some columns by their places, in the order that is wanted, all rows of them.

    ``row_bytes``: what a row takes in memory once the caller has read it.

    Returns
    -------
    table : the columns with the types of the file: texts (mostly as dictionaries; bytes are said to be UTF-8
        and need not be: take them by `distinct_texts`), numbers, lists, or anything else that parquet knows.
        Refused is a damaged file ("unreadable-container"), one where two columns have one of the wanted
        names ("duplicate-column"), and one whose columns or rows would take more memory than a file may
        ("too-large").
    """
    import pyarrow.parquet as pq

    if isinstance(source, pa.Table):
        return source.select(wanted)
    with refused(problems, *_DAMAGE, of=_DAMAGED):
        unpacked, packed = unpacked_bytes(source)
        metadata = pq.read_metadata(_rewound(source))
        leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        coded = [c.path for c in leaves if c.physical_type == "BYTE_ARRAY" and c.logical_type.type in _CODED]
        with pq.ParquetFile(_rewound(source), metadata=metadata, read_dictionary=coded) as file:
            schema, size = file.schema_arrow, 0
            names = list(dict.fromkeys(schema.names[at] for at in wanted))
            if twice := [name for name in names if schema.names.count(name) > 1]:
                message = f"Two columns are called {truncate(twice[0])!r}."
                problems.refuse("duplicate-column", message, "Give each column its own name.", value=twice[0])
            check_size(problems, sum(unpacked[name] for name in names), packed=packed)
            check_memory(problems, metadata.num_rows, max(row_bytes, ROW_BYTES))
            batches = []
            for batch in file.iter_batches(_BATCH, columns=names):
                batches.append(batch)
                size += batch.nbytes
                check_size(problems, size, packed=packed)
            table = pa.Table.from_batches(batches, None if batches else pa.schema(map(schema.field, names)))
            return table.select([schema.names[at] for at in wanted])


def _rewound(source: bytes | BinaryIO) -> Any:
    if isinstance(source, bytes):
        return pa.BufferReader(source)
    source.seek(0)
    return source


def type_name(kind: pa.DataType) -> str:
    """A type as a message names it: texts are texts, however they are held."""
    return truncate(_DICTIONARY.sub(r"\1", str(kind)))


# What the columns unpack to, by the footer.

MAX_FOOTER = 16 << 20
"""Largest footer that is read, in bytes."""
_WIDTHS = (1, 4, 8, 12, 4, 8, 4)
"""Bytes of a value once unpacked, by physical type; a text counts as the code that stands for it."""
_FIXED_LENGTH = 7


def unpacked_bytes(source: bytes | BinaryIO) -> tuple[Counter[str], int]:
    """The bytes each column unpacks to, by its outermost name, and the size of the file in bytes.

    pyarrow is not asked for them. In release 26, as in those before, `RowGroupMetaData.column` ends the whole
    process with an uncaught C++ exception where the statistics of a column contradict its type ("Definition
    level histogram size mismatch"), which one changed byte of a sound footer can do. Everything else it is
    asked here raises as it should. So the footer is walked, written in Thrift's compact protocol
    (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), by the field numbers
    of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.

    ValueError or OSError when the footer is damaged.
    """
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    packed = stream.seek(-8, os.SEEK_END) + 8
    size, mark = int.from_bytes(stream.read(4), "little"), stream.read(4)
    if mark != b"PAR1" or size > MAX_FOOTER:
        raise ValueError("it does not end like a parquet file")
    stream.seek(-8 - size, os.SEEK_END)
    sizes: Counter[str] = Counter()
    try:
        top = _struct(io.BytesIO(stream.read(size)))
        lengths = [element.get(2, 0) for element in top[2] if 1 in element]
        for group in top[4]:
            for chunk, length in zip(group[1], lengths, strict=True):
                column = chunk[3]
                width = max(length, 1) if column[1] == _FIXED_LENGTH else _WIDTHS[column[1]]
                sizes[column[3][0].decode()] += max(column[5] * width, column[6], 0)
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, ValueError) as reason:
        raise ValueError("its list of contents is damaged") from reason
    return sizes, packed


def _struct(footer: BinaryIO) -> dict[int, Any]:
    """The fields of a struct by their numbers."""
    fields: dict[int, Any] = {}
    number = 0
    while head := _take(footer, 1)[0]:
        number = number + (head >> 4) if head >> 4 else _value(footer, 4)
        kind = head & 15
        fields[number] = kind == 1 if kind in (1, 2) else _value(footer, kind)
    return fields


def _value(footer: BinaryIO, kind: int) -> Any:
    if kind in (1, 2, 3):
        return _take(footer, 1)[0]
    if kind in (4, 5, 6):
        number = _length(footer)
        return (number >> 1) ^ -(number & 1)
    if kind in (7, 8):
        return _take(footer, 8 if kind == 7 else _length(footer))
    if kind in (9, 10):
        head = _take(footer, 1)[0]
        n = _length(footer) if head >> 4 == 15 else head >> 4
        return [_value(footer, head & 15) for _ in range(n)]
    if kind == 12:
        return _struct(footer)
    raise LookupError(kind)


def _length(footer: BinaryIO) -> int:
    value = 0
    for shift in range(0, 64, 7):
        byte = _take(footer, 1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise LookupError("too long a number")


def _take(footer: BinaryIO, n: int) -> bytes:
    data = footer.read(n)
    if len(data) < n:
        raise LookupError("cut short")
    return data
