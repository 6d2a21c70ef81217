"""Files of forms of their own, read by functions of users (see ``evalcore.register.register_format``).

What such a function gives is taken as `make_study` takes it: written in a form the program knows and read
by the parser of that, so that every rule of a part holds for it too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcore.study.objects import located, source_of
from evalcore.study.tables.problems import Problems
from evalcore.values import plugins
from evalcore.values.plugins import PluginError, call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcore.values.errors import Report
    from evalcore.values.plugins import Plugin

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
            given = call(self.plugin, data, about=lambda: file)
        except PluginError as error:
            problems.error("reader-failed", str(error), "Correct the reader or the file.")
            return self.known(b"", file=file, **options)[0], problems.report()
        source: Any = None
        if isinstance(given, (str, bytes, os.PathLike)):  # would be the path of another file
            message = f"The reader of {self.plugin.file} gave a text, not a {self.part}."
            problems.error("wrong-shape", message, "See register_format for what it must give.")
            report = problems.report()
        else:
            source, report = source_of(given, self.part, file)
        value, of_reader = self.known(b"" if source is None else source, file=file, **options)
        if source is not None and not of_reader.counts and not getattr(value, "rows", 1):
            message = f"The reader of {self.plugin.file} gave nothing."
            problems.error("empty-file", message, "Check that the file was copied completely.")
            of_reader = problems.report()
        return value, report if source is None else located(of_reader, {file}, {})


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
