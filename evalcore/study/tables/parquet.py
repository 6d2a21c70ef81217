"""Columns out of parquet files that anybody may have made.

Parquet packs a value repeated a billion times into a few bytes, so what a column unpacks to is looked up
first. Texts are read as codes into their distinct values, whatever their number of rows.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.tables.limits import allowed, fits, report_growth
from evalcore.study.tables.problems import Problems, shown
from evalcore.study.tables.tables import named

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# How much the columns of a parquet file unpack to, by the list of contents at its end.
#
# pyarrow knows the same, but asked for it of a damaged file it ends the whole process. The list is written
# in Thrift's compact protocol: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-
# protocol.md, its fields are those of https://github.com/apache/parquet-
# format/blob/master/src/main/thrift/parquet.thrift.

MAX_FOOTER = 16 << 20
"""Largest list of contents that is read, in bytes."""
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 4}
"""Bytes of a value once unpacked, by physical type; a text counts as the code that stands for it."""
_FIXED_LENGTH = 7


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column within a row group: the path of its name, and the bytes it unpacks to."""

    path: tuple[str, ...]
    unpacked: int


def chunks_of(stream: BinaryIO) -> list[Chunk]:
    """All columns of all row groups of a parquet file, in order; ValueError when its footer is damaged."""
    stream.seek(-8, os.SEEK_END)
    size, mark = int.from_bytes(stream.read(4), "little"), stream.read(4)
    if mark != b"PAR1" or size > MAX_FOOTER:
        raise ValueError("it does not end like a parquet file")
    stream.seek(-8 - size, os.SEEK_END)
    try:
        top = _Compact(stream.read(size)).struct()
        lengths = [element.get(2, 0) for element in top[2] if 1 in element]
        return [_chunk(column[3], lengths[at]) for group in top[4] for at, column in enumerate(group[1])]
    except (LookupError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as reason:
        raise ValueError("its list of contents is damaged") from reason


def _chunk(about: dict[int, Any], length: int) -> Chunk:
    width = max(length, 1) if about[1] == _FIXED_LENGTH else _WIDTHS[about[1]]
    path = tuple(part.decode() for part in about[3])
    return Chunk(path, max(about[5] * width, about[6], 0))


class _Compact:
    """Values of Thrift's compact protocol, one after the other; structs by field number."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self) -> dict[int, Any]:
        result: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            result[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return result

    def _value(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind in (7, 8):
            return self._bytes(8 if kind == 7 else self._length())
        if kind in (9, 10):
            head = self._byte()
            n = self._length() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15) for _ in range(n)]
        if kind == 11:
            n = self._length()
            kinds = self._byte() if n else 0
            return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(n)]
        if kind == 12:
            return self.struct()
        raise LookupError(kind)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _length(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise LookupError("too long a number")

    def _whole(self) -> int:
        value = self._length()
        return (value >> 1) ^ -(value & 1)

    def _bytes(self, n: int) -> bytes:
        self._at += n
        if self._at > len(self._data):
            raise LookupError("cut short")
        return self._data[self._at - n : self._at]


DAMAGED = (pa.ArrowException, OSError, ValueError)
"""What a damaged file raises; a name of a column that is not UTF-8 is a ValueError."""
ROW_BYTES = 150
"""What a row of texts takes in memory once it is read."""
_CODES = re.compile(r"dictionary<values=(\w+), indices=\w+, ordered=\d>")
_BATCH = 1 << 16
_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
_CODED = ("STRING", "NONE", "UNKNOWN")


@dataclass(frozen=True, slots=True)
class Table:
    """An open parquet file, the chunks of its columns, and its size in bytes."""

    opened: pq.ParquetFile
    chunks: Sequence[Chunk]
    packed: int

    @property
    def names(self) -> list[str]:
        """Names of the columns, of nested ones the outermost."""
        return list(self.opened.schema_arrow.names)

    def unpacked(self, names: Collection[str]) -> int:
        """Bytes the columns of these names unpack to."""
        return sum(chunk.unpacked for chunk in self.chunks if chunk.path[0] in names)


@contextmanager
def open_parquet(source: bytes | BinaryIO) -> Iterator[Table]:
    """A parquet file, nothing of it unpacked yet; raises one of ``DAMAGED`` when it is none."""
    import pyarrow.parquet as pq  # here, as it takes 8 MB that few studies need

    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    chunks, packed = chunks_of(stream), stream.seek(0, os.SEEK_END)
    stream.seek(0)
    again: Any = pa.BufferReader(source) if isinstance(source, bytes) else stream
    metadata = pq.read_metadata(again)
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    texts = [c.path for c in columns if c.physical_type == "BYTE_ARRAY" and c.logical_type.type in _CODED]
    again.seek(0)
    with pq.ParquetFile(again, metadata=metadata, read_dictionary=texts) as opened:
        yield Table(opened, chunks, packed)


def columns_of(table: Table, wanted: Iterable[int], problems: Problems) -> dict[int, pa.ChunkedArray] | None:
    """Columns by their places in the schema.

    None with an error when two of the columns share a name, or when they would unpack to more than the
    file may.
    """
    names, places = table.names, list(wanted)
    times = Counter(names)
    twice = next((names[i] for i in places if times[names[i]] > 1), None)
    if twice is not None:
        message = f"Two columns are called {shown(twice)!r}."
        problems.error("duplicate-column", message, "Give each column its own name.", value=twice)
        return None
    most, tops = allowed(table.packed), {names[i] for i in places}
    if table.unpacked(tops) > most:
        report_growth(problems, table.packed)
        return None
    if not fits(problems, table.opened.metadata.num_rows, ROW_BYTES):
        return None
    batches = []
    for batch in table.opened.iter_batches(_BATCH, columns=sorted(tops)):
        batches.append(batch)
        most -= batch.nbytes
        if most < 0:
            report_growth(problems, table.packed)
            return None
    whole = table.opened.schema_arrow  # made anew whenever it is asked for
    schema = pa.schema([whole.field(i) for i in sorted(places)])
    read = pa.Table.from_batches(batches, None if batches else schema)
    return {i: read.column(names[i]) for i in places}


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
    result: list[str | None] = []
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
        result += [None if code is None else words[code] for code in coded.indices.to_pylist()]
    return result


def lists_of(column: pa.ChunkedArray) -> list[Sequence[str | None] | None] | None:
    """Lists of texts of a column; None when it holds anything else."""
    if not is_list(column.type):
        return None
    result: list[Sequence[str | None] | None] = []
    for chunk in column.chunks:
        words = texts_of(pa.chunked_array([chunk.flatten()]))
        if words is None:
            return None
        at = 0
        for size, missing in zip(
            pc.list_value_length(chunk).to_pylist(), chunk.is_null().to_pylist(), strict=True
        ):
            result.append(None if missing else words[at : at + size])
            at += 0 if missing else size
    return result


def numbers_of(columns: Sequence[pa.ChunkedArray]) -> np.ndarray | None:
    """Columns of numbers side by side; None when one holds anything else."""
    kinds = [column.type for column in columns]
    if not all(pa.types.is_integer(k) or pa.types.is_floating(k) or pa.types.is_boolean(k) for k in kinds):
        return None
    return np.column_stack([column.to_numpy() for column in columns])


def named_texts(
    data: bytes, wanted: Mapping[str, Collection[str]], problems: Problems, row_bytes: int = ROW_BYTES
) -> dict[str, list[str | None]] | None:
    """Columns of texts or numbers of a whole file by what they are: the names each may have, lower case.

    Columns that are not there, and those of another type, with an error, are left out. None, with an error,
    for a file that is damaged or unpacks to more than it may; ``row_bytes``: of a row once it is read.
    """
    try:
        with open_parquet(data) as table:
            if not fits(problems, table.opened.metadata.num_rows, row_bytes):
                return None
            names = table.names
            places = {key: at for key, known in wanted.items() if (at := named(names, known)) is not None}
            columns = columns_of(table, places.values(), problems)
            if columns is None:
                return None
            texts = {key: texts_of(columns[at]) for key, at in places.items()}
            for key, at in places.items():
                if texts[key] is None:
                    kind = in_words(columns[at].type)
                    message = f"The column {shown(names[at])!r} contains {kind}, not texts or numbers."
                    problems.error("wrong-type", message, "Save it as text.", value=names[at])
            return {key: of for key, of in texts.items() if of is not None}
    except DAMAGED as reason:
        text = shown(str(reason).partition("\n")[0])
        problems.error("unreadable-container", f"The parquet file is damaged: {text}", "Download it again.")
        return None


def in_words(kind: pa.DataType) -> str:
    """A type as a message names it: texts are texts, however they are held."""
    return shown(_CODES.sub(r"\1", str(kind)))


def is_list(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
