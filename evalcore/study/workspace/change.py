"""Studies that change: files that become parts, what ``study.toml`` says, systems removed and brought back.

What is new is made ready aside, on the disk of the study, then moved into place by renames: a program that
dies in between leaves the old part or the new one, and a folder aside that the next change or start removes.
Only what was uploaded is changed, or a folder opened in place where the user allows it.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from evalcore.study.workspace.file_names import folder_name, place_in_words
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
from evalcore.study.workspace.removed import Removed, bin_of, bring_back, discard, put_away, removals_in
from evalcore.values import events
from evalcore.values.account import is_served
from evalcore.values.errors import InputError, UnknownName

_OLD = 3600
"""Seconds after which what is unfinished where there is no lock is nobody's."""
_OLDER = ("cache", "removed", "review", "satisfaction", "synthetic")
"""Folders of a workspace that are looked through for what is unfinished and old."""
_BESIDE = ("graph", "concept_vectors", "judgments", "judges")
"""Parts whose files count together; all shards of parquet do too."""


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

    @contextmanager
    def toml(self) -> Iterator[dict[str, Any]]:
        """What ``study.toml`` says, to be edited in the block and written at its end.

        Comments are kept where they can be. InputError where the file has errors, or the new content would.
        """
        content, before = self._read_toml()
        yield content
        if not (before or content):
            return
        try:
            data = edited(before, content).encode()
        except UnicodeEncodeError as reason:
            remedy = f"Rename it: {TOML} can only contain names in UTF-8."
            raise InputError(f"A file of the study has a name that is not UTF-8. {remedy}") from reason
        toml, report = parse_study_toml(data, file=TOML)
        if report.total("error"):
            raise InputError(f"The change is not possible: {report.problems[0].message}", report)
        self.put(TOML, data)
        self.layout = replace(self.layout, toml=toml)

    def _read_toml(self) -> tuple[dict[str, Any], str]:
        """What ``study.toml`` says, and its text; InputError where it has errors."""
        here = self.root / TOML
        if not os.path.lexists(here):
            return {}, ""
        data = content_of(here, TOML)
        report = parse_study_toml(data, file=TOML)[1]
        if report.total("error"):
            remedy = f"Correct or remove {TOML} in {place_in_words(self.root)}, or make a new study."
            raise InputError(f"{TOML} has errors, so it cannot follow the change. {remedy}", report)
        content, text = read_toml(data, self.problems, way_out="", may_be_empty=True)
        return content or {}, text

    def name(self, kind: str, files: Iterable[Path | str], system: str = "") -> None:
        """Let ``study.toml`` say that these files, at least one, are the part of a kind, and alone.

        ``system``: whose part it is, which has one file.
        """
        names = [self.relative(file) if isinstance(file, Path) else file for file in files]
        with self.toml() as content:
            if system:
                content.setdefault("systems", {}).setdefault(system, {})[kind] = names[0]
                return
            named = {**self.layout.toml.files, kind: names}
            content["files"] = {part: list(paths) or "" for part, paths in named.items()}

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

    def description_of(self, system: str) -> dict[str, Any]:
        """What ``study.toml`` says about a system."""
        return dict(self._read_toml()[0].get("systems", {}).get(system, {}))

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

    def check_inside(self, folder: Path) -> None:
        """InputError for a folder that is a link out of the study."""
        if not Path(os.path.realpath(folder)).is_relative_to(self.root):
            message = f"{folder.name} in the study is a link that leads out of it; nothing is written there."
            raise InputError(f"{message} Replace it by a folder, then try again.")

    def store(self, ready: Path, target: Path) -> Path:
        """Move what is ready to where nothing is yet."""
        self.check_inside(target.parent)
        if os.path.lexists(target):
            remedy = "Rename it or move it away, then add the file again."
            raise InputError(f"There is something called {self.relative(target)} in the study. {remedy}")
        self.make_folder(target.parent)
        ready.rename(target)
        return target


def unused(path: Path) -> Path:
    """The path, or the first of name_2, name_3 and so on where nothing is yet.

    >>> unused(Path("/no/such/folder/umls.2024.csv")).name
    'umls.2024.csv'
    """
    numbered = (path.with_name(f"{path.stem}_{n}{path.suffix}") for n in count(2))
    return path if not os.path.lexists(path) else next(p for p in numbered if not os.path.lexists(p))


# A file that is ready aside becomes a part of the study.


def put(change: Change, kind: str, ready: Path, place: str, system: str) -> None:
    """A file becomes the part of a kind, or one of its files.

    ``place``: where it belongs by convention, in the study's folder or in that of its ``system``, by its
    name. Files that count together join the others; any other takes the place of what counts so far. After
    each step the study opens with the old part or the new one, never with neither or both.
    """
    toml, of_study = change.layout.toml, kind in change.layout.files
    system = "" if of_study else _named(change, system)
    counted, target = _counted(change.layout, kind, system), _target(change, system, place)
    named = kind in toml.files if of_study else toml.systems is not None
    is_shard = of_study and not _is_table(target)
    if kind in _BESIDE or (is_shard and not any(map(_is_table, counted))):
        _put_beside(change, kind, ready, target, counted, named)
        return
    apart = is_shard or any(
        change.is_also(path, counted) or (of_study and not _is_table(path)) for path in counted
    )
    if len(counted) == 1 and not apart and (counted == [target] or not named):
        # Until the last step the new content may bear the old name: every reader knows formats by content.
        ready.replace(counted[0])
        if not os.path.lexists(target):
            change.make_folder(target.parent)
            counted[0].rename(target)
        return
    new = change.store(ready, unused(target) if counted or named else target)
    if named or counted:
        change.name(kind, [new], system)
    for path in {*counted} - {new}:  # shards of parquet contain more than concepts, and stay
        if (system or _is_table(path)) and not change.is_also(path, counted):
            path.unlink(missing_ok=True)


