"""A study of the workspace while it changes: what is where, and what ``study.toml`` says from then on."""

from __future__ import annotations

import os
import re
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
from evalcore.study.folder.toml_text import edited, keeps_comments, read_toml
from evalcore.study.parts.registry import OF_A_SYSTEM
from evalcore.study.tables.lines import content_of
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.deleted import expire
from evalcore.study.workspace.home import (
    BESIDE,
    MARK,
    OURS,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    USERS,
    cannot_keep,
    check_may_change,
    claim,
    home,
    is_uploaded,
    is_workspace,
    left_alone,
    locked,
    make_folder,
    readable,
    server_home,
    write_new,
)
from evalcore.values.account import is_served
from evalcore.values.errors import InputError

# Whatever changes the workspace is made ready aside, then moved into place by renames; see ``swap``.
#
# A program that dies in between leaves the study as it was, and a folder aside that the next start removes.

_REMNANT = re.compile(r"\.[0-9a-f]{32}(\.tmp)?")
_OLD = 3600
"""Seconds after which an unfinished file outside the folders aside is nobody's."""


@contextmanager
def staging(study: Path | None = None) -> Iterator[Path]:
    """A new folder aside, on the disk of the studies, gone afterwards; OSError when it cannot be made.

    ``study``: what is to change; a folder opened in place may lie on another disk, so it holds its own.
    """
    inside = study is not None and not is_uploaded(study)
    top = study if study is not None and inside else home() / "studies"
    make_folder(home())
    make_folder(top)
    if inside:
        _sweep_old(top)
    with locked(top, shared=True):
        aside = top / f".{uuid4().hex}"
        make_folder(aside)
        try:
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def changing() -> Iterator[None]:
    """One program at a time changes what the studies hold."""
    with locked(home()):
        yield


def tidy() -> None:
    """At every start: the workspace is for its owner only, and what was left half-done goes.

    Folders are made 0700, files 0600. What another program is making ready is left to it. The home itself
    is left as it is where it holds other things beside; links are not followed. Nothing happens in a folder
    that is no workspace (CUISCOPE_HOME may name any). What was deleted long ago goes for good.
    """
    top = home()
    if not (top.is_dir() and is_workspace(top)):
        return
    with suppress(OSError):
        claim(top)
    with suppress(OSError):
        if {path.name for path in top.iterdir()} <= {*OURS, *BESIDE, MARK}:
            _tighten(top)
    for name in OURS:
        _tighten(top / name)
        for folder, below, files in os.walk(top / name):
            for entry in (*below, *files):
                path = Path(folder, entry)
                if _REMNANT.fullmatch(entry) and not (folder == str(top / "studies") or _is_new(path)):
                    _remove(path)
                else:
                    _tighten(path)
    _sweep(top / "studies")
    expire(top, *_of_users())


def _of_users() -> list[Path]:
    """The workspaces of all users of a server: what somebody deleted expires though they never come back."""
    if not is_served():
        return []
    with suppress(OSError):
        return [path for path in (server_home() / USERS).iterdir() if path.is_dir() and not path.is_symlink()]
    return []


def _sweep(top: Path) -> None:
    """Remove the folders aside, unless somebody may be at work in one."""
    with suppress(OSError), left_alone(top) as alone:
        for path in list(top.iterdir()) if alone else ():
            if _REMNANT.fullmatch(path.name):
                _remove(path)


def _sweep_old(top: Path) -> None:
    """Remove folders aside that a program which died left in a study opened in place."""
    for path in list(top.iterdir()):
        if _REMNANT.fullmatch(path.name) and not _is_new(path):
            _remove(path)


def _tighten(path: Path) -> None:
    with suppress(OSError):
        mode = path.lstat().st_mode
        wanted = PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE
        if (stat.S_ISDIR(mode) or stat.S_ISREG(mode)) and stat.S_IMODE(mode) != wanted:
            path.chmod(wanted)


