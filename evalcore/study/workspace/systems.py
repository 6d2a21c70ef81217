"""The systems of a study: named, ordered and described in ``study.toml``; removed, and brought back.

All of it changes only what was uploaded, or a folder opened in place where the user allows it. A system that
is removed lies in the workspace for a day, with what ``study.toml`` said about it.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore.study.folder.layout import Layout, read_layout
from evalcore.study.folder.study_toml import MAX_TITLE, is_title
from evalcore.study.workspace.change import Change, changed
from evalcore.study.workspace.home import home, read_json, readable, write_new
from evalcore.study.workspace.own import is_workspace
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.problems import Report

KEPT_FOR = 24 * 3600
"""Seconds a removed system can be brought back."""
_MANIFEST = "removed.json"


@dataclass(frozen=True, slots=True)
class Removed:
    """A system that was removed: its name then, and the folder of the workspace that holds it."""

    name: str
    aside: Path


def describe(
    study: Path, said: Mapping[str, Mapping[str, str | int | None]], *, in_place: bool = False
) -> Report:
    """Let ``study.toml`` say how systems are shown, all in one change.

    Parameters
    ----------
    study : its folder.
    said : {system, by name or key: {"title", "colour", "marker", "order" or "notes": value}}; None or ""
        takes a value out, what is not mentioned stays. A title that is the key needs not be written.
    in_place : the user allows changes to this folder, which is no uploaded study.

    Returns
    -------
    A remark where comments of ``study.toml`` could not be kept.

    Raises
    ------
    UnknownName
        There is no such system.
    InputError
        A name, a colour or a marker that cannot be; two systems of one name; a folder that may not be
        changed, or cannot be. Nothing is changed then.
    """
    with changed(study, in_place=in_place) as change:
        keys = {_key(change.layout, system): dict(values) for system, values in said.items()}
        for key, values in keys.items():
            if values.get("title") == key:
                values["title"] = None
        _check_titles(change.layout, {key: v["title"] for key, v in keys.items() if "title" in v})
        change.tables({key: _with(change.table_of(key), values) for key, values in keys.items()})
        return change.found.report()


def say(
    study: Path, *, name: str | None = None, description: str | None = None, in_place: bool = False
) -> Report:
    """Change the name or description of a study; None leaves it, "" takes it out. Raises as `describe`."""
    with changed(study, in_place=in_place) as change:
        change.say(
            {key: text for key, text in (("name", name), ("description", description)) if text is not None}
        )
        return change.found.report()


def follow(study: Path, relations: Sequence[str], *, in_place: bool = False) -> Report:
    """Let the graph of a study have links of these relation types only; none: as its files have them.

    Raises as `describe`. What the files cannot give is reported when the study opens.
    """
    with changed(study, in_place=in_place) as change:
        change.table("graph", {"rela": list(relations) or None})
        return change.found.report()


def remove_system(study: Path, system: str, *, in_place: bool = False) -> Removed:
    """Take a system, by name or key, out of a study; `bring_back` undoes it. Raises as `describe`.

    A folder below ``systems/`` goes as a whole, with whatever else lies in it; where ``study.toml`` names
    the files, those go that nothing else of the study uses.
    """
    with changed(study, in_place=in_place) as change:
        key = _key(change.layout, system)
        kept = home() / "removed" / uuid4().hex
        table = change.table_of(key)
        paths = _paths_of(change, key)
        name = change.layout.names[key]
        manifest = {
            "study": os.path.realpath(study), "name": name, "key": key, "table": table,
            "paths": [change.relative(path) for path in paths],
        }  # fmt: skip
        write_new(kept / _MANIFEST, json.dumps(manifest).encode())
        change.tables({key: None})
        for number, path in enumerate(paths):
            _move(path, kept / str(number))
        return Removed(name, kept)


def bring_back(removed: Removed) -> str:
    """Undo a removal: every file where it was, and what ``study.toml`` said; the system's name.

    Raises InputError when something else stands there now, or the time is over.
    """
    manifest = _manifest_of(removed.aside)
    if manifest is None:
        raise InputError("The system is no longer kept; add its files again.")
    study = Path(manifest["study"])
    with changed(study, in_place=True) as change:  # as it was when the system was removed
        moves = []
        for number, path in enumerate(manifest["paths"]):
            held, place = removed.aside / str(number), change.root / path
            if not os.path.lexists(held):
                continue  # the program died before it was moved: it is where it was
            if os.path.lexists(place):
                message = f"There is something called {readable(path)} in the study again."
                raise InputError(f"{message} Remove it first.")
            if not Path(os.path.realpath(place.parent)).is_relative_to(change.root):
                raise InputError("The place of the system is a link that leads out of the study now.")
            moves.append((held, place))
        for held, place in moves:
            change.make_folder(place.parent)
            _move(held, place)
        if manifest["table"]:
            change.tables({manifest["key"]: manifest["table"]})
    shutil.rmtree(removed.aside, ignore_errors=True)
    return str(manifest["name"])


def removals(study: Path) -> list[Removed]:
    """The systems of a study that can be brought back, the last one first; older ones are thrown away."""
    where, layout = os.path.realpath(study), read_layout(study)[0]
    found: list[tuple[float, Removed]] = []
    with suppress(OSError):
        for aside in (home() / "removed").iterdir() if is_workspace(home()) else ():
            if not (aside / _MANIFEST).is_file():
                continue  # nothing that was put there by this program
            at = aside.stat().st_mtime
            if time.time() - at > KEPT_FOR:
                shutil.rmtree(aside, ignore_errors=True)
            elif (
                (manifest := _manifest_of(aside)) is not None
                and manifest["study"] == where
                and manifest["key"] not in layout.systems
            ):
                found.append((at, Removed(str(manifest["name"]), aside)))
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def _manifest_of(aside: Path) -> dict[str, Any] | None:
    """What was written about a removal; None where it is gone or broken."""
    manifest = read_json(aside / _MANIFEST)
    try:
        return {
            "study": str(manifest["study"]), "name": str(manifest["name"]), "key": str(manifest["key"]),
            "table": dict(manifest["table"]), "paths": [str(path) for path in manifest["paths"]],
        }  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return None


def _paths_of(change: Change, key: str) -> list[Path]:
    """What goes with a system: its folder, or the files that only it uses."""
    folder = change.root / "systems" / key
    parts = change.layout.systems[key]
    if change.layout.toml.systems is None:
        on_disk = next((path.parent for path in parts.values()), folder)
        if on_disk.parent == change.root / "systems" or not parts:
            return [on_disk]
    return [path for path in dict.fromkeys(parts.values()) if not change.is_also(path, parts.values())]


def _move(path: Path, to: Path) -> None:
    """Rename, or copy where that crosses disks: the copy is whole before the original goes."""
    try:
        path.rename(to)
        return
    except OSError as reason:
        if reason.errno != errno.EXDEV:
            raise
    near = to.with_name(f".{uuid4().hex}")
    whole = path.is_dir() and not path.is_symlink()
    if whole:
        shutil.copytree(path, near, symlinks=True)
    else:
        shutil.copy2(path, near, follow_symlinks=False)
    near.rename(to)
    if whole:
        shutil.rmtree(path)
    else:
        path.unlink()


def _with(table: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any] | None:
    new = {**table, **values}
    return {key: value for key, value in new.items() if value not in (None, "")} or None


def _key(layout: Layout, system: str) -> str:
    key = layout.key_of(system)
    if key is None:
        raise UnknownName("system", system, layout.names.values())
    return key


def _check_titles(layout: Layout, titles: Mapping[str, Any]) -> None:
    """InputError for names that cannot be, or that two systems would have."""
    for title in titles.values():
        if title and (not isinstance(title, str) or not is_title(title)):
            message = f"{readable(str(title))[:200]!r} cannot be the name of a system."
            raise InputError(
                f"{message} Give one line of at most {MAX_TITLE} characters, without @ in front."
            )
    names = {key: titles.get(key, name) or key for key, name in layout.names.items()}
    for key, name in names.items():
        if any(other != key and name in (other, names[other]) for other in names):
            raise InputError(f"Two systems cannot both be called {name!r}.")
    after = replace(layout, names=names)
    if taken := [seed for key in layout.systems for seed in after.taken_seeds(key)]:
        raise InputError(f"A system and a seed of another cannot both be called {taken[0]!r}.")
