"""Files of forms of their own, read by functions of users (see ``evalcore.register.register_format``).

What such a function gives is written in a form the program knows and read by the parser of that, so that
every rule of a part holds for it too: ids, duplicates, finite scores. Lines in messages are then rows of
what it gave, the head counted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.embeddings import npz_bytes
from evalcore.values import plugins
from evalcore.values.errors import InputError, Report
from evalcore.values.plugins import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.values.plugins import Plugin

FORMATS: Mapping[str, tuple[str, ...]] = {
    "run": ("query", "candidate", "score"),
    "embeddings": (),
    "concepts": ("ID", "CUIs"),
    "captions": ("ID", "Caption"),
    "labels": (),
    "groups": (),
}
"""Parts of a study that can be read so, and the columns they are written with; labels bring their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A form of files: of which part, by which ending, and the parser of what the function gives."""

    part: str
    ending: str
    plugin: Plugin
    known: Callable[..., tuple[Any, Report]]

    def parse(self, data: bytes, *, file: str, **options: Any) -> tuple[Any, Report]:
        """The rows of a file, and its problems; none but the error where the function fails."""
        problems = Problems(file)
        try:
            given = call(self.plugin, data, about=lambda: file)
            written = _written(self.part, given)
        except InputError as error:
            problems.error("reader-failed", str(error), "Correct the reader or the file.")
            written = b""
        except (TypeError, ValueError, AttributeError) as reason:
            message = f"The reader of {self.plugin.file} gave something else than a {self.part}: {reason}."
            problems.error("reader-failed", message, "See register_format for what it must give.")
            written = b""
        if problems.report().counts:
            return self.known(b"", file=file, **options)[0], problems.report()
        return self.known(written, file=file, **options)


def custom_format(part: str, file: str) -> Format | None:
    """The form of a user that a file of a part is of, by its ending; None for the program's own."""
    formats: Iterable[Format] = (plugins.specs["format"][name] for name in plugins.names("format"))
    return next((one for one in formats if one.part == part and file.lower().endswith(one.ending)), None)


def custom_endings(part: str) -> tuple[str, ...]:
    """The endings of the forms that users registered for a part."""
    formats = (plugins.specs["format"][name] for name in plugins.names("format"))
    return tuple(one.ending for one in formats if one.part == part)


def _written(part: str, given: Any) -> bytes:
    """What a function gave, as a file that the program reads; TypeError, ValueError if it is no such part."""
    if part == "embeddings":
        ids, vectors = given
        return npz_bytes([str(one) for one in ids], np.asarray(vectors))
    if part in {"labels", "groups"}:
        return _table(*_labels(given))
    head = FORMATS[part]
    rows = _rows(given) if part != "run" or not isinstance(given, Mapping) else _answers(given)
    return _table(head, (_fitting(row, head) for row in rows))


def _rows(given: Any) -> Iterator[Sequence[Any]]:
    if hasattr(given, "itertuples"):
        yield from given.itertuples(index=False, name=None)
    else:
        yield from given.items() if isinstance(given, Mapping) else given


def _answers(given: Mapping[Any, Mapping[Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    for query, answer in given.items():
        yield from ((query, candidate, score) for candidate, score in answer.items())


def _fitting(row: Sequence[Any], head: Sequence[str]) -> Sequence[Any]:
    if isinstance(row, str) or len(row) != len(head):
        raise ValueError(f"a row must hold {', '.join(head)}, not {str(row)[:80]!r}")
    return row


def _labels(given: Any) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    if hasattr(given, "itertuples"):
        cells = given.itertuples(index=False, name=None)
        rows = ([None if _missing(value) else value for value in row] for row in cells)
        return ["ID", *map(str, given.columns[1:])], rows
    names = list(dict.fromkeys(name for row in given.values() for name in row))
    return ["ID", *names], ((image, *(row.get(name) for name in names)) for image, row in given.items())


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(head)
    table.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue().encode("utf-8", "surrogatepass")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Real) and not isinstance(value, bool | int):
        return repr(float(value))
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ";".join(map(str, value))
