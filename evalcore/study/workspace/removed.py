"""The bin of a workspace: a study or a system that was removed can be brought back for 30 days.

Each removal is a folder there with a manifest and what went: a study, by one rename, with what features keep
about it; the files of a system. Those are links: they are in the bin before they go from their place, and
back in their place before they go from the bin.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import tomlkit

from evalcore import extensions
from evalcore.study.folder.layout import find_layout
from evalcore.study.workspace.change import OLD, changed, copy_by_links, is_used_elsewhere, sweep
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.folders import check_is_there, is_uploaded, unused_study
from evalcore.study.workspace.home import (
    USERS,
    home,
    keeping,
    locked,
    make_folder,
    read_json,
    remove_tree,
    remove_whole,
    replacing,
    server_home,
    write_new,
)
from evalcore.values import events
from evalcore.values.account import is_served
from evalcore.values.errors import InputError, UnknownName

GRACE = 30
"""Days for which what was removed can be brought back."""
_DAY = 24 * 3600
_MANIFEST, _STUDY, _FILES = "removed.json", "study", "files"
"""In a folder of the bin: what it is, the folder of a study, the files of a system by their paths in it."""
_NAME = re.compile(r"[0-9a-f]{32}")
_SWEPT = ("cache", "removed", "review", "satisfaction", "synthetic")
"""Folders of a workspace that are looked through for what is unfinished and old."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A study or a system that was removed.

    ``name``: what it was called. ``aside``: the folder that holds it. ``at``: when, in seconds since 1970.
    ``study``: the folder that a system was in, "" for a study. ``table``: what ``study.toml`` said of it.
    """

    name: str
    aside: Path
    at: float
    study: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def days_left(self) -> int:
        """Whole days, begun ones too, for which it can be brought back."""
        return max(0, min(GRACE, math.ceil(GRACE - (time.time() - self.at) / _DAY)))

    def check_is_kept(self) -> None:
        """InputError when it is no longer in the bin."""
        if not (self.aside / _MANIFEST).is_file():
            raise InputError(f"{readable(self.name)} is no longer kept.")


@contextmanager
def _into_bin(removed: Removed) -> Iterator[Path]:
    """The folder of a removal while it is filled; afterwards it is in the bin, or gone where that failed."""
    table = tomlkit.dumps(removed.table)  # with dates, which JSON has not
    facts = {"name": removed.name, "at": removed.at, "study": removed.study, "table": table}
    with replacing(removed.aside) as unfinished:
        write_new(unfinished / _MANIFEST, json.dumps(facts).encode())
        yield unfinished


def _discard(removed: Removed) -> None:
    """Remove it from the bin for good; nothing happens where that was done already, or cannot be."""
    with suppress(OSError):
        remove_whole(removed.aside)
        removed.aside.parent.rmdir()  # unless it is not empty


def _removals(workspace: Path) -> list[Removed]:
    """Everything in the bin of a workspace, the last removed first.

    What is older than ``GRACE`` days goes for good. Folders that others put into the bin are passed over.
    """
    kept, place = [], workspace / "removed"
    for aside in place.iterdir() if place.is_dir() else ():
        read = read_json(aside / _MANIFEST) if _NAME.fullmatch(aside.name) else {}
        try:
            table = tomllib.loads(str(read["table"]))
            facts = str(read["name"]), aside, float(read["at"]), str(read["study"]), table
        except (TypeError, KeyError, ValueError):
            continue
        kept.append(Removed(*facts))
        if time.time() - kept[-1].at > GRACE * _DAY:
            _discard(kept.pop())
    return sorted(kept, key=lambda removed: -removed.at)


# Uploaded studies.


def delete_study(study: Path) -> Removed:
    """Move an uploaded study into the bin; `restore_study` undoes it.

    With it goes what features keep about it in the workspace. Raises InputError for any other folder, and
    where it cannot be moved; nothing has changed then.
    """
    if not (is_uploaded(study) and study.is_dir()):
        raise InputError(
            f"{readable(study.name)} is not one of your uploaded studies; only those are deleted here."
        )
    for _, settle in extensions.additions("before a study moves"):
        settle(study)
    about = _folders_about(study)
    removed = Removed(study.name, home() / "removed" / uuid4().hex, time.time())
    with keeping(readable(study.name), "removed"), locked():
        check_is_there(study)
        with _into_bin(removed) as unfinished:
            for feature, folder in about.items():
                if folder.is_dir():
                    copy_by_links(folder, unfinished / feature)
        study.rename(removed.aside / _STUDY)
        for folder in about.values():
            remove_tree(folder)
    events.record("removed", study=study.name, kind="study")
    return removed


def deleted_studies() -> list[Removed]:
    """The studies that can be brought back, the last deleted first."""
    return [removed for removed in _removals(home()) if (removed.aside / _STUDY).is_dir()]


def restore_study(removed: Removed) -> Path:
    """Bring a study back, under its name or ``name_2`` and so on where that is taken meanwhile; its folder.

    Raises InputError when it is no longer kept, or cannot be moved.
    """
    with keeping(readable(removed.name)), locked():
        removed.check_is_kept()
        study = unused_study(removed.name)
        make_folder(study.parent)
        for feature, folder in _folders_about(study).items():
            remove_tree(folder)
            if (removed.aside / feature).is_dir():
                copy_by_links(removed.aside / feature, folder)
        (removed.aside / _STUDY).rename(study)
    events.record("restored", study=removed.name, kind="study")
    _discard(removed)
    return study


def _folders_about(study: Path) -> dict[str, Path]:
    """The folders of the workspace that features keep about a study, by the name of the feature."""
    return {
        feature.name: folder_of(study) for feature, folder_of in extensions.additions("folder about a study")
    }


# Systems of an uploaded study.


def remove_system(study: Path, system: str) -> Removed:
    """Move a system out of an uploaded study; `restore_system` undoes it.

    A folder below ``systems/`` goes as a whole, with whatever else lies in it; where ``study.toml`` names
    the files, those go that nothing else of the study uses.

    Raises
    ------
    UnknownName
        The study has no such system.
    InputError
        The study is no uploaded one, is no longer there, or cannot be changed; nothing has changed then.
    """
    with changed(study) as change:
        if system not in change.layout.systems:
            raise UnknownName("system", system, change.layout.systems)
        root, layout = change.root, change.layout
        files = list(layout.systems[system].values())
        folder = next((path.parent for path in files), root / "systems" / system)
        is_folder = layout.toml.systems is None and folder.parent == root / "systems"
        own = {path for path in files if not is_used_elsewhere(layout, path, files)}
        table = change.describe(system, None)
        aside, was_in = home() / "removed" / uuid4().hex, os.path.realpath(study)
        removed = Removed(system, aside, time.time(), was_in, table)
        with _into_bin(removed) as unfinished:
            for path in {folder} if is_folder else own:
                place = unfinished / _FILES / change.relative(path)
                make_folder(place.parent)
                path.rename(place)
    events.record("removed", study=study.name, kind="system", system=system)
    return removed


def restore_system(removed: Removed) -> str:
    """Undo a removal: every file where it was, and what ``study.toml`` said; the system's name.

    Raises InputError when something else stands there now, or the time is over.
    """
    study = Path(removed.study)
    with changed(study) as change:
        removed.check_is_kept()
        try:
            if (removed.aside / _FILES).is_dir():  # else another system has its files
                copy_by_links(removed.aside / _FILES, change.root)
        except FileExistsError as reason:
            message = f"There is something called {readable(removed.name)} in its place again."
            raise InputError(f"{message} Remove it first.") from reason
        if removed.table:
            change.describe(removed.name, removed.table)
    _discard(removed)
    events.record("restored", study=study.name, kind="system", system=removed.name)
    return removed.name


def removed_systems(study: Path) -> list[Removed]:
    """The systems of a study that can be brought back, the last one first."""
    where, layout = os.path.realpath(study), find_layout(study)
    return [
        removed
        for removed in _removals(home())
        if removed.study == where and removed.name not in layout.systems
    ]


# At every start.


def tidy() -> None:
    """Remove what was left half-done, and what was in the bin for too long.

    What another program is making ready is left to it; links are not followed. Whatever else is in the home
    stays as it is: CUISCOPE_HOME may name any folder.
    """
    top = home()
    if not top.is_dir():
        return
    with suppress(OSError, InputError), locked(wait=0):
        sweep(top / "studies", old=0)
    for folder in (top, *(Path(path) for name in _SWEPT for path, _, _ in os.walk(top / name))):
        sweep(folder, old=OLD)
    _removals(top)
    with suppress(OSError):  # what a user of a server removed expires though they never come back
        for workspace in (server_home() / USERS).iterdir() if is_served() else ():
            if workspace.is_dir() and not workspace.is_symlink():
                _removals(workspace)
