"""How much the columns of a parquet file unpack to, by the list of contents at its end.

pyarrow knows the same, but asked for it of a damaged file it ends the whole process. The list is written in
Thrift's compact protocol: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md,
its fields are those of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO

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
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return found

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
