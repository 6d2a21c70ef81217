"""What was deleted as a whole, and comes back for 30 days: uploaded studies.

Each is a folder in ``removed/`` of the workspace with a manifest and the folders that went, by a name. It is
moved by renames, so it is there whole or here whole; a program that dies in between leaves a manifest without
folders, which nobody sees and `expire` removes. What is about to go for good gets a name that every start of
the program tidies.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from evalcore.study.workspace.home import (
    cannot_keep,
    home,
    is_workspace,
    locked,
    make_folder,
    read_json,
    readable,
    write_json,
)
from evalcore.values import events
from evalcore.values.errors import InputError

GRACE = 30
"""Days for which what was deleted can be brought back."""
_DAY, _HOUR = 24 * 3600, 3600
_MANIFEST = "deleted.json"
_NAME = re.compile(r"[0-9a-f]{32}")
_BLOCK = 4096
"""A file takes whole blocks of a disk: a million files of one byte are not small."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """A study that was deleted: its name then, and when (seconds since 1970).

    ``aside``: the folder of the workspace that holds it.
    """

    name: str
    at: float
    aside: Path

    @property
    def days_left(self) -> int:
        """Whole days, begun ones too, for which it can be brought back."""
        return max(0, min(GRACE, math.ceil(GRACE - (time.time() - self.at) / _DAY)))

    @property
    def size(self) -> int:
        """Bytes of the disk that it takes."""
        return bytes_on_disk(self.aside)

    def holds(self, part: str) -> bool:
        """Whether a folder of that name went with it."""
        return (self.aside / part).is_dir()


def bytes_on_disk(folder: Path) -> int:
    """Bytes of a disk that a folder takes with everything in it, links as they are; 0 where there is none."""
    total, folders = 0, [os.fspath(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                total += _BLOCK
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        size = entry.stat(follow_symlinks=False).st_size
                        total += max(1, -(-size // _BLOCK)) * _BLOCK
        except OSError:
            continue  # it went meanwhile
    return total


def put_aside(name: str, parts: Mapping[str, Path]) -> Deleted:
    """Delete folders of the workspace, for now: {a name for it: the folder}; those not there are passed over.

    The first goes first and comes back last: where it is, all of it is.

    Raises
    ------
    InputError
        It cannot be moved; nothing of it has gone then.
    """
    deleted = Deleted(name, time.time(), home() / "removed" / uuid4().hex)
    moved: list[tuple[Path, Path]] = []
    try:
        make_folder(deleted.aside)
        with locked(home()):
            write_json(deleted.aside / _MANIFEST, {"name": name, "at": deleted.at})
            try:
                for part, folder in parts.items():
                    if folder.is_dir():
                        folder.rename(deleted.aside / part)
                        moved.append((deleted.aside / part, folder))
            except OSError:
                for aside, place in reversed(moved):
                    aside.rename(place)
                raise
    except OSError as reason:
        if not _is_whole(deleted):  # else it could not be put back either: it is offered as deleted
            shutil.rmtree(deleted.aside, ignore_errors=True)
        why = reason.strerror or reason
        raise InputError(f"{readable(name)} cannot be removed: {why}. Try again.") from reason
    events.record("removed", study=name, kind="study")
    return deleted


def deleted_studies() -> list[Deleted]:
    """The studies that can be brought back, the last deleted first; older ones are gone for good."""
    expire()
    kept = [one for one in _manifests(home()) if _is_whole(one)]
    return sorted(kept, key=lambda one: -one.at)


def put_back(deleted: Deleted, places: Mapping[str, Path]) -> None:
    """Bring folders back: {the name for it: where it belongs}. What is not named goes.

    Raises
    ------
    InputError
        It is no longer kept, files are in one of the places, or it cannot be moved; nothing has changed then.
    """
    moves = [(deleted.aside / part, place) for part, place in places.items() if deleted.holds(part)]
    if not moves:
        raise InputError(f"{readable(deleted.name)} is no longer kept.")
    moved: list[tuple[Path, Path]] = []
    try:
        with locked(home()):
            try:
                for aside, place in reversed(moves):
                    _make_way(place)
                    make_folder(place.parent)
                    aside.rename(place)
                    moved.append((aside, place))
            except (OSError, InputError):
                for aside, place in reversed(moved):
                    place.rename(aside)
                raise
    except OSError as reason:
        raise cannot_keep(readable(deleted.name), reason) from reason
    events.record("restored", study=deleted.name, kind="study")
    discard(deleted)


def _make_way(place: Path) -> None:
    """InputError where something newer is; a folder without files is nothing."""
    if not os.path.lexists(place):
        return
    if any(not path.is_dir() or path.is_symlink() for path in (place, *place.rglob("*"))):
        raise InputError("There are newer files in its place. Remove them first.")
    shutil.rmtree(place)


def discard(deleted: Deleted) -> None:
    """Delete it for good; nothing happens where that was done already."""
    gone = deleted.aside.with_name(f".{deleted.aside.name}")
    with suppress(FileNotFoundError):
        deleted.aside.rename(gone)  # at once: nobody brings half of it back
    shutil.rmtree(gone, ignore_errors=True)


def expire(*workspaces: Path) -> None:
    """Delete for good what was deleted more than ``GRACE`` days ago, or left by a program that died.

    ``workspaces``: where; without any, the workspace of who is at work.
    """
    for one in (each for top in workspaces or (home(),) for each in _manifests(top)):
        age = time.time() - one.at
        if age > GRACE * _DAY or (age > _HOUR and not _is_whole(one)):
            discard(one)


def _manifests(top: Path) -> Iterator[Deleted]:
    """Everything that was put aside in a workspace; what others put into the folder is passed over."""
    try:
        folders = list((top / "removed").iterdir()) if is_workspace(top) else []
    except OSError:
        return  # nothing was ever removed
    for aside in folders:
        read = read_json(aside / _MANIFEST) if _NAME.fullmatch(aside.name) else None
        if isinstance(read, dict) and isinstance(read.get("at"), int | float):
            yield Deleted(str(read.get("name")), float(read["at"]), aside)


def _is_whole(deleted: Deleted) -> bool:
    try:
        return any(entry.is_dir() for entry in deleted.aside.iterdir())
    except OSError:
        return False
