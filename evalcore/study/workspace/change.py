"""A study changes whole: what is new is made in a copy of its folder, which then takes its place.

The copy is made of hard links, so it costs no room, and is edited as it pleases: nobody sees it. Then the two
change places at once, or, where the system cannot, by two renames. A program that dies leaves the old study
or the new one, and a folder aside that the next change or start removes; where it died between two renames,
the old study is aside, and is put back first.

A folder opened in place, where the user allows changes, is not ours to swap: it may be on any disk, contain
any amount, and other programs are at work in it. There single files are written, each whole, and none is
removed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore.study.folder.layout import find_layout, parse_study_toml
from evalcore.study.folder.toml import edited, read_toml
from evalcore.study.parts.kind import TOML, Layout
from evalcore.study.parts.registry import OF_A_SYSTEM
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.file_names import folder_name, place_in_words, safe_name
from evalcore.study.workspace.home import (
    PRIVATE_FOLDER,
    REMNANT,
    changes_in_place,
    check_is_there,
    home,
    is_full,
    keeping,
    locked,
    make_folder,
    remove_tree,
    study_folder,
    unused,
    write_new,
)
from evalcore.values.errors import CuiscopeError, InputError

OLD = 3600
"""Seconds after which what is unfinished where there is no lock is nobody's."""
_WAS = "was"
"""The folder aside with the old study, between two renames."""
_JOINING = ("graph", "concept_vectors", "judgments", "judges")
"""Parts whose files count together; all shards of parquet do too."""


@contextmanager
def staging(study: Path | None = None, *, in_place: bool = False) -> Iterator[Path]:
    """A new folder aside, on the disk of the studies, gone afterwards; the studies are locked meanwhile.

    ``study``: what is to change; one opened in place may be on another disk, so the folder is in it. OSError
    when it cannot be made; InputError when the study is no longer there, or the studies stay locked.
    """
    top = Path(os.path.realpath(study if study is not None and in_place else home() / "studies"))
    with locked():
        sweep(top, old=OLD if in_place else 0)
        if study is not None:
            check_is_there(study)
        make_folder(top)
        aside = top / f".{uuid4().hex}"
        aside.mkdir(PRIVATE_FOLDER)
        try:
            yield aside
        finally:
            _clear(aside)


def sweep(top: Path, *, old: float) -> None:
    """Remove from a folder what is unfinished and older than so many seconds."""
    with suppress(OSError):
        for path in [path for path in top.iterdir() if REMNANT.fullmatch(path.name)]:
            if not old or time.time() - path.lstat().st_mtime > old:
                _clear(path)


def _clear(aside: Path) -> None:
    """Remove a folder aside, once a study whose place is empty is back in it; OSError when it cannot be."""
    for study in (aside / _WAS).glob("*"):
        if not os.path.lexists(place := aside.parent / study.name):
            study.rename(place)
    remove_tree(aside)


def copy_by_links(folder: Path, target: Path) -> None:
    """A folder with all in it, as hard links; as copies where the disk has none. OSError where it cannot be,
    or a file is there already. Links stay links."""
    make_folder(target)
    with os.scandir(folder) as entries:
        for entry in entries:
            place = target / entry.name
            if entry.is_symlink():
                place.symlink_to(Path(entry.path).readlink())
            elif entry.is_dir():
                copy_by_links(Path(entry.path), place)
            else:
                try:
                    os.link(entry.path, place)
                except OSError as reason:
                    if is_full(reason) or isinstance(reason, FileExistsError):
                        raise
                    shutil.copy2(entry.path, place)


@contextmanager
def changed(
    study: Path | str, *, in_place: bool = False, file: str = TOML, what: str = "The change"
) -> Iterator[Change]:
    """A study while it changes, one program at a time; unchanged when the block fails. Of a folder opened in
    place only new files are taken back then.

    ``study``: its folder, or the name of a new one, which there is once something is written; the folder is
    ``name_2`` and so on when that is taken. ``in_place``: the user allows changes to this folder, which is no
    uploaded study. ``file`` is what the problems are about, ``what`` is to be kept.

    Raises
    ------
    InputError
        The study may not be changed (`changes_in_place`), is no longer there, or cannot be written.
    """
    there = study if isinstance(study, Path) else None
    in_place = there is not None and changes_in_place(there, allowed=in_place)
    with keeping(what), staging(there, in_place=in_place) as aside:
        place = unused(study_folder(str(study)), "") if there is None else Path(os.path.realpath(there))
        change = Change(place, aside, Problems(file), aside / "study" if there is None else place, in_place)
        if there is None:
            make_folder(change.folder)
        try:
            yield change
        except (OSError, CuiscopeError):
            for path in change.new:
                remove_tree(path)
            raise
        if there is None and any(change.folder.iterdir()):
            if place.name == safe_name(str(study)) != study:
                with change.toml() as content:
                    content.setdefault("name", study)
            change.folder.rename(place)
        elif there is not None and change.folder != place:
            _swap(change.folder, place)


