"""A file of a part is read by the parser of its kind, or by a function of the user's, and only once.

What a function of the user's gives (see ``evalcore.register.register_format``) is taken as `make_study` takes
it: as a table that is checked as the one of a file is, so that every rule of a part holds for it too.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from evalcore.study.objects import located, source_of
from evalcore.study.tables.files import (
    MAX_RATIO,
    RATIO_FROM,
    max_bytes,
    open_file,
    read_plain,
    report_unopened,
)
from evalcore.study.tables.problems import Problems
from evalcore.values import plugins
from evalcore.values.errors import Report
from evalcore.values.plugins import Plugin, PluginError, call
from evalcore.values.stores import Store, size_of

FORMATS = ("run", "embeddings", "concepts", "captions", "labels", "groups")
"""Parts of a study that can be read so."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A form of files: of which part, by which ending, and the parser of what the function gives."""

    part: str
    ending: str
    plugin: Plugin
    known: Callable[..., tuple[Any, Report]]

    def parse(self, data: bytes, *, file: str, **options: Any) -> tuple[Any, Report]:
        """The rows of a file, and its problems; only the error where the function fails."""
        problems = Problems(file)
        try:
            result = call(self.plugin, data, about=lambda: file)
        except PluginError as error:
            problems.error("reader-failed", str(error), "Correct the reader or the file.")
            return self.known(b"", file=file, **options)[0], problems.report()
        if isinstance(result, (str, bytes, os.PathLike)):  # would be the path of another file
            message = f"The reader of {self.plugin.file} gave a text, not a {self.part}."
            problems.error("wrong-shape", message, "See register_format for what it must give.")
            source = None
        else:
            source = source_of(result, self.part, problems)
        if source is None:
            return self.known(b"", file=file, **options)[0], problems.report()
        value, report = self.known(source, file=file, **options)
        if not report.counts and not getattr(value, "rows", 1):
            message = f"The reader of {self.plugin.file} gave nothing."
            problems.error("empty-file", message, "Check that the file was copied completely.")
            report = problems.report()
        return value, located(report, {file})


def custom_format(part: str, file: str) -> Format | None:
    """The form of a user that a file of a part is of, by its ending; None for the program's own."""
    formats: Iterable[Format] = (plugins.specs["format"][name] for name in plugins.names("format"))
    return next(
        (known for known in formats if known.part == part and file.lower().endswith(known.ending)), None
    )


def custom_endings(part: str) -> tuple[str, ...]:
    """The endings of the forms that users registered for a part."""
    formats = (plugins.specs["format"][name] for name in plugins.names("format"))
    return tuple(known.ending for known in formats if known.part == part)


# A file that was just parsed is not parsed again: its value is known by its name and content, not by date.

Value = TypeVar("Value")
ROOM = 64 << 20
"""Bytes of parsed files that are kept; a file that takes more is parsed whenever it is read."""
_KEPT: Store[tuple[Any, Report]] = Store(ROOM)


def parse_once(
    parse: Callable[..., tuple[Value, Report]], data: Any, *, file: str, **options: Any
) -> tuple[Value, Report]:
    """What ``parse(data, file=file, **options)`` gives, from the store when it was asked for before.

    ``options`` must be hashable, or lists; None counts as not given. Kept is what was read without an error
    under the same cap. The value is shared: nobody may change it.
    """
    if not isinstance(data, bytes):  # a table in memory
        return parse(data, file=file, **options)
    chosen = {name: tuple(option) if isinstance(option, list) else option for name, option in options.items()}
    content = hashlib.blake2b(data, digest_size=32).digest()
    given = frozenset((name, of) for name, of in chosen.items() if of is not None)
    key = (parse, file, content, max_bytes(), given)
    kept = _KEPT.get(key)
    if kept is None:
        kept = parse(data, file=file, **options)
        if not kept[1].total("error") and size_of(kept[0]) <= ROOM:
            _KEPT.keep(key, kept)
    return kept


def parse_path(
    parse: Callable[..., tuple[Value, Report]], path: Path, problems: Problems, **options: Any
) -> Value | None:
    """What ``parse(source, file=..., **options)`` makes of a file; None, with an error, of one that cannot be
    opened.

    One called .rrf is given to it as a stream, unpacked on the way when it is gzipped: it is never held
    whole, so no cap of ``limits`` concerns it but how far it may unpack. Every other is held whole and parsed
    once.
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
