"""Which names in a study folder stand for which part, and what lies in a folder at all."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from evalcore.study.folder.kinds import KINDS
from evalcore.study.tables.problems import Problems, shown

MAX_LISTED = 200_000
"""Most files of one folder that are looked at; a folder of more is none of a study."""
OF_PARTS = ("concepts", "data", "graph", "concept_vectors")
"""Folders of a study that hold parts; those of systems are looked through one by one."""
MAX_DIGITS = 9
"""Of the number of a seed."""


def content(folder: Path, found: Problems) -> list[str]:
    """Names in a folder, in order, hidden files left out; nothing with an error when it is locked."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_LISTED + 1)]
    except OSError as reason:
        message = f"The folder {shown(folder.name)!r} cannot be read: {reason.strerror}."
        found.error("unreadable-folder", message, "Check its permissions.", value=folder.name)
        return []
    if len(names) > MAX_LISTED:
        message = (
            f"The folder {shown(folder.name)!r} holds more than {MAX_LISTED:,} files; it is not looked at."
        )
        found.error("too-many-files", message, "Give a folder that holds only the study.", value=folder.name)
        return []
    return sorted(name for name in names if not name.startswith("."))


def listing(root: Path, found: Problems) -> list[str]:
    """Names of the folder, and of the folders below it that hold parts; hidden ones left out."""
    names = content(root, found)
    folders = [name for name in OF_PARTS if name in names and is_folder(root / name)]
    return sorted([*names, *(f"{name}/{one}" for name in folders for one in content(root / name, found))])


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; False, not an error, where it cannot be seen."""
    return os.path.isdir(path)  # noqa: PTH112 -- never raises


def matches(name: str, pattern: str) -> bool:
    """Whether a path below the study folder is one a convention means; upper and lower case are one."""
    return name.count("/") == pattern.count("/") and fnmatchcase(name.lower(), pattern)


def seed_of(name: str) -> int | None:
    """The number in the name of the run of one seed, whatever its ending; None for any other name.

    >>> seed_of("run.3.trec"), seed_of("run.trec"), seed_of("run.3")
    (3, None, None)
    """
    first, _, rest = name.lower().partition(".")
    number, _, ending = rest.partition(".")
    is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS
    return int(number) if is_number and f"{first}.{ending}" in KINDS["run"].names[0] else None


def standing(root: Path, kind: str, place: str) -> list[Path]:
    """What counts before, or competes with, a file of a kind at this place of a study folder by its name."""
    listed = listing(root, Problems("study.toml"))
    for group in KINDS[kind].names:
        hits = [root / name for name in listed if any(matches(name, pattern) for pattern in group)]
        if hits or any(matches(place, pattern) for pattern in group):
            return hits
    return []


def standing_of_system(folder: Path, kind: str) -> list[Path]:
    """The files of a system's folder that are its run, or its embeddings, by their names."""
    names = content(folder, Problems("study.toml")) if folder.is_dir() else []
    return [folder / name for name in names if name.lower() in KINDS[kind].names[0]]
