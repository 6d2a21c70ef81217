"""The one way to change studies: what is new is made ready aside, then moved into place by renames.

A program that dies in between leaves the study as it was, and a folder aside that the next change or start
removes. Each step after that (see ``swap``) is one rename, so who reads the study meanwhile sees the old part
or the new one, never half of one.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from evalcore.study.folder.layout import TOML, Layout, read_layout
from evalcore.study.folder.study_toml import parse_study_toml
from evalcore.study.folder.toml import edited, read_toml
from evalcore.study.parts.registry import OF_A_SYSTEM
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.file_names import place_in_words
from evalcore.study.workspace.folders import check_is_there, check_may_change, is_uploaded
from evalcore.study.workspace.home import (
    PRIVATE_FOLDER,
    REMNANT,
    USERS,
    home,
    keeping,
    locked,
    make_folder,
    remove_tree,
    server_home,
    write_new,
)
from evalcore.study.workspace.removed import removals_in
from evalcore.values.account import is_served
from evalcore.values.errors import InputError

_OLD = 3600
"""Seconds after which what is unfinished where there is no lock is nobody's."""
_OLDER = ("cache", "removed", "review", "satisfaction", "synthetic")
"""Folders of a workspace that are looked through for what is unfinished and old."""


@contextmanager
def staging(study: Path | None = None) -> Iterator[Path]:
    """A new folder aside, on the disk of the studies, gone afterwards; the studies are locked meanwhile.

    ``study``: what is to change; a folder opened in place may lie on another disk, so it has its own folder.
    OSError when it cannot be made; InputError when the study is no longer there, or the studies stay locked.
    """
    uploaded = study is None or is_uploaded(study)
    top = home() / "studies" if study is None or uploaded else Path(os.path.realpath(study))
    with locked():
        if study is not None:
            check_is_there(study)
        make_folder(top)
        _sweep(top, old=0 if uploaded else _OLD)
        aside = top / f".{uuid4().hex}"
        aside.mkdir(PRIVATE_FOLDER)
        try:
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def changed(study: Path, *, in_place: bool, file: str = TOML, what: str = "The change") -> Iterator[Change]:
    """A study while it changes, one program at a time.

    ``file`` is what the problems are about, ``what`` is to be kept.

    Raises
    ------
    InputError
        The study may not be changed (`check_may_change`), is no longer there, or cannot be written.
    """
    check_may_change(study, in_place=in_place)
    with keeping(what), staging(study) as aside:
        yield Change(read_layout(study)[0], aside, Problems(file))


