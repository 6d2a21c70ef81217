"""The systems of a study: named, ordered and described in ``study.toml``; removed, and brought back.

All of it changes only what was uploaded, or a folder opened in place where the user allows it. A system that
is removed lies in the bin (``removed``) with what ``study.toml`` said about it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalcore.study.folder.layout import Layout, read_layout
from evalcore.study.folder.study_toml import MAX_TITLE, is_title
from evalcore.study.workspace.change import Change, changed
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.removed import Removed, bring_back, discard, new_removal, put_away, removals_in
from evalcore.values import events
from evalcore.values.errors import InputError, Report, UnknownName


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
        tables = {key: {**change.description_of(key), **values} for key, values in keys.items()}
        change.describe_systems({key: _without_empty(table) for key, table in tables.items()})
        return change.problems.report()


def set_metadata(
    study: Path, *, name: str | None = None, description: str | None = None, in_place: bool = False
) -> Report:
    """Change the name or description of a study; None leaves it, "" takes it out. Raises as `describe`."""
    texts = {key: text for key, text in (("name", name), ("description", description)) if text is not None}
    with changed(study, in_place=in_place) as change:
        with change.toml() as content:
            rest = {key: value for key, value in content.items() if key not in texts}
            content.clear()
            content.update({**_without_empty(texts), **rest})
        return change.problems.report()


def follow(study: Path, relations: Sequence[str], *, in_place: bool = False) -> Report:
    """Let the graph of a study have links of these relation types only; none: as its files have them.

    Raises as `describe`. What the files cannot give is reported when the study opens.
    """
    with changed(study, in_place=in_place) as change:
        with change.toml() as content:
            graph = {**content.pop("graph", {}), "rela": list(relations)}
            if not relations:
                del graph["rela"]
            if graph:
                content["graph"] = graph
        return change.problems.report()


def remove_system(study: Path, system: str, *, in_place: bool = False) -> Removed:
    """Move a system, by name or key, out of a study; `restore_system` undoes it. Raises as `describe`.

    A folder below ``systems/`` goes as a whole, with whatever else lies in it; where ``study.toml`` names
    the files, those go that nothing else of the study uses.
    """
    with changed(study, in_place=in_place) as change:
        key = _key(change.layout, system)
        paths = _paths_of(change, key)
        about = {
            "study": os.path.realpath(study),
            "key": key,
            "table": change.description_of(key),
            "paths": [change.relative(path) for path in paths],
        }
        removed = new_removal(change.layout.names[key], about)
        change.describe_systems({key: None})
        put_away(removed, {str(number): path for number, path in enumerate(paths)})
        events.record("removed", study=study.name, kind="system", system=removed.name)
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
            if not Path(os.path.realpath(place.parent)).is_relative_to(change.root):
                raise InputError("The system's folder is now a link that leads out of the study.")
        bring_back(removed, places, change.make_folder)
        if about["table"]:
            change.describe_systems({about["key"]: about["table"]})
    discard(removed)
    events.record("restored", study=study.name, kind="system", system=removed.name)
    return removed.name


def removed_systems(study: Path) -> list[Removed]:
    """The systems of a study that can be brought back, the last one first."""
    where, layout = os.path.realpath(study), read_layout(study)[0]
    return [
        removed
        for removed in removals_in()
        if removed.about.get("study") == where and removed.about.get("key") not in layout.systems
    ]


def _paths_of(change: Change, key: str) -> list[Path]:
    """What goes with a system: its folder, or the files that only it uses."""
    folder = change.root / "systems" / key
    parts = change.layout.systems[key]
    if change.layout.toml.systems is None:
        on_disk = next((path.parent for path in parts.values()), folder)
        if on_disk.parent == change.root / "systems" or not parts:
            return [on_disk]
    return [path for path in dict.fromkeys(parts.values()) if not change.is_also(path, parts.values())]


def _without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value not in (None, "")}


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
