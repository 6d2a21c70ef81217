"""Views of a study kept under a name, with tags and a note, in ``views.toml`` beside its other files.

["views"."Chest only"]
page = "compare"
tags = ["paper", "figure 2"]
note = "hog loses where there is little to see"
saved = "2026-05-01"

["views"."Chest only".address]     # what the address of the page said
where = ["organ=chest"]

["views"."Chest only".settings]    # the same as a settings file
metric = ["nnCUI@10"]
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalcore.study.folder.settings_toml import SettingsFile, chosen_in
from evalcore.study.folder.toml_text import MAX_SIZE, edited, read_toml
from evalcore.study.tables.lines import content_of, parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.workspace.change import changed
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.problems import Report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "views.toml"
MOST, MAX_NAME, MAX_NOTE, MAX_TAGS, MAX_TAG = 200, 80, 2_000, 20, 40
MAX_KEYS, MAX_VALUES, MAX_TEXT = 100, 100, 2_000
"""Views of a study; characters of a name, a note, a tag; keys, values and characters of an address."""
_WAY_OUT = "Mend or remove the file; until then no view of it is shown and none is saved."


@dataclass(frozen=True, slots=True)
class SavedView:
    """One view: its page and address, its settings, and what its owner says of it."""

    name: str
    page: str
    address: Mapping[str, tuple[str, ...]]
    settings: SettingsFile = field(default_factory=SettingsFile)
    tags: tuple[str, ...] = ()
    note: str = ""
    saved: str = ""

    def table(self) -> dict[str, Any]:
        """As the file holds it."""
        said = {"page": self.page, "tags": list(self.tags), "note": self.note, "saved": self.saved}
        address = {key: list(values) for key, values in self.address.items()}
        return {
            **{key: value for key, value in said.items() if value},
            "address": address,
            "settings": dict(self.settings.chosen),
        }


@reader(lambda _: ())
def parse_views(data: bytes, *, file: str) -> tuple[tuple[SavedView, ...], Report]:
    """Read the views of a study; what cannot be is an error of its view, which is left out."""
    found = Problems(file)
    top, text = read_toml(data, found, way_out=_WAY_OUT, may_be_empty=True)
    tables = (top or {}).get("views", {})
    views = []
    for name, table in list(tables.items())[:MOST] if isinstance(tables, dict) else ():
        view = _view(name, table, text, found) if isinstance(table, dict) else None
        if view is None:
            message = f"The view {name!r} cannot be read."
            found.error("bad-view", message, "Save it again, or remove its table.", value=name)
        else:
            views.append(view)
    return tuple(views), found.report()


def _view(name: str, table: Mapping[str, Any], text: str, found: Problems) -> SavedView | None:
    page, note, saved = (table.get(key, "") for key in ("page", "note", "saved"))
    tags, address, settings = table.get("tags", []), table.get("address", {}), table.get("settings", {})
    fits = (
        is_name(name)
        and all(isinstance(one, str) and len(one) <= MAX_NOTE for one in (page, note, saved))
        and _are_texts(tags, MAX_TAGS, MAX_TAG)
        and isinstance(settings, dict)
        and isinstance(address, dict)
        and len(address) <= MAX_KEYS
        and all(len(key) <= MAX_NAME for key in address)
        and all(_are_texts(values, MAX_VALUES, MAX_TEXT) for values in address.values())
    )
    if not fits:
        return None
    chosen = SettingsFile(chosen_in(settings, text, found))
    values = {key: tuple(value) for key, value in address.items()}
    return SavedView(name, page, values, chosen, tuple(tags), note, saved)


def _are_texts(values: Any, most: int, longest: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) <= most
        and all(isinstance(one, str) and len(one) <= longest for one in values)
    )


def is_name(name: str) -> bool:
    """Whether a view can be called so: one line of at most 80 characters."""
    return 0 < len(name) <= MAX_NAME and name.isprintable() and name == name.strip()


def read_views(study: Path) -> tuple[tuple[SavedView, ...], Report]:
    """The views kept with a study, in the order they were first saved; none where there is no file."""
    path = study / FILE
    return parse_file(parse_views, path, ()) if os.path.lexists(path) else ((), Report())


def save_view(study: Path, view: SavedView, *, in_place: bool = False) -> None:
    """Keep a view; one of the same name is replaced.

    Raises
    ------
    InputError
        A name, tag or note that cannot be; a folder that may not be changed, or cannot be; a file with
        errors, which is left as it is. Nothing is changed then.
    """
    table = view.table()
    if not is_name(view.name):
        raise InputError(f"A view needs a name of one line and at most {MAX_NAME} characters.")
    if len(view.note) > MAX_NOTE or not _are_texts(list(view.tags), MAX_TAGS, MAX_TAG):
        rule = f"A note has at most {MAX_NOTE:,} characters, and a view {MAX_TAGS} tags of at most {MAX_TAG}."
        raise InputError(rule)
    if _view(view.name, table, "", Problems(FILE)) is None:
        raise InputError("The address of this view is too long to be kept.")
    _change(study, {view.name: table}, in_place=in_place)


def delete_view(study: Path, name: str, *, in_place: bool = False) -> None:
    """Forget a view; UnknownName when there is none of that name. Raises as `save_view`."""
    _change(study, {name: None}, in_place=in_place)


def _change(study: Path, tables: Mapping[str, Mapping[str, Any] | None], *, in_place: bool) -> None:
    with changed(study, in_place=in_place, file=FILE, what="The view") as change:
        known, report = read_views(study)
        if report.total("error"):
            raise InputError(f"{FILE} has errors, so that nothing is saved there. {_WAY_OUT}", report)
        data = content_of(study / FILE, FILE) if os.path.lexists(study / FILE) else b""
        content, text = read_toml(data, change.found, way_out=_WAY_OUT, may_be_empty=True)
        content = content or {}
        views = dict(content.get("views", {}))
        for name, table in tables.items():
            if table is not None:
                views[name] = dict(table)
            elif views.pop(name, None) is None:
                raise UnknownName("saved view", name, [one.name for one in known])
        if len(views) > MOST:
            raise InputError(f"A study keeps at most {MOST} views; delete one first.")
        new = edited(text, {**content, "views": views})
        if len(new) > MAX_SIZE:
            raise InputError(f"{FILE} holds no more than {MAX_SIZE:,} characters; delete a view first.")
        change.put(FILE, new.encode())
