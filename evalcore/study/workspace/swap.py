"""A file that lies ready aside becomes part of a study: stored first, then what it replaces goes.

Every step is one rename or one removal, and after each of them the study opens with the old part or the new
one, never with neither or both. Nothing is moved over a file but the one it replaces. Call under
``staging.changing``: one program at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from evalcore.study.folder.layout import Layout, read_layout, standing, standing_of_system
from evalcore.study.folder.study_toml import is_title
from evalcore.study.tables.lines import read_bytes, unpack
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import Change, unused
from evalcore.study.workspace.home import folder_name
from evalcore.values.errors import InputError


def put_one(change: Change, kind: str, ready: Path, place: str) -> None:
    """A part with one file: the newest counts, and what counted before goes."""
    counted, named = change.layout.files[kind], kind in change.layout.toml.files
    rivals = [path for path in standing(change.root, kind, place) if not path.is_dir()]
    in_the_way = counted if named else rivals
    own = not any(change.is_also(path, counted) for path in in_the_way)
    if named and own and len(counted) == 1 and _is_plain_table(counted[0]):
        ready.replace(counted[0])
    elif named or len(counted) > 1 or not own:
        put_named(change, kind, ready, place)
    else:
        _swapped_in(change, ready, rivals, change.root / place)
        _remove_what_went(change, kind, counted)


def put_named(change: Change, kind: str, ready: Path, place: str) -> None:
    """A part under a name that nothing has; from then on ``study.toml`` says that it counts, and alone."""
    counted = change.layout.files[kind]
    if kind not in change.layout.toml.files:
        change.names(kind, counted)
    change.names(kind, [_stored(change, ready, unused(change.root / place))])
    _remove_what_went(change, kind, counted)


def key_of(layout: Layout, system: str) -> str:
    """The key of the system of this name, there or not: its title, its key, or a folder for a new one."""
    new = folder_name(system, layout.systems) if layout.toml.systems is None else system
    return new if (known := layout.key_of(system)) is None else known


def put_of_system(change: Change, kind: str, ready: Path, place: str, system: str) -> None:
    """The run, or the embeddings, of a system; a new one gets a folder of its own, and its name as typed."""
    layout, toml, key = change.layout, change.layout.toml, key_of(change.layout, system)
    present = layout.systems.get(key)
    if kind == "run" and present is not None and layout.seeds_of(key):
        raise InputError(
            f"{system!r} has the runs of several seeds; a single run cannot be added to them. Remove its "
            "runs first, or give this one another name."
        )
    if present is None and any(system in layout.seeds_of(other) for other in layout.systems):
        raise InputError(f"{system!r} is a seed of another system. Give this one another name.")
    if toml.systems is None:
        folder = next((path.parent for path in (present or {}).values()), None)
        folder = folder or change.root / "systems" / key
        if present is None and key != system:
            _keep_name(change, key, system)
        _swapped_in(change, ready, standing_of_system(folder, kind), folder / place)
    elif present and kind in present and not change.is_also(present[kind], [present[kind]]):
        ready.replace(present[kind])
    else:
        name = key if present is not None else system
        folder = change.root / "systems" / folder_name(name, toml.systems)
        target = _stored(change, ready, unused(folder / place))
        parts = {**toml.systems.get(name, {}), kind: change.relative(target)}
        change.systems({**toml.systems, name: parts})


def _keep_name(change: Change, key: str, system: str) -> None:
    """The name of a new system as it was typed, where its folder cannot be called so."""
    if is_title(system):
        change.tables({key: {**change.table_of(key), "title": system}})
        return
    message = f"The system is called {key!r} here: {system!r} cannot be a name on a page."
    remedy = "Give it a name of one line, with no more than 120 characters."
    change.problems.warning("renamed-system", message, remedy, value=system)


def put_beside(change: Change, kind: str, ready: Path, place: str) -> None:
    """A file of a part whose files count together: beside the others, never over one of them.

    One whose content is there already is not kept twice. A shard of concepts takes the place of the one of
    its own name: twice the same images would be twice as many errors. So do vectors of concepts, and
    judgments.
    """
    counted, files, target = change.layout.files[kind], change.layout.toml.files, change.root / place
    same = next((path for path in counted if kind == "graph" and _same_content(path, ready)), None)
    if same is not None:
        message = f"{change.relative(same)} already contains the same; it is kept once."
        change.problems.warning("same-file", message, "", value=change.relative(same))
        return
    if kind in ("concepts", "concept_vectors", "judgments", "judges") and target in counted:
        ready.replace(target)
        return
    free = unused(target)
    if free != target:
        message = f"There is a file {target.name} already; this one is kept as {free.name}, and both count."
        change.problems.warning("kept-beside", message, "", value=free.name)
    if kind not in files and any(path.parent != target.parent for path in counted):
        change.names(kind, counted)
    _stored(change, ready, free)
    if free not in read_layout(change.root)[0].files[kind]:  # a named folder may count it already
        change.names(kind, (*files.get(kind, counted), free))


def forget(change: Change, kind: str, *, system: str | None = None) -> tuple[Path, ...]:
    """Let nothing of a kind count any more as far as ``study.toml`` says so; the files that can go."""
    layout, toml = change.layout, change.layout.toml
    if system is None:
        paths = layout.files[kind]
        if kind in toml.files:
            change.names(kind, ())  # without the entry another file might count
        return tuple(path for path in paths if not change.is_also(path, paths))
    those = layout.files_of(system, kind) if system in layout.systems else []
    free = tuple(path for path in those if not change.is_also(path, [path]))
    if system in (toml.systems or {}):
        systems = {name: dict(parts) for name, parts in (toml.systems or {}).items()}
        systems[system].pop(kind, None)
        change.systems({name: parts for name, parts in systems.items() if parts})
    return free


def _swapped_in(change: Change, ready: Path, rivals: list[Path], target: Path) -> None:
    """Over one of the files it competes with, the others away, then under its own name.

    Until the last step the new content may bear the old name: every reader knows formats by content.
    """
    if not rivals:
        _stored(change, ready, target)
        return
    first = target if target in rivals else rivals[0]
    ready.replace(first)
    _remove(path for path in rivals if path != first)
    if first != target and not os.path.lexists(target):
        first.rename(target)


def _stored(change: Change, ready: Path, target: Path) -> Path:
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


def _remove_what_went(change: Change, kind: str, counted: tuple[Path, ...]) -> None:
    """Files that counted before and no longer do; shards of parquet hold more than concepts, and stay."""
    now = read_layout(change.root)[0]
    gone = [path for path in counted if path not in now.files[kind] and path.suffix.lower() != ".parquet"]
    _remove(path for path in gone if not change.is_also(path, counted))


def _is_plain_table(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() != ".parquet" and ".rrf" not in path.name.lower()


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        with suppress(FileNotFoundError):
            path.unlink()


def _same_content(path: Path, ready: Path) -> bool:
    """Whether a file of the study, unpacked, holds what the new one does."""
    try:
        packed = path.suffix.lower() == ".gz"
        if not packed and path.stat().st_size != ready.stat().st_size:
            return False
    except OSError:
        return False
    problems = Problems(path.name)
    data = read_bytes(path, problems)
    return data is not None and unpack(data, problems) == ready.read_bytes()