@dataclass(slots=True)
class Change:
    """A study about to change: how it is laid out now, a folder aside on the same disk, what to report."""

    layout: Layout
    aside: Path
    problems: Problems

    @property
    def root(self) -> Path:
        return self.layout.root

    def read_toml(self) -> tuple[dict[str, Any], str]:
        """What ``study.toml`` says, and its text; InputError where it has errors."""
        here = self.root / TOML
        if not os.path.lexists(here):
            return {}, ""
        data = content_of(here, TOML)
        _, report = parse_study_toml(data, file=TOML)
        if report.total("error"):
            remedy = f"Correct or remove {TOML} in {place_in_words(self.root)}, or make a new study."
            raise InputError(f"{TOML} has errors, so it cannot follow the change. {remedy}", report)
        content, text = read_toml(data, self.problems, way_out="", may_be_empty=True)
        return content or {}, text

    @contextmanager
    def toml(self) -> Iterator[dict[str, Any]]:
        """What ``study.toml`` says, to be edited in the block and written at its end.

        Comments are kept where they can be. InputError where the file has errors, or the new content would.
        """
        content, before = self.read_toml()
        yield content
        if before or content:
            self._write(edited(before, content))

    def _write(self, text: str) -> None:
        try:
            data = text.encode()
        except UnicodeEncodeError as reason:
            remedy = f"Rename it: {TOML} can only contain names in UTF-8."
            raise InputError(f"A file of the study has a name that is not UTF-8. {remedy}") from reason
        toml, report = parse_study_toml(data, file=TOML)
        if report.total("error"):
            raise InputError(f"The change is not possible: {report.problems[0].message}", report)
        self.put(TOML, data)
        self.layout = replace(self.layout, toml=toml)

    def name(self, kind: str, files: Iterable[Path | str], system: str = "") -> None:
        """Let ``study.toml`` say that these files are the part of a kind, and alone; none: there is none.

        ``system``: the key of the system whose part it is.
        """
        names = [self.relative(file) if isinstance(file, Path) else file for file in files]
        with self.toml() as content:
            if not system:
                named = {**self.layout.toml.files, kind: names}
                content["files"] = {part: list(paths) or "" for part, paths in named.items()}
                return
            systems = content.setdefault("systems", {})
            table = {key: value for key, value in systems.pop(system, {}).items() if key != kind}
            if names:
                table[kind] = names[0]
            if {*table} & {*OF_A_SYSTEM}:
                systems[system] = table

    def describe_systems(self, tables: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Let ``study.toml`` say this about systems, and nothing else about them; None or {}: nothing."""
        with self.toml() as content:
            before = content.get("systems", {})
            systems = {key: dict(table) for key, table in {**before, **tables}.items() if table}
            named = self.layout.toml.systems is not None
            if named and not any({*table} & {*OF_A_SYSTEM} for table in systems.values()):
                systems = {}  # tables without files would leave it to the folders which systems there are
            content["systems"] = systems
            if not (systems or named):
                del content["systems"]

    def description_of(self, key: str) -> dict[str, Any]:
        """What ``study.toml`` says about a system."""
        return dict(self.read_toml()[0].get("systems", {}).get(key, {}))

    def put(self, place: str, data: bytes) -> None:
        """Write a file of the study whole, over the one that is there."""
        self.ready(data, Path(place).name).replace(self.root / place)

    def ready(self, data: bytes, name: str = "ready") -> Path:
        """A file aside, to be moved into the study."""
        path = unused(self.aside / name)
        write_new(path, data)
        self.share_as_around(path)
        return path

    def share_as_around(self, path: Path) -> None:
        """Let who may read a folder opened in place read what is new, with all in it; uploads are private."""
        if self.aside.parent == self.root:
            mode = stat.S_IMODE(self.root.stat().st_mode)
            for entry in (path, *path.rglob("*")):
                entry.chmod(mode if entry.is_dir() else mode & 0o666)

    def make_folder(self, folder: Path) -> None:
        """Make a folder of the study, and those above it that are missing."""
        new = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        make_folder(folder)
        for made in new:
            self.share_as_around(made)

    def relative(self, path: Path) -> str:
        """A path as ``study.toml`` names it."""
        return path.relative_to(self.root).as_posix()

    def is_also(self, path: Path, own: Iterable[Path]) -> bool:
        """Whether a file, or one in a folder, is another part of the study than ``own`` too, by its
        ``study.toml``."""
        parts = [*self.layout.files.values(), *(parts.values() for parts in self.layout.systems.values())]
        uses = sum(file.is_relative_to(path) for files in parts for file in files)
        return uses > sum(file.is_relative_to(path) for file in own)


def unused(path: Path) -> Path:
    """The path, or the first of name_2, name_3 and so on where nothing is yet.

    >>> unused(Path("/no/such/folder/umls.2024.csv")).name
    'umls.2024.csv'
    """
    numbered = (path.with_name(f"{path.stem}_{n}{path.suffix}") for n in count(2))
    return path if not os.path.lexists(path) else next(p for p in numbered if not os.path.lexists(p))


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
        _sweep(top / "studies", old=0)
    for folder in (top, *(Path(path) for name in _OLDER for path, _, _ in os.walk(top / name))):
        _sweep(folder, old=_OLD)
    for workspace in (top, *_of_users()):
        removals_in(workspace)


def _of_users() -> list[Path]:
    """The workspaces of all users of a server: what somebody removed expires though they never come back."""
    with suppress(OSError):
        users = (server_home() / USERS).iterdir() if is_served() else ()
        return [path for path in users if path.is_dir() and not path.is_symlink()]
    return []


def _sweep(top: Path, *, old: float) -> None:
    """Remove from a folder what is unfinished and older than so many seconds."""
    with suppress(OSError):
        for path in [path for path in top.iterdir() if REMNANT.fullmatch(path.name)]:
            if not old or time.time() - path.lstat().st_mtime > old:
                remove_tree(path)
