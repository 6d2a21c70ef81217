"""The bin: what was removed from a workspace or a study can be brought back for 30 days.

Each removal is a folder there with a manifest and the things that went, by a name each. A bin is on the disk
of what it is for, so things are moved by renames: each is there whole or here whole. Call what moves things
under `home.locked`.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore import extensions
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.folders import check_is_there, is_uploaded, unused_study
from evalcore.study.workspace.home import (
    home,
    keeping,
    locked,
    make_folder,
    read_json,
    remove_tree,
    remove_whole,
    write_new,
)
from evalcore.values import events
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


def bin_of(study: Path | None = None) -> Path:
    """The bin of what is removed from a study: of the workspace, or the hidden folder of one opened in
    place, which may be on another disk. Without a study, that of the workspace."""
    return home() / "removed" if study is None or is_uploaded(study) else study.resolve() / ".removed"


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder, links as they are; 0 where there is none."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it went meanwhile
            total += 0 if path.is_dir() else path.lstat().st_size
    return total


def put_away(
    name: str,
    parts: Mapping[str, Path],
    place: Path,
    about: Mapping[str, Any],
    before: Callable[[], None] = lambda: None,
) -> Removed:
    """Move things into a bin, the first one first: {a name for it: the path}; those that are there.

    ``before``: what else is done once the removal is written down, and before anything moves.

    Raises
    ------
    InputError
        Something cannot be moved. All is where it was then, or, where it cannot be moved back either, in the
        bin.
    """
    removed = Removed(name, time.time(), place / uuid4().hex, about)
    manifest = json.dumps({"name": name, "at": removed.at, "about": about}).encode()
    with keeping(readable(name), "removed"):
        try:
            write_new(removed.aside / _MANIFEST, manifest)
            before()
            _move_all([(path, removed.aside / part) for part, path in parts.items() if os.path.lexists(path)])
        except (OSError, InputError):
            if not any(removed.contains(part) for part in parts):
                remove_tree(removed.aside)
            raise
    return removed


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
            there = [place, *place.rglob("*")] if os.path.lexists(place) else []
            if any(not path.is_dir() or path.is_symlink() for path in there):
                message = f"There is something called {readable(place.name)} in its place again."
                raise InputError(f"{message} Remove it first.")
            shutil.rmtree(place, ignore_errors=True)  # a folder without files is nothing
            make(place.parent)
        _move_all(moves[::-1])


def _move_all(moves: list[tuple[Path, Path]]) -> None:
    """All of the moves, or none; OSError."""
    moved: list[tuple[Path, Path]] = []
    try:
        for path, to in moves:
            path.rename(to)
            moved.append((to, path))
    except OSError:
        for path, to in reversed(moved):
            path.rename(to)
        raise


def discard(removed: Removed) -> None:
    """Remove it for good; nothing happens where that was done already. InputError where it cannot be."""
    with keeping(readable(removed.name), "removed"):
        remove_whole(removed.aside)
    with suppress(OSError):  # it is not empty
        removed.aside.parent.rmdir()


def removals_in(place: Path) -> list[Removed]:
    """Everything in a bin, the last removed first.

    What is older than ``GRACE`` days goes for good. Folders that others put into the bin are passed over.
    """
    kept = []
    for aside in place.iterdir() if place.is_dir() else ():
        read = read_json(aside / _MANIFEST) if _NAME.fullmatch(aside.name) else None
        manifest = read if isinstance(read, dict) else {}
        about, at = manifest.get("about"), manifest.get("at")
        if not (isinstance(about, dict) and isinstance(at, int | float)):
            continue
        removed = Removed(str(manifest.get("name")), float(at), aside, about)
        if time.time() - removed.at <= GRACE * _DAY:
            kept.append(removed)
            continue
        with suppress(InputError):
            discard(removed)
    return sorted(kept, key=lambda removed: -removed.at)


# Uploaded studies.

_STUDY = "study"
"""What a deleted study is called in the bin."""


def delete_study(study: Path) -> Removed:
    """Move an uploaded study into the bin: `restore_study` undoes it, `discard` makes it final.

    With it goes what features keep about it in the workspace. Raises InputError for any other folder, and
    where it cannot be moved; nothing has changed then.
    """
    if not (is_uploaded(study) and study.is_dir()):
        raise InputError(
            f"{readable(study.name)} is not one of your uploaded studies; only those are deleted here."
        )
    for _, settle in extensions.additions("before a study moves"):
        settle(study)
    with keeping(readable(study.name)), locked():
        check_is_there(study)
        removed = put_away(study.name, {_STUDY: study, **_folders_about(study)}, bin_of(), {})
    events.record("removed", study=study.name, kind="study")
    return removed


def deleted_studies() -> list[Removed]:
    """The studies that can be brought back, the last deleted first."""
    return [removed for removed in removals_in(bin_of()) if removed.contains(_STUDY)]


def restore_study(removed: Removed) -> Path:
    """Bring a study back, under its name or ``name_2`` and so on where that is taken meanwhile; its folder.

    Raises InputError when it is no longer kept, or cannot be moved.
    """
    with keeping(readable(removed.name)), locked():
        study = unused_study(removed.name)
        bring_back(removed, {_STUDY: study, **_folders_about(study)})
    events.record("restored", study=removed.name, kind="study")
    discard(removed)
    return study


def _folders_about(study: Path) -> dict[str, Path]:
    """The folders of the workspace that features keep about a study, by the name of the feature."""
    return {
        feature.name: folder_of(study) for feature, folder_of in extensions.additions("folder about a study")
    }