def _is_new(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime < _OLD
    except OSError:
        return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


@contextmanager
def changed(study: Path, *, in_place: bool, file: str = TOML, what: str = "The change") -> Iterator[Change]:
    """A study while it changes, one program at a time.

    ``file`` is what the problems are about, ``what`` is to be kept. InputError where the study may not be
    changed (see `check_may_change`), or that cannot be written.
    """
    check_may_change(study, in_place=in_place)
    try:
        with staging(study) as aside, changing():
            yield Change.of(study, aside, file=file)
    except OSError as reason:
        raise cannot_keep(what, reason) from reason


@dataclass(slots=True)
class Change:
    """A study about to change: how it is laid out now, a folder aside on the same disk, what to report."""

    layout: Layout
    aside: Path
    problems: Problems

    @staticmethod
    def of(study: Path, aside: Path, *, file: str) -> Change:
        """The study as it is now; ``file`` is what the messages are about."""
        return Change(read_layout(study)[0], aside, Problems(file))

    @property
    def root(self) -> Path:
        return self.layout.root

    def names(self, kind: str, files: Iterable[Path | str]) -> None:
        """Let ``study.toml`` say that these files are the part of a kind, and alone; none: there is none."""
        content = self._content()
        relative = tuple(self.relative(file) if isinstance(file, Path) else file for file in files)
        named = {**self.layout.toml.files, kind: relative}
        content["files"] = {part: list(names) or "" for part, names in named.items()}
        self.write(content)

    def systems(self, systems: Mapping[str, Mapping[str, str]]) -> None:
        """Let ``study.toml`` say which systems there are; how those are shown stays."""
        content = self._content()
        before = content.get("systems", {})
        content["systems"] = {
            key: {name: value for name, value in before.get(key, {}).items() if name not in OF_A_SYSTEM}
            | dict(parts)
            for key, parts in systems.items()
        }
        self.write(content)

    def tables(self, tables: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Let ``study.toml`` say this about systems, and nothing else about them; None: no table."""
        content = self._content()
        before = content.get("systems", {})
        systems = {key: dict(table) for key, table in {**before, **tables}.items() if table is not None}
        named = self.layout.toml.systems is not None
        if named and not any({*table} & {*OF_A_SYSTEM} for table in systems.values()):
            systems = {}  # tables without files would leave it to the folders which systems there are
        if systems or named:
            content["systems"] = systems
        else:
            content.pop("systems", None)
        self.write(content)

    def table_of(self, key: str) -> dict[str, Any]:
        """What ``study.toml`` says about a system."""
        return dict(self._content().get("systems", {}).get(key, {}))

    def say(self, texts: Mapping[str, str]) -> None:
        """Let ``study.toml`` say texts on top, name or description; "" takes one out."""
        content = self._content()
        rest = {key: value for key, value in content.items() if key not in texts}
        self.write({**{key: value for key, value in texts.items() if value}, **rest})

    def table(self, name: str, values: Mapping[str, Any]) -> None:
        """Let ``study.toml`` say values in a table of that name; None takes one out."""
        content = self._content()
        table = {**content.get(name, {}), **values}
        content[name] = {key: value for key, value in table.items() if value is not None}
        self.write({key: value for key, value in content.items() if key != name or value})

    def _content(self) -> dict[str, Any]:
        return self._said()[0]

    def _said(self) -> tuple[dict[str, Any], str]:
        """What ``study.toml`` says, and its text; InputError where nobody can follow it."""
        here = self.root / TOML
        if not os.path.lexists(here):
            return {}, ""
        data = content_of(here, TOML)
        _, report = parse_study_toml(data, file=TOML)
        if report.total("error"):
            remedy = f"Correct or remove {TOML} in {readable(str(self.root))}, or make a new study."
            raise InputError(f"{TOML} has errors, so it cannot follow the change. {remedy}", report)
        content, text = read_toml(data, self.problems, way_out="", may_be_empty=True)
        return content or {}, text

    def write(self, content: Mapping[str, Any]) -> None:
        """Let ``study.toml`` say this; comments and whatever else stands in it stay where they can."""
        _, before = self._said()
        if not before and not content:
            return
        try:
            text = edited(before, content)
            data = text.encode()
        except UnicodeEncodeError as reason:
            remedy = f"Rename it: {TOML} can only contain names in UTF-8."
            raise InputError(f"A file of the study has a name that is not UTF-8. {remedy}") from reason
        toml, report = parse_study_toml(data, file=TOML)
        if report.total("error"):
            raise InputError(f"The change is not possible: {report.problems[0].message}", report)
        if not keeps_comments(before, text):
            message = f"{TOML} had to be rewritten; its comments are lost."
            self.problems.warning(
                "comments-lost", message, "The older file is in your backup, if you keep one."
            )
        self.put(TOML, data)
        self.layout = replace(self.layout, toml=toml)

    def put(self, place: str, data: bytes) -> None:
        """Write a file of the study whole, over the one that is there."""
        self.ready(data, Path(place).name).replace(self.root / place)

    def ready(self, data: bytes, name: str = "ready") -> Path:
        """A file aside, to be moved into the study."""
        path = unused(self.aside / name)
        write_new(path, data)
        self.shared_as_around(path)
        return path

    def shared_as_around(self, path: Path) -> None:
        """In a folder opened in place, who may read it may read what is new, with all in it; uploads are
        private."""
        if not is_uploaded(self.root) and self.aside.parent == self.root:
            mode = stat.S_IMODE(self.root.stat().st_mode)
            for entry in (path, *path.rglob("*")):
                entry.chmod(mode if entry.is_dir() else mode & 0o666)

    def make_folder(self, folder: Path) -> None:
        """Make a folder of the study, and those above it that are missing."""
        new = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        make_folder(folder)
        for made in new:
            self.shared_as_around(made)

    def relative(self, path: Path) -> str:
        """A path as ``study.toml`` names it."""
        return path.relative_to(self.root).as_posix()

    def is_also(self, path: Path, own: Iterable[Path]) -> bool:
        """Whether a file, or one in a folder, is another part of the study than ``own`` too: ``study.toml``
        can say so."""
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
