"""The bin: studies and systems that were removed are in ``removed/``, and can be brought back for 30 days.

Each removal is a folder there with a manifest and the things that went, by a name each. They are moved by
renames, so each is there whole or here whole. Call what moves things under `home.locked`.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.home import (
    home,
    is_full,
    keeping,
    make_folder,
    read_json,
    remove_tree,
    remove_whole,
    write_new,
)
from evalcore.values.errors import InputError

GRACE = 30
"""Days for which what was removed can be brought back."""
_DAY = 24 * 3600
_MANIFEST = "removed.json"
_NAME = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Removed:
    """A study or a system that was removed.

    ``name``: what it was called. ``at``: when, in seconds since 1970. ``aside``: the folder that holds it.
    ``about``: what is needed to bring it back; that of a system has its ``study``.
    """

    name: str
    at: float
    aside: Path
    about: Mapping[str, Any]

    @property
    def days_left(self) -> int:
        """Whole days, begun ones too, for which it can be brought back."""
        return max(0, min(GRACE, math.ceil(GRACE - (time.time() - self.at) / _DAY)))

    @property
    def size(self) -> int:
        """Bytes of what it contains."""
        return size_of(self.aside)

    def contains(self, part: str) -> bool:
        """Whether something of that name went with it."""
        return os.path.lexists(self.aside / part)


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder, links as they are; 0 where there is none."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it went meanwhile
            total += 0 if path.is_dir() else path.lstat().st_size
    return total


def new_removal(name: str, about: Mapping[str, Any]) -> Removed:
    """An empty folder in the bin, with its manifest; InputError where none can be made."""
    removed = Removed(name, time.time(), home() / "removed" / uuid4().hex, about)
    manifest = json.dumps({"name": name, "at": removed.at, "about": about}).encode()
    try:
        write_new(removed.aside / _MANIFEST, manifest)
    except OSError as reason:
        remove_tree(removed.aside)
        raise _cannot_remove(name, reason) from reason
    return removed


def _cannot_remove(name: str, reason: OSError) -> InputError:
    why = "the disk is full" if is_full(reason) else reason.strerror or type(reason).__name__
    return InputError(f"{readable(name)} cannot be removed: {why}. Try again.")


def put_away(removed: Removed, parts: Mapping[str, Path]) -> None:
    """Move things into the bin, the first one first: {a name for it: the path}; those that are there.

    Raises
    ------
    InputError
        Something cannot be moved. All is where it was then, or, where it cannot be moved back either, in the
        bin.
    """
    try:
        _move_all([(path, removed.aside / part) for part, path in parts.items() if os.path.lexists(path)])
    except OSError as reason:
        if not any(removed.contains(part) for part in parts):
            remove_whole(removed.aside)
        raise _cannot_remove(removed.name, reason) from reason


def bring_back(
    removed: Removed, places: Mapping[str, Path], make: Callable[[Path], None] = make_folder
) -> None:
    """Move things back, the first one last: {the name for it: where it belongs}.

    ``make``: makes the folder that something comes into.

    Raises
    ------
    InputError
        It is no longer kept, something newer is in one of the places, or it cannot be moved; nothing has
        changed then.
    """
    moves = [(removed.aside / part, place) for part, place in places.items() if removed.contains(part)]
    if not (removed.aside / _MANIFEST).is_file():
        raise InputError(f"{readable(removed.name)} is no longer kept.")
    with keeping(readable(removed.name)):
        for _, place in moves:
            _make_way(place)
            make(place.parent)
        _move_all(moves[::-1])


def _make_way(place: Path) -> None:
    """InputError where something newer is; a folder without files is nothing."""
    if not os.path.lexists(place):
        return
    if any(not path.is_dir() or path.is_symlink() for path in (place, *place.rglob("*"))):
        message = f"There is something called {readable(place.name)} in its place again."
        raise InputError(f"{message} Remove it first.")
    shutil.rmtree(place)


def _move_all(moves: list[tuple[Path, Path]]) -> None:
    """All of the moves, or none; OSError."""
    moved: list[tuple[Path, Path]] = []
    try:
        for path, to in moves:
            _move(path, to)
            moved.append((to, path))
    except OSError:
        for path, to in reversed(moved):
            _move(path, to)
        raise


def _move(path: Path, to: Path) -> None:
    """Rename, or copy where that crosses disks: the copy is whole before the original goes."""
    try:
        path.rename(to)
        return
    except OSError as reason:
        if reason.errno != errno.EXDEV:
            raise
    near = to.with_name(f".{uuid4().hex}")
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, near, symlinks=True)
    else:
        shutil.copy2(path, near, follow_symlinks=False)
    near.rename(to)
    remove_tree(path)


def discard(removed: Removed) -> None:
    """Remove it for good; nothing happens where that was done already. InputError where it cannot be."""
    try:
        remove_whole(removed.aside)
    except OSError as reason:
        raise _cannot_remove(removed.name, reason) from reason


def removals_in(top: Path | None = None) -> list[Removed]:
    """Everything in the bin of a workspace (by default of who is at work), the last removed first.

    What is older than ``GRACE`` days goes for good. Folders that others put into the bin are passed over.
    """
    kept = []
    for removed in _manifests(home() if top is None else top):
        if time.time() - removed.at > GRACE * _DAY:
            with suppress(InputError):
                discard(removed)
        else:
            kept.append(removed)
    return sorted(kept, key=lambda removed: -removed.at)


def _manifests(top: Path) -> Iterator[Removed]:
    try:
        folders = list((top / "removed").iterdir())
    except OSError:
        return  # nothing was ever removed
    for aside in folders:
        read = read_json(aside / _MANIFEST) if _NAME.fullmatch(aside.name) else None
        if (
            isinstance(read, dict)
            and isinstance(read.get("at"), int | float)
            and isinstance(read.get("about"), dict)
        ):
            yield Removed(str(read.get("name")), float(read["at"]), aside, read["about"])
