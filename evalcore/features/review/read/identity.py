"""Which study a judgment belongs to: an id that stays when its files change or its folder is renamed.

It is one line in ``review/id.txt``, written with the first task, so it travels with the folder and its zip;
two copies of a study are one study. A folder without it, which may not be changed, is known to the workspace
by its path; when a task is written there, it takes that id with it, and the path is free for another study.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from evalcore.study.tables.lines import decode, read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.home import cannot_keep, home, make_folder, read_json, write_json
from evalcore.study.workspace.locks import locked
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "review/id.txt"
_PATHS = "paths.json"
_ID = re.compile(r"[0-9a-f]{32}")


def study_id(study: Path) -> str:
    """The id of a study folder.

    Raises
    ------
    InputError
        ``review/id.txt`` holds something else, or the workspace cannot be written.
    """
    known = known_id(study)
    if known is not None:
        return known
    with _paths() as paths:
        return paths.setdefault(os.path.realpath(study), uuid4().hex)


def known_id(study: Path) -> str | None:
    """The same for reading, which writes nothing: None for a folder of which nothing was ever judged."""
    return _written(study) if os.path.lexists(study / FILE) else _read_paths().get(os.path.realpath(study))


@contextmanager
def moving_in(study: Path) -> Iterator[str]:
    """The id for ``review/id.txt``, which the block writes; then the workspace forgets the path."""
    identity = study_id(study)
    yield identity
    with _paths() as paths:
        paths.pop(os.path.realpath(study), None)


def _written(study: Path) -> str:
    found = Problems(FILE)
    text = (decode(read_bytes(study / FILE, found) or b"", found) or "").strip()
    if not _ID.fullmatch(text):
        message = f"{FILE} must hold one id of 32 signs, 0 to 9 and a to f."
        remedy = "Put back the file as it was, or remove it: the study then has no judgments yet."
        found.error("bad-id", message, remedy, line=1, value=text)
        raise InputError(f"{message} {remedy}", found.report())
    return text


@contextmanager
def _paths() -> Iterator[dict[str, str]]:
    """What the workspace knows of paths, written at the end of the block; one program at a time."""
    folder = home() / "review"
    try:
        make_folder(folder)
        with locked(folder):
            paths = _read_paths()
            yield paths
            write_json(folder / _PATHS, paths)
    except OSError as reason:
        raise cannot_keep("The judgments", reason) from reason


def _read_paths() -> dict[str, str]:
    """What was written; nothing where there is nothing, or where somebody else wrote something."""
    found = read_json(home() / "review" / _PATHS)
    fits = isinstance(found, dict) and all(
        isinstance(one, str) and _ID.fullmatch(one) for one in found.values()
    )
    return found if fits else {}
