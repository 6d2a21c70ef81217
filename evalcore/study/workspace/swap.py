"""A file that is ready aside becomes part of a study: stored first, then what it replaces goes.

Every step is one rename or one removal, and after each of them the study opens with the old part or the new
one, never with neither or both. Nothing is moved over a file but the one it replaces. Call within a
`change.changed`: one program at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalcore.study.folder.layout import (
    LOOSE,
    Layout,
    competing_files,
    competing_files_of_system,
    read_layout,
)
from evalcore.study.folder.study_toml import is_title
from evalcore.study.workspace.change import Change, unused
from evalcore.study.workspace.file_names import folder_name
from evalcore.values.errors import InputError

_BESIDE = ("graph", "concept_vectors", "judgments", "judges")
"""Parts whose files count together; all shards of parquet do too."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a study has one part, of its own (``system`` is "") or of the system of that key."""

    change: Change
    kind: str
    system: str

    def counted(self, layout: Layout | None = None) -> list[Path]:
        """The files that are this part, before the change unless another layout is given."""
        layout = layout or self.change.layout
        if not self.system:
            return list(layout.files[self.kind])
        return layout.files_of(self.system, self.kind) if self.system in layout.systems else []

    @property
    def is_named(self) -> bool:
        """Whether ``study.toml`` says which files count, instead of their names."""
        toml = self.change.layout.toml
        return toml.systems is not None if self.system else self.kind in toml.files

    @property
    def is_loose(self) -> bool:
        """Whether the system is files of its name, such as ``runs/hog.trec``, and has no folder."""
        parts = self.change.layout.systems.get(self.system, {})
        return not self.is_named and any(path.parent.parent == self.change.root for path in parts.values())

    def target(self, place: str) -> Path:
        """Where a file of the part belongs; ``place``: in the study, or in the folder of its system."""
        root, systems = self.change.root, self.change.layout.toml.systems
        if not self.system:
            return root / place
        if self.is_loose:
            folder = next(folder for folder, kind in LOOSE.items() if kind == self.kind)
            return root / folder / f"{self.system}{place.removeprefix(self.kind)}"
        if systems is not None:
            return root / "systems" / folder_name(self.system, systems) / place
        parts = self.change.layout.systems.get(self.system, {})
        return next((path.parent for path in parts.values()), root / "systems" / self.system) / place

    def rivals(self, place: str) -> list[Path]:
        """What a file at this place would take the place of, or compete with, by its name."""
        if self.is_loose:
            return self.counted()
        if self.system:
            return competing_files_of_system(self.target(place).parent, self.kind)
        return [path for path in competing_files(self.change.root, self.kind, place) if not path.is_dir()]

    def name(self, files: Sequence[Path | str]) -> None:
        """Let ``study.toml`` say that these files count, and alone."""
        self.change.name(self.kind, files, self.system)


def put(change: Change, kind: str, ready: Path, place: str, system: str) -> None:
    """A file becomes the part of a kind, or one of its files; ``place``: where it belongs by convention, in
    the study's folder or in that of its ``system``, by its name."""
    of_study = kind in change.layout.files
    slot = _Slot(change, kind, "" if of_study else _key_for(change, kind, system))
    shards = of_study and place.endswith(".parquet") and not any(map(_is_table, slot.counted()))
    (_put_beside if kind in _BESIDE or shards else _put_alone)(slot, ready, place)


def _put_alone(slot: _Slot, ready: Path, place: str) -> None:
    """A part with one file: the newest counts, and what counted before goes."""
    change, counted, target = slot.change, slot.counted(), slot.target(place)
    old = counted if slot.is_named else slot.rivals(place)
    is_shard = not (slot.system or _is_table(target))
    apart = is_shard or len(counted) > 1 or any(change.is_also(path, counted) for path in old)
    if counted == [target] and target.is_file() and not apart:
        ready.replace(target)
    elif slot.is_named or apart:
        if not slot.is_named:
            slot.name(counted)
        slot.name([_store(change, ready, unused(target))])
    elif not old:
        _store(change, ready, target)
    else:
        # Until the last step the new content may bear the old name: every reader knows formats by content.
        first = target if target in old else old[0]
        ready.replace(first)
        for path in {*old} - {first}:
            path.unlink(missing_ok=True)
        if first != target and not os.path.lexists(target):
            first.rename(target)
    now = slot.counted(read_layout(change.root)[0])
    for path in {*counted} - {*now}:  # shards of parquet contain more than concepts, and stay
        if (slot.system or _is_table(path)) and not change.is_also(path, counted):
            path.unlink(missing_ok=True)


def _put_beside(slot: _Slot, ready: Path, place: str) -> None:
    """A file of a part whose files count together: beside the others, never over one of them.

    But for graphs, it takes the place of the one of its own name: twice the same images, vectors or judgments
    would be as many errors.
    """
    change, counted, target = slot.change, slot.counted(), slot.target(place)
    if slot.kind != "graph" and target in counted:
        ready.replace(target)
        return
    free = unused(target)
    if free != target:
        message = f"There is a file {target.name} already; this one is kept as {free.name}, and both count."
        change.problems.warning("kept-beside", message, "", value=free.name)
    named = change.layout.toml.files.get(slot.kind, counted)
    if not slot.is_named and any(path.parent != target.parent for path in counted):
        slot.name(counted)
    _store(change, ready, free)
    if free not in slot.counted(read_layout(change.root)[0]):  # a named folder may count it already
        slot.name((*named, free))


def key_of(layout: Layout, system: str) -> str:
    """The key of the system of this name, there or not: its title, its key, or a folder for a new one."""
    new = folder_name(system, layout.systems) if layout.toml.systems is None else system
    return new if (known := layout.key_of(system)) is None else known


def _key_for(change: Change, kind: str, system: str) -> str:
    """The key of a system that gets a file; a new one keeps its name as typed where its folder cannot.

    InputError where the system, or another one, has seeds that the file or the name is in conflict with.
    """
    layout, key = change.layout, key_of(change.layout, system)
    if key in layout.systems:
        if kind == "run" and layout.seeds_of(key):
            message = f"{system!r} has the runs of several seeds; a single run cannot be added to them."
            raise InputError(f"{message} Remove the system first, or give this one another name.")
        return key
    if any(system in layout.seeds_of(other) for other in layout.systems):
        raise InputError(f"{system!r} is a seed of another system. Give this one another name.")
    if key != system and is_title(system):
        change.describe_systems({key: {**change.description_of(key), "title": system}})
    elif key != system:
        message = f"The system is called {key!r} here: {system!r} cannot be a name on a page."
        remedy = "Give it a name of one line, with no more than 120 characters."
        change.problems.warning("renamed-system", message, remedy, value=system)
    return key


def _store(change: Change, ready: Path, target: Path) -> Path:
    """Moved to where nothing is yet."""
    if not Path(os.path.realpath(target.parent)).is_relative_to(change.root):
        message = (
            f"{target.parent.name} in the study is a link that leads out of it; nothing is written there."
        )
        raise InputError(f"{message} Replace it by a folder, then add the file again.")
    if os.path.lexists(target):
        remedy = "Rename it or move it away, then add the file again."
        raise InputError(f"There is something called {change.relative(target)} in the study. {remedy}")
    change.make_folder(target.parent)
    ready.rename(target)
    return target


def _is_table(path: Path) -> bool:
    return path.suffix.lower() != ".parquet"
