"""The workspace: uploaded studies and recently opened folders, kept so that a restart loses nothing.

``home`` where everything lies, ``uploads`` single files, ``systems`` names and removals, ``study_zip`` whole
studies, ``staging`` how two programs share it. Only studies in the workspace are changed, and a folder opened
in place where the user allows it.
"""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore import extensions
from evalcore.study.folder import parts
from evalcore.study.folder.layout import Layout, read_layout
from evalcore.study.folder.study_toml import MAX_TITLE, is_title
from evalcore.study.tables.archives import MAX_ENTRIES, inner, unpack
from evalcore.study.tables.lines import read_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import Change, changed, changing, staging, tidy
from evalcore.study.workspace.deleted import Deleted, deleted_studies, discard, put_aside, put_back
from evalcore.study.workspace.home import (
    cannot_keep,
    home,
    is_uploaded,
    is_workspace,
    owner_of,
    read_json,
    readable,
    recent,
    remember,
    safe_name,
    studies,
    study_folder,
    unused_study,
    why_nothing_is_kept,
    write_new,
)
from evalcore.study.workspace.recognise import (
    STUDY,
    UNKNOWN,
    Recognised,
    missing,
    named,
    recognise,
    recognise_as,
)
from evalcore.study.workspace.uploads import add_first_part, add_part, has_part, known_as, remove_part
from evalcore.values import events
from evalcore.values.account import is_served
from evalcore.values.errors import InputError, Report, UnknownName
from evalcore.values.limits import check_file

__all__ = [
    "STUDY",
    "UNKNOWN",
    "Added",
    "Deleted",
    "Recognised",
    "Removed",
    "add_files",
    "add_first_part",
    "add_part",
    "add_study_zip",
    "bring_back",
    "delete_study",
    "deleted_studies",
    "describe",
    "discard",
    "follow",
    "has_part",
    "home",
    "is_uploaded",
    "known_as",
    "missing",
    "named",
    "owner_of",
    "readable",
    "recent",
    "recognise",
    "recognise_as",
    "remember",
    "removals",
    "remove_part",
    "remove_system",
    "restore_study",
    "safe_name",
    "say",
    "studies",
    "study_folder",
    "tidy",
    "why_not_packed",
    "why_nothing_is_kept",
    "zip_study",
]


# Whole studies as one zip: taken in, and given out for a colleague.

MAX_PACKED = 1 << 30
"""Largest study that is packed in memory, in bytes of its files."""
_STORED = (".jpg", ".jpeg", ".png", ".gz", ".npz", ".parquet", ".zip", ".webp")


def add_study_zip(name: str, data: bytes) -> tuple[Path | None, Report]:
    """Unpack a zipped study into the workspace, under ``name`` or ``name_2`` and so on when that is taken.

    Returns its folder and the problems of the zip and of its concepts. None, and nothing is kept,
    when the zip is unsafe or damaged or holds no readable concepts. A single folder around the study
    is taken off.
    """
    file = f"{name}.zip"
    check_file(file, len(data))
    try:
        with staging() as aside:
            unpacked = aside / "zip"
            report = unpack(data, unpacked, file=file)
            if not unpacked.is_dir():
                return None, report
            top = inner(unpacked)
            layout, result = read_layout(top)
            read = parts.Reading(layout, [report, result])
            basis = parts.read_basis(read)
            if basis is None or not (basis.concepts.vocabulary or basis.scored):
                problems = Problems(file)
                message = "The zip contains no readable concepts; it was not kept."
                remedy = "Zip a study folder with concepts.csv in it, rows such as: image_1,C0040405;C0817096"
                problems.error("no-concepts", message, remedy)
                return None, read.report() + problems.report()
            with changing():
                folder = unused_study(name)
                top.rename(folder)
            return folder, read.report()
    except OSError as reason:
        raise cannot_keep(file, reason) from reason


@dataclass(frozen=True, slots=True)
class Added:
    """What became of several files: the study's folder (None: none was made), and those kept and refused."""

    folder: Path | None
    kept: tuple[str, ...]
    refused: tuple[str, ...]
    report: Report


