"""The bin of a workspace: a study or a system that was removed can be brought back for 30 days.

Each removal is a folder there with a manifest and what went: a study, by one rename, with what features keep
about it; the files of a system. Those are links: they are in the bin before they go from their place, and
back in their place before they go from the bin.
"""

from __future__ import annotations

import math
import os
import re
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import tomlkit

from evalcore import extensions
from evalcore.study.folder.layout import find_layout
from evalcore.study.workspace.change import OLD, changed, copy_by_links, is_used_elsewhere, sweep
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.home import (
    USERS,
    check_is_there,
    home,
    is_uploaded,
    keeping,
    locked,
    make_folder,
    remove_tree,
    replacing,
    server_home,
    study_folder,
    unused,
    write_new,
)
from evalcore.values import events
from evalcore.values.account import is_served
from evalcore.values.errors import InputError, UnknownName

GRACE = 30
"""Days for which what was removed can be brought back."""
_DAY = 24 * 3600
_MANIFEST, _STUDY, _FILES = "removed.toml", "study", "files"
"""In a folder of the bin: what it is, the folder of a study, the files of a system by their paths in it."""
_NAME = re.compile(r"[0-9a-f]{32}")
_SWEPT = ("cache", "review", "satisfaction", "synthetic")
"""Folders of a workspace that are looked through for what is unfinished and old."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A study or a system that was removed.

    ``name``: what it was called. ``at``: when, in seconds since 1970. ``study``: the folder that a system was
    in, "" for a study. ``table``: what ``study.toml`` said of it. ``aside``: the folder that contains it.
    """

    name: str
    at: float
    study: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    aside: Path = field(default_factory=lambda: home() / "removed" / uuid4().hex)

    @property
    def days_left(self) -> int:
        """Whole days, begun ones too, for which it can be brought back."""
        return max(0, min(GRACE, math.ceil(GRACE - (time.time() - self.at) / _DAY)))


def removals(study: Path | None = None) -> list[Removed]:
    """What can be brought back, the last removed first: of the uploaded studies, or of a study's systems."""
    if study is None:
        return [removed for removed in _bin(home()) if (removed.aside / _STUDY).is_dir()]
    where, systems = os.path.realpath(study), find_layout(study).systems
    return [removed for removed in _bin(home()) if removed.study == where and removed.name not in systems]


def restore(removed: Removed) -> Path:
    """Undo a removal; the folder of the study.

    A study has its name again, or ``name_2`` and so on where that is taken meanwhile; a system every file
    where it was, and what ``study.toml`` said.

    Raises
    ------
    InputError
        It is no longer kept, something else is in the place of the system now, or it cannot be moved.
    """
    if removed.study:
        study, kind, system = Path(removed.study), "system", removed.name
        with changed(study) as change:
            _check_is_kept(removed)
            try:
                if (removed.aside / _FILES).is_dir():  # else another system has its files
                    copy_by_links(removed.aside / _FILES, change.root)
            except FileExistsError as reason:
                message = f"There is something called {readable(system)} in its place again."
                raise InputError(f"{message} Remove it first.") from reason
            if removed.table:
                change.describe(system, removed.table)
    else:
        kind, system = "study", None
        with keeping(readable(removed.name)), locked():
            _check_is_kept(removed)
            study = unused(study_folder(removed.name), "")
            make_folder(study.parent)
            for feature, folder in _folders_about(study).items():
                remove_tree(folder)
                if (removed.aside / feature).is_dir():
                    copy_by_links(removed.aside / feature, folder)
            (removed.aside / _STUDY).rename(study)
    _discard(removed)
    events.record("restored", study=study.name, kind=kind, system=system)
    return study


@contextmanager
def _into_bin(removed: Removed) -> Iterator[Path]:
    """The folder of a removal while it is filled; afterwards it is in the bin, or gone where that failed."""
    facts = {name: value for name, value in asdict(removed).items() if name != "aside"}
    with replacing(removed.aside) as unfinished:
        write_new(unfinished / _MANIFEST, tomlkit.dumps(facts).encode("utf-8", "surrogatepass"))
        yield unfinished


