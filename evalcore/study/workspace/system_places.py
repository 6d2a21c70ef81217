"""Which place in the palette each system of a study has had: a system that joins later changes no other's."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from evalcore.study.workspace.home import locked, read_json, workspace_of, write_json
from evalcore.values.errors import InputError

FILE = "places.json"
MAX_STUDIES, MAX_SYSTEMS = 200, 1_000


def places(study: Path, systems: Collection[str]) -> dict[str, int]:
    """The place of each system from 1, the one it had when this program first saw it in this folder.

    New ones get the first places that are free, in the order of names. Systems that went keep theirs, for
    when they come back. Where nothing can be written the places hold until the program asks again. They are
    kept by the owner of a study, so that all users of a server see the same.
    """
    where, top = os.path.realpath(study), workspace_of(study)
    known = _read(top).get(where, {})
    if all(system in known for system in systems):
        return {system: known[system] for system in systems}
    with suppress(InputError, OSError), locked("places", top=top):
        before = _read(top)
        known = _with_new(before.pop(where, {}), systems)
        kept = dict(list(before.items())[-(MAX_STUDIES - 1) :])
        write_json(top / FILE, {**kept, where: known})
    known = _with_new(known, systems)
    return {system: known[system] for system in systems}


def _with_new(known: Mapping[str, int], systems: Collection[str]) -> dict[str, int]:
    full = len(known) >= MAX_SYSTEMS
    new = {system: place for system, place in known.items() if not full or system in systems}
    used = {*new.values()}
    free = (place for place in count(1) if place not in used)
    for system in sorted({*systems} - {*new}):
        new[system] = next(free)
    return new


def _read(top: Path) -> dict[str, dict[str, int]]:
    """What was written; nothing where there is nothing, or where somebody else wrote something."""
    result = read_json(top / FILE)
    return {
        where: {name: place for name, place in of.items() if type(place) is int and place > 0}
        for where, of in (result.items() if isinstance(result, dict) else ())
        if isinstance(of, dict)
    }