def add_files(files: Sequence[Recognised], into: Path | str, *, in_place: bool = False) -> Added:
    """Keep recognised files, in their order, in a study's folder or in a new study of that name.

    Files of no known part are left out. Each file is kept or refused on its own; what cannot be kept is
    reported (rule "not-kept"), and what was there before is unchanged then. A whole study in a zip is a new
    study; where no folder is given, the other files join it. Raises what `add_part` raises for the folder.
    """
    folder = into if isinstance(into, Path) else None
    kept: list[str] = []
    refused: list[str] = []
    reports: list[Report] = []
    for file in files:
        if file.kind == UNKNOWN:
            continue
        name, system = Path(file.file).name, file.system or None
        new: Path | None
        try:
            if file.kind == STUDY:
                new, report = add_study_zip(safe_name(Path(name).stem), file.data)
            elif folder is None:
                new, report = add_first_part(str(into), file.kind, name, file.data, system=system)
            else:
                report = add_part(folder, file.kind, name, file.data, system=system, in_place=in_place)
                new = folder
        except InputError as reason:
            problems = Problems(name)
            problems.error("not-kept", str(reason), "What was there before is unchanged.")
            new, report = None, problems.report() + (reason.report or Report())
        lost = new is None or any(rule == "not-kept" for _, _, rule in report.counts)
        (refused if lost else kept).append(file.file)
        if new is not None and not lost:
            events.record("uploaded", study=new.name, kind=file.kind, file=name, bytes=len(file.data))
        folder = folder if lost else folder or new
        reports.append(report)
    return Added(folder if kept else None, tuple(kept), tuple(refused), Report.joined(reports))


def zip_study(study: Path, *, judgments: bool = False) -> bytes:
    """The files of a study folder as a zip with one folder in it; the same content gives the same bytes.

    ``judgments``: those of its readers that are in the database go with it, as ``review/*.judgments.csv``.
    Hidden files and links are left out. Raises InputError for a study larger than ``MAX_PACKED``, of more
    files than a zip may hold, or with a file that cannot be read.
    """
    if reason := why_not_packed(study):
        raise InputError(reason)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        added = _elsewhere(study) if judgments else {}
        paths = {path.relative_to(study).as_posix(): path for files in _folders(study) for path in files}
        for name in sorted({*paths, *added}):
            # The date is left at its default, so that the zip depends on nothing but the content.
            info = zipfile.ZipInfo(readable(f"{study.name}/{name}"))
            packed = Path(name).suffix.lower() in _STORED
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, added[name] if name in added else _content(paths[name], info.filename))
    return out.getvalue()


def _elsewhere(study: Path) -> dict[str, bytes]:
    """Files of a study that features keep elsewhere, such as judgments in the database."""
    return {
        name: data
        for _, files in extensions.additions("files of a study")
        for name, data in files(study).items()
    }


def _content(path: Path, name: str) -> bytes:
    problems = Problems(name)
    content = read_bytes(path, problems)
    if content is None:
        raise InputError("The study cannot be packed while a file in it cannot be read.", problems.report())
    return content


def why_not_packed(study: Path) -> str:
    """Why a study cannot be packed, with the way out; "" when it can. Stops looking when it is too large."""
    left, number, remedy = MAX_PACKED, 0, "Ask an administrator for its folder."
    if not is_served():
        remedy = f"Copy its folder instead: {readable(str(study))}"
    for files in _folders(study):
        number += 1 + len(files)
        if number > MAX_ENTRIES:
            return f"The study contains more than {MAX_ENTRIES:,} files: too many for a zip. {remedy}"
        for path in files:
            with suppress(OSError):  # it went meanwhile
                left -= path.stat().st_size
        if left < 0:
            size = f"{MAX_PACKED >> 30} GB" if MAX_PACKED >> 30 else f"{MAX_PACKED:,} bytes"
            return f"The study is larger than {size}: too much for a download. {remedy}"
    return ""


def _folders(study: Path) -> Iterator[list[Path]]:
    """The files in each folder of a study, one folder after the other, but hidden ones and links."""
    for folder, below, names in os.walk(study):
        below[:] = sorted(name for name in below if not name.startswith("."))
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        yield [path for path in paths if path.is_file() and not path.is_symlink()]


# Whole studies deleted, and brought back within `deleted.GRACE` days.

A_STUDY = "study"


def delete_study(study: Path) -> Deleted:
    """Delete an uploaded study, for now: `restore_study` undoes it, `discard` makes it final.

    With it goes what features keep about it in the workspace. Raises InputError for any other folder, and
    where it cannot be moved; nothing has changed then.
    """
    if not (is_uploaded(study) and study.is_dir()):
        raise InputError(
            f"{readable(study.name)} is not one of your uploaded studies; only those are deleted here."
        )
    for _, settle in extensions.additions("before a study moves"):
        settle(study)
    return put_aside(study.name, {A_STUDY: study, **_folders_about(study)})