def _bin(workspace: Path) -> list[Removed]:
    """Everything in the bin of a workspace, the last removed first.

    What is older than ``GRACE`` days goes for good. Folders that others put into the bin are passed over.
    """
    kept, place = [], workspace / "removed"
    for aside in place.iterdir() if place.is_dir() else ():
        if not _NAME.fullmatch(aside.name):
            continue
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            read = tomllib.loads((aside / _MANIFEST).read_bytes().decode("utf-8", "surrogatepass"))
            facts = str(read["name"]), float(read["at"]), str(read["study"]), dict(read["table"])
            kept.append(Removed(*facts, aside))
            if time.time() - kept[-1].at > GRACE * _DAY:
                _discard(kept.pop())
    return sorted(kept, key=lambda removed: -removed.at)


def _check_is_kept(removed: Removed) -> None:
    if not (removed.aside / _MANIFEST).is_file():
        raise InputError(f"{readable(removed.name)} is no longer kept.")


def _discard(removed: Removed) -> None:
    """Remove it from the bin for good; nothing happens where that was done already, or cannot be."""
    unwanted = removed.aside.with_name(f".{uuid4().hex}")
    with suppress(OSError):
        removed.aside.rename(unwanted)  # nobody sees half of it
        remove_tree(unwanted)
        unwanted.parent.rmdir()  # unless it is not empty


# Uploaded studies.


def delete_study(study: Path) -> Removed:
    """Move an uploaded study into the bin; `restore` undoes it.

    With it goes what features keep about it in the workspace. Raises InputError for any other folder, and
    where it cannot be moved; nothing has changed then.
    """
    if not (is_uploaded(study) and study.is_dir()):
        raise InputError(
            f"{readable(study.name)} is not one of your uploaded studies; only those are deleted here."
        )
    for _, settle in extensions.additions("before a study moves"):
        settle(study)
    about, removed = _folders_about(study), Removed(study.name, time.time())
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


def _folders_about(study: Path) -> dict[str, Path]:
    """The folders of the workspace that features keep about a study, by the name of the feature."""
    return {
        feature.name: folder_of(study) for feature, folder_of in extensions.additions("folder about a study")
    }


# Systems of an uploaded study.


def remove_system(study: Path, system: str) -> Removed:
    """Move a system out of an uploaded study; `restore` undoes it.

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
        removed = Removed(system, time.time(), os.path.realpath(study), table)
        with _into_bin(removed) as unfinished:
            for path in {folder} if is_folder else own:
                place = unfinished / _FILES / change.relative(path)
                make_folder(place.parent)
                path.rename(place)
    events.record("removed", study=study.name, kind="system", system=system)
    return removed


# At every start.


def _finish(removed: Removed) -> None:
    """Take out of the bin what is in its place too, since a program died while it went there or came back;
    and remove what features keep about a study that is only in the bin."""
    if not removed.study:
        if not (removed.aside / _STUDY).is_dir():
            _discard(removed)
        elif not os.path.lexists(study := study_folder(removed.name)):
            for folder in _folders_about(study).values():
                remove_tree(folder)
        return
    kept, study = removed.aside / _FILES, Path(removed.study)
    files = [path.relative_to(kept) for path in kept.rglob("*") if path.is_file()]
    with suppress(OSError):  # a file is not in the study: the system was removed
        if files and all((kept / file).samefile(study / file) for file in files):
            _discard(removed)


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
        sweep(top / "removed", old=0)
        for removed in _bin(top):
            _finish(removed)
    for folder in (top, *(Path(path) for name in _SWEPT for path, _, _ in os.walk(top / name))):
        sweep(folder, old=OLD)
    with suppress(OSError):  # what a user of a server removed expires though they never come back
        for workspace in (server_home() / USERS).iterdir() if is_served() else ():
            if workspace.is_dir() and not workspace.is_symlink():
                _bin(workspace)
