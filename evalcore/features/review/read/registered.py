"""What is registered of a reader study: SHA-256 of its files, and the protocol beside its task."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING

from evalcore.features.review.read.task_files import FOLDER
from evalcore.study.tables.lines import content_of
from evalcore.study.workspace.change import changed
from evalcore.values.errors import InputError
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

PICTURES = "pictures shown to readers"
PROTOCOL = ".protocol.md"
SETTINGS = "study.toml"
_files: Store[str] = Store(1 << 20)
"""By path, size and time: the hash of a file as long as it does not change."""


def hashes_of(study: Study, task: Task, images: Iterable[str]) -> dict[str, str]:
    """{file in the study: SHA-256 in 64 hex digits}, by name, of the task and of every file that counts: not
    of systems that are not in the task.

    ``images``: ids of the pictures shown. All of them together have one hash under `PICTURES`: of the hashes
    of their files in the order of their ids; none where the study has no such pictures.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    assert study.path is not None, "a task is of a folder"
    others = tuple(f"systems/{name}/" for name in study.systems if study.called(name) not in task.systems)
    read = (part.file for part in study.parts if part.used and not part.file.startswith(others))
    names = {SETTINGS, f"{FOLDER}/{task.name}.toml", *read}
    if task.form in ("material", "diagnosis"):
        names.add(f"{FOLDER}/{task.name}.csv")
    paths = {name: study.path / name for name in sorted(names)}
    result = {name: _hash(path) for name, path in paths.items() if path.is_file()}
    pictures = study.images
    if pictures is not None and pictures.archive is None:
        shown = [study.concepts.index(name) for name in sorted({*images})]
        entries = [pictures.entries[place] for place in shown if place >= 0]
        each = [_hash(pictures.folder / entry) for entry in entries if entry]
        if each:
            result[f"{PICTURES} ({len(each):,})"] = hashlib.sha256("".join(each).encode()).hexdigest()
    elif pictures is not None and pictures.archive is not None and pictures.archive.is_file():
        result[pictures.archive.name] = _hash(pictures.archive)
    return result


def registered_text(study: Study, task: Task) -> str:
    """The protocol kept beside the file of a task, ``review/NAME.protocol.md``; "" where there is none.

    Raises
    ------
    InputError
        It cannot be read.
    """
    assert study.path is not None, "a task is of a folder"
    path = study.path / FOLDER / f"{task.name}{PROTOCOL}"
    return text_of(path) if path.is_file() and not path.is_symlink() else ""


def keep_protocol(study: Path, task: Task, text: str, *, in_place: bool) -> str:
    """Write the protocol beside the file of its task, in place of an older one; the place in the study.

    Raises
    ------
    InputError
        The study may not be changed, or cannot be.
    """
    file = f"{FOLDER}/{task.name}{PROTOCOL}"
    with changed(study, in_place=in_place, file=file, what="The protocol") as change:
        if (study / FOLDER).is_symlink() or (study / file).is_symlink():
            raise InputError(f"{file} is behind a link, so nothing is written there.")
        change.put(file, text.encode())
    return file


def text_of(path: Path) -> str:
    """A protocol as text; InputError for a file that cannot be read, or is no text."""
    try:
        return content_of(path, path.name).decode()
    except UnicodeDecodeError:
        raise InputError(f"{path.name} is not text in UTF-8. Give a protocol of `review export`.") from None


def _hash(path: Path) -> str:
    fact = path.stat()
    key = (path, fact.st_size, fact.st_mtime_ns, fact.st_ctime_ns, fact.st_ino)
    return _files.get_or_compute(key, partial(_hashed, path))


def _hashed(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