def _swap(new: Path, old: Path) -> None:
    """Let a folder take the place of another, at once where system and disk can: whoever reads meanwhile
    finds either."""
    exchange = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, at_once = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if exchange is None or exchange(here, os.fsencode(new), here, os.fsencode(old), at_once):
        make_folder(new.parent / _WAS)
        old.rename(new.parent / _WAS / old.name)
        new.rename(old)


@dataclass(slots=True)
class Change:
    """A study about to change, a folder aside on the same disk, and what to report.

    ``study``: its place. ``folder``: what it is now: the study itself, or what takes its place, once there is
    something to write. ``in_place``: files are written into the folder itself, and none is removed; ``new``
    are those that were not there.
    """

    study: Path
    aside: Path
    problems: Problems
    folder: Path
    in_place: bool
    new: list[Path] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The folder to write into. What is in it may be linked: files are replaced, never written into."""
        if self.folder == self.study and not self.in_place:
            copy_by_links(self.study, self.aside / "study")
            self.folder = self.aside / "study"
        return self.folder

    @property
    def layout(self) -> Layout:
        """How the study is laid out now, with what was written so far."""
        return find_layout(self.folder)

    def put(self, place: str | Path, content: bytes | Path) -> Path:
        """Write a file of the study whole, over the one that is there: bytes, or a file aside; its path.

        InputError where its folder is a link out of the study, or it would be removed in place.
        """
        target = self.root / place
        missing = list(takewhile(lambda parent: not parent.exists(), target.parents))
        inside = target.parents[len(missing)]
        if not Path(os.path.realpath(inside)).is_relative_to(self.root):
            message = f"{inside.name} in the study is a link that leads out of it; nothing is written there."
            raise InputError(f"{message} Replace it by a folder, then try again.")
        ready = content if isinstance(content, Path) else self.aside / uuid4().hex
        if isinstance(content, bytes):
            write_new(ready, content)
        if self.in_place and not os.path.lexists(target):
            self.new.append(target)
        for folder in reversed(missing):
            folder.mkdir(PRIVATE_FOLDER)
        ready.replace(target)
        if self.in_place:  # whoever may read the folder may read what is new in it; uploads are private
            mode = stat.S_IMODE(self.root.stat().st_mode)
            target.chmod(mode & 0o666)
            for folder in missing:
                folder.chmod(mode)
        return target

    def relative(self, path: Path) -> str:
        """A path as ``study.toml`` names it."""
        return path.relative_to(self.root).as_posix()

    # What ``study.toml`` says.

    @contextmanager
    def toml(self) -> Iterator[dict[str, Any]]:
        """What ``study.toml`` says, to be edited in the block and written at its end.

        Comments are kept where they can be. InputError where the file has errors, or the new content would.
        """
        here = self.folder / TOML
        data = content_of(here, TOML) if os.path.lexists(here) else b""
        report, content, before = parse_study_toml(data, file=TOML)[1], dict[str, Any](), ""
        if not report.total("error"):
            content, before = read_toml(data, Problems(TOML), way_out="", may_be_empty=True)
            yield content
            try:
                data = edited(before, content).encode()
            except UnicodeEncodeError as reason:
                remedy = f"Rename it: {TOML} can only contain names in UTF-8."
                raise InputError(f"A file of the study has a name that is not UTF-8. {remedy}") from reason
            report = parse_study_toml(data, file=TOML)[1]
        if report.total("error"):
            remedy = f"Correct or remove {TOML} in {place_in_words(self.study)}, or make a new study."
            raise InputError(f"{TOML} has errors, so it cannot follow the change. {remedy}", report)
        if before or content:
            self.put(TOML, data)

    def name(self, kind: str, files: Sequence[Path]) -> None:
        """Let ``study.toml`` say that these files are the part of a kind, and alone."""
        with self.toml() as content:
            content.setdefault("files", {})[kind] = [self.relative(file) for file in files]

    def describe(self, system: str, table: Mapping[str, Any] | None) -> dict[str, Any]:
        """Let ``study.toml`` say this too about a system, None: nothing any more; what it said of it.

        Folders say which systems there are, until a table names a file: the tables name all from then on.
        """
        layout, files = self.layout, {*OF_A_SYSTEM}
        by_tables = layout.toml.systems is not None
        with self.toml() as content:
            systems = {name: dict(said) for name, said in content.get("systems", {}).items()}
            if not by_tables and files & {*(table or ())}:
                by_tables = True
                for other, parts in layout.systems.items():
                    systems.setdefault(other, {}).update(
                        {p: self.relative(path) for p, path in parts.items()}
                    )
            before = systems.pop(system, {})
            if table:
                systems[system] = {**before, **table}
            if by_tables and not any(files & {*said} for said in systems.values()):
                systems = {}  # tables without files would leave it to the folders which systems there are
            content["systems"] = systems
            if not (systems or by_tables):
                del content["systems"]
        return before


# A file becomes a part of the study.


def put_part(change: Change, kind: str, data: bytes, place: str, system: str = "") -> Path:
    """A file becomes the part of a kind, or one of its files; where it is now.

    ``place``: where it belongs by convention, in the study's folder or in that of its ``system``, by its
    name. Files that count together join the others, graphs beside one of the same name; any other takes the
    place of what counted so far. What another part uses too stays, and so do shards of parquet, which contain
    more than concepts. ``study.toml`` names what its conventions do not find.

    InputError where a file would have to be removed from a folder opened in place.
    """
    root, layout = change.root, change.layout
    target = (_folder_of(layout, system) if system else root) / place
    counted = _files_of(layout, kind, system)
    joins = kind in _JOINING or (not system and all(map(_is_shard, (*counted, target))))
    staying = [
        path
        for path in counted
        if joins or (_is_shard(path) and not system) or is_used_elsewhere(layout, path, counted)
    ]
    if target not in counted or (kind == "graph" if joins else target in staying):
        target = unused(target)
    if joins and target.name != Path(place).name:
        message = f"There is a file {Path(place).name} already; this one is kept as {target.name}, and both"
        change.problems.warning("kept-beside", f"{message} count.", "", value=target.name)
    unwanted = [path for path in counted if path not in (target, *staying)]
    if unwanted and change.in_place:
        names = ", ".join(map(layout.name_of, unwanted))
        remedy = "Remove or rename it there, then add the file again."
        raise InputError(f"{names} is there already, and no file is removed from an opened folder. {remedy}")
    change.put(target, data)
    for path in unwanted:
        path.unlink()
    wanted = [*counted, target] if joins else [target]
    if {*_files_of(change.layout, kind, system)} != {*wanted}:
        if system:
            change.describe(system, {kind: change.relative(target)})
        else:
            change.name(kind, list(dict.fromkeys(wanted)))
    return target


def _files_of(layout: Layout, kind: str, system: str) -> list[Path]:
    """The files that are a part of the study, or of a system."""
    if system:
        return [path for part, path in layout.systems.get(system, {}).items() if part == kind]
    return list(layout.files[kind])


def is_used_elsewhere(layout: Layout, path: Path, own: Sequence[Path]) -> bool:
    """Whether a file is another part of the study than ``own`` too."""
    parts = [*layout.files.values(), *(files.values() for files in layout.systems.values())]
    return sum([*files].count(path) for files in parts) > own.count(path)


def _folder_of(layout: Layout, system: str) -> Path:
    """The folder of a system, there or new, where its files belong by convention."""
    systems = layout.root / "systems"
    if layout.toml.systems is not None:
        return systems / folder_name(system, layout.toml.systems)
    own = (path.parent for path in layout.systems.get(system, {}).values() if path.parent.parent == systems)
    return next(own, systems / system)


def name_in(layout: Layout, system: str) -> str:
    """What a system, there or new, is called in a study: where folders are the systems, as one can be."""
    system = " ".join(system.split())
    if layout.toml.systems is not None or system in layout.systems:
        return system
    return folder_name(system, layout.systems)


def _is_shard(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"