def _put_beside(
    change: Change, kind: str, ready: Path, target: Path, counted: Sequence[Path], named: bool
) -> None:
    """A file of a part whose files count together: beside the others, never over one of them.

    But for graphs, it takes the place of the one of its own name: twice the same images, vectors or judgments
    would be as many errors.
    """
    if kind != "graph" and target in counted:
        ready.replace(target)
        return
    free = unused(target)
    if free != target:
        message = f"There is a file {target.name} already; this one is kept as {free.name}, and both count."
        change.problems.warning("kept-beside", message, "", value=free.name)
    files = change.layout.toml.files.get(kind, counted)
    if not named and any(path.parent != target.parent for path in counted):
        change.name(kind, counted)
    change.store(ready, free)
    if free not in _counted(read_layout(change.root)[0], kind, ""):  # a named folder may count it already
        change.name(kind, (*files, free))


def _counted(layout: Layout, kind: str, system: str) -> list[Path]:
    """The files that are a part, of the study or of a system."""
    part = layout.systems.get(system, {}).get(kind)
    paths = ([] if part is None else [part]) if system else layout.files[kind]
    return [path for path in paths if path.is_file()]


def _target(change: Change, system: str, place: str) -> Path:
    """Where a file of a part belongs by convention, in the folder of its system."""
    root, named = change.root, change.layout.toml.systems
    if not system:
        return root / place
    if named is not None:
        return root / "systems" / folder_name(system, named) / place
    there = change.layout.systems.get(system, {}).values()
    own = (path.parent for path in there if path.parent.parent == root / "systems")
    return next(own, root / "systems" / system) / place


def name_in(layout: Layout, system: str) -> str:
    """What a system, there or new, is called in a study: where folders are the systems, as one can be."""
    if layout.toml.systems is not None or system in layout.systems:
        return system
    return folder_name(system, layout.systems)


def _named(change: Change, system: str) -> str:
    """The same, with a remark where that is another name."""
    name = name_in(change.layout, system)
    if name != system:
        message = f"The system is called {name!r} here: no folder can be called {system!r}."
        change.problems.warning("renamed-system", message, "Give it another name.", value=system)
    return name


def _is_table(path: Path) -> bool:
    return path.suffix.lower() != ".parquet"


# What ``study.toml`` says of the study and its systems.


def rename_study(study: Path, name: str, *, in_place: bool = False) -> None:
    """Change the name of a study; "" takes it out.

    ``in_place``: the user allows changes to this folder, which is no uploaded study. Raises InputError for a
    folder that may not be changed, or cannot be; nothing is changed then.
    """
    with changed(study, in_place=in_place) as change, change.toml() as content:
        rest = {key: value for key, value in content.items() if key != "name"}
        content.clear()
        content.update({**({"name": name} if name else {}), **rest})


# Systems removed, and brought back.


def remove_system(study: Path, system: str, *, in_place: bool = False) -> Removed:
    """Move a system out of a study; `restore_system` undoes it. Raises as `describe`.

    A folder below ``systems/`` goes as a whole, with whatever else lies in it; where ``study.toml`` names
    the files, those go that nothing else of the study uses.
    """
    with changed(study, in_place=in_place) as change:
        if system not in change.layout.systems:
            raise UnknownName("system", system, change.layout.systems)
        parts = change.layout.systems[system].values()
        folder = next((path.parent for path in parts), change.root / "systems" / system)
        is_folder = change.layout.toml.systems is None and folder.parent == change.root / "systems"
        paths = [folder] if is_folder else [p for p in dict.fromkeys(parts) if not change.is_also(p, parts)]
        about = {
            "study": os.path.realpath(study),
            "table": change.description_of(system),
            "paths": [change.relative(path) for path in paths],
        }
        removed = put_away(
            system,
            {str(number): path for number, path in enumerate(paths)},
            bin_of(study),
            about,
            before=lambda: change.describe_systems({system: None}),
        )
        events.record("removed", study=study.name, kind="system", system=system)
        return removed


def restore_system(removed: Removed) -> str:
    """Undo a removal: every file where it was, and what ``study.toml`` said; the system's name.

    Raises InputError when something else stands there now, or the time is over.
    """
    about = removed.about
    study = Path(about["study"])
    with changed(study, in_place=True) as change:  # as it was when the system was removed
        places = {str(number): change.root / path for number, path in enumerate(about["paths"])}
        for place in places.values():
            change.check_inside(place.parent)
        bring_back(removed, places, change.make_folder)
        if about["table"]:
            change.describe_systems({removed.name: about["table"]})
    discard(removed)
    events.record("restored", study=study.name, kind="system", system=removed.name)
    return removed.name


def removed_systems(study: Path) -> list[Removed]:
    """The systems of a study that can be brought back, the last one first."""
    where, layout = os.path.realpath(study), read_layout(study)[0]
    return [
        removed
        for removed in removals_in(bin_of(study))
        if removed.about.get("study") == where and removed.name not in layout.systems
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
        _sweep(top / "studies", old=0)
    for folder in (top, *(Path(path) for name in _OLDER for path, _, _ in os.walk(top / name))):
        _sweep(folder, old=_OLD)
    for workspace in (top, *_of_users()):
        removals_in(workspace / "removed")


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
