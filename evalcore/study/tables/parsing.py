"""A file that was just parsed is not parsed again: its value is known by the content, not by name or date.

An upload is parsed for its check and read again when the study opens; a study that opens anew after a change
reads again only what changed.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeVar

from evalcore.study.tables.limits import MAX_RATIO, RATIO_FROM, max_bytes
from evalcore.study.tables.lines import open_file, read_plain, report_open_end, report_unopened
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
from evalcore.values.stores import Store, size_of

Value = TypeVar("Value")
ROOM = 64 << 20
"""Bytes of parsed files that are kept; a file that takes more is parsed whenever it is read."""

_KEPT: Store[tuple[str, Any, Report]] = Store(ROOM, on_server=16 << 20)


def parse_once(
    parse: Callable[..., tuple[Value, Report]], data: Any, *, file: str, **options: Any
) -> tuple[Value, Report]:
    """What ``parse(data, file=file, **options)`` gives, from the store when it was asked for before.

    ``options`` must be hashable, or lists; None counts as not given. Kept is what was read without an error
    under the same cap; with a remark only for a file of the same name, which the remark bears. The value is
    shared: nobody may change it.
    """
    if not isinstance(data, bytes):  # a table in memory
        return parse(data, file=file, **options)
    content = hashlib.blake2b(data, digest_size=32).digest()
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    chosen = tuple(sorted((name, value) for name, value in hashable.items() if value is not None))
    key = (parse, content, max_bytes(), chosen)
    kept = _KEPT.get(key)
    if kept is not None and (kept[0] == file or not kept[2].counts):
        return _named(kept[1], file), kept[2]
    value, report = parse(data, file=file, **options)
    if not report.total("error") and size_of(value) <= ROOM:
        _KEPT.keep(key, (file, value, report))
    return value, report


def _named(value: Any, file: str) -> Any:
    """The value as that of a file of this name: bindings name it in their messages."""
    known = is_dataclass(value) and not isinstance(value, type) and hasattr(value, "file")
    return replace(value, file=file) if known else value


_OF_LINES = ("csv", "trec", "MRREL", "MRCONSO", "MRSTY")
"""Formats whose last line should have an end."""


def parse_path(
    parse: Callable[..., tuple[Value, Report]],
    path: Path,
    problems: Problems,
    *,
    open_end: bool = True,
    **options: Any,
) -> Value | None:
    """What ``parse(source, file=..., **options)`` makes of a file; None, with an error, of one that cannot be
    opened.

    One called .rrf is given to it as a stream, unpacked on the way when it is gzipped: it is never held
    whole, so no cap of ``limits`` concerns it but how far it may unpack. Every other is held whole and parsed
    once. ``open_end``: whether a last line without an end is mentioned.
    """
    if ".rrf" in path.name.lower():
        try:
            with open_file(path) as stream:
                packed = stream.read(2) == b"\x1f\x8b"
                stream.seek(0)
                value, report = parse(_Unpacked(stream) if packed else stream, file=problems.file, **options)
        except OSError as reason:
            report_unopened(problems, reason)
            return None
        problems.include(report)
        return value
    plain = read_plain(path, problems)
    if plain is None:
        return None
    value, report = parse_once(parse, plain, file=problems.file, **options)
    problems.include(report)
    form = getattr(value, "format", "csv") if getattr(value, "rows", 0) else ""
    if isinstance(plain, bytes) and open_end and form in _OF_LINES:
        report_open_end(problems, plain)
    return value


class _Unpacked(gzip.GzipFile):
    """A gzip stream that gives up where it grows beyond ``MAX_RATIO``."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(fileobj=stream)
        self._room = max(RATIO_FROM, MAX_RATIO * os.fstat(stream.fileno()).st_size)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._room -= len(data)
        if self._room < 0:
            raise OSError(f"it unpacks to more than {MAX_RATIO} times its size")
        return data