def restore_study(deleted: Deleted) -> Path:
    """Bring a study back, under its name or ``name_2`` and so on where that is taken meanwhile; its folder.

    Raises InputError when it is no longer kept, or cannot be moved.
    """
    study = unused_study(deleted.name)
    put_back(deleted, {A_STUDY: study, **_folders_about(study)})
    return study


def _folders_about(study: Path) -> dict[str, Path]:
    """The folders of the workspace that features keep about a study, by the name of the feature."""
    return {feature.name: of(study) for feature, of in extensions.additions("folder about a study")}


# The systems of a study: named, ordered and described in ``study.toml``; removed, and brought back.
#
# All of it changes only what was uploaded, or a folder opened in place where the user allows it. A system
# that is removed lies in the workspace for a day, with what ``study.toml`` said about it.

KEPT_FOR = 24 * 3600
"""Seconds a removed system can be brought back."""
_MANIFEST = "removed.json"


@dataclass(frozen=True, slots=True)
class Removed:
    """A system that was removed: its name then, and the folder of the workspace that holds it."""

    name: str
    aside: Path


def describe(
    study: Path, descriptions: Mapping[str, Mapping[str, str | int | None]], *, in_place: bool = False
) -> Report:
    """Let ``study.toml`` say how systems are shown, all in one change.

    Parameters
    ----------
    study : its folder.
    descriptions : {system, by name or key: {"title", "order" or "notes": value}}; None or "" takes a value
        out, what is not mentioned stays. A title that is the key needs not be written.
    in_place : the user allows changes to this folder, which is no uploaded study.

    Returns
    -------
    A remark where comments of ``study.toml`` could not be kept.

    Raises
    ------
    UnknownName
        There is no such system.
    InputError
        A name that cannot be; two systems of one name; a folder that may not be changed, or cannot be.
        Nothing is changed then.
    """
    with changed(study, in_place=in_place) as change:
        keys = {_key(change.layout, system): dict(values) for system, values in descriptions.items()}
        for key, values in keys.items():
            if values.get("title") == key:
                values["title"] = None
        _check_titles(change.layout, {key: v["title"] for key, v in keys.items() if "title" in v})
        change.tables({key: _with(change.table_of(key), values) for key, values in keys.items()})
        return change.problems.report()


def say(
    study: Path, *, name: str | None = None, description: str | None = None, in_place: bool = False
) -> Report:
    """Change the name or description of a study; None leaves it, "" takes it out. Raises as `describe`."""
    with changed(study, in_place=in_place) as change:
        change.say(
            {key: text for key, text in (("name", name), ("description", description)) if text is not None}
        )
        return change.problems.report()


def follow(study: Path, relations: Sequence[str], *, in_place: bool = False) -> Report:
    """Let the graph of a study have links of these relation types only; none: as its files have them.

    Raises as `describe`. What the files cannot give is reported when the study opens.
    """
    with changed(study, in_place=in_place) as change:
        change.table("graph", {"rela": list(relations) or None})
        return change.problems.report()


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
            "study": os.path.realpath(study),
            "name": name,
            "key": key,
            "table": table,
            "paths": [change.relative(path) for path in paths],
        }
        write_new(kept / _MANIFEST, json.dumps(manifest).encode())
        change.tables({key: None})
        for number, path in enumerate(paths):
            _move(path, kept / str(number))
        events.record("removed", study=study.name, kind="system", system=name)
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
                raise InputError("The system's folder is now a link that leads out of the study.")
            moves.append((held, place))
        for held, place in moves:
            change.make_folder(place.parent)
            _move(held, place)
        if manifest["table"]:
            change.tables({manifest["key"]: manifest["table"]})
    shutil.rmtree(removed.aside, ignore_errors=True)
    events.record("restored", study=study.name, kind="system", system=str(manifest["name"]))
    return str(manifest["name"])


def removals(study: Path) -> list[Removed]:
    """The systems of a study that can be brought back, the last one first; older ones are thrown away."""
    where, layout = os.path.realpath(study), read_layout(study)[0]
    result: list[tuple[float, Removed]] = []
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
                result.append((at, Removed(str(manifest["name"]), aside)))
    return [removal for _, removal in sorted(result, key=lambda pair: -pair[0])]


def _manifest_of(aside: Path) -> dict[str, Any] | None:
    """What was written about a removal; None where it is gone or broken."""
    manifest = read_json(aside / _MANIFEST)
    try:
        return {
            "study": str(manifest["study"]),
            "name": str(manifest["name"]),
            "key": str(manifest["key"]),
            "table": dict(manifest["table"]),
            "paths": [str(path) for path in manifest["paths"]],
        }
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
