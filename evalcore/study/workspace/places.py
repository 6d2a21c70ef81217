"""Which place in the palette each system of a study has had: a system that joins later changes no other's."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from evalcore.study.workspace.home import home, make_folder, read_json, write_json
from evalcore.study.workspace.locks import locked
from evalcore.values.errors import InputError

FILE = "places.json"
MAX_STUDIES, MAX_SYSTEMS = 200, 1_000


def places(study: Path, systems: Collection[str], *, taken: Collection[int] = ()) -> dict[str, int]:
    """The place of each system from 1, the one it had when this program first saw it in this folder.

    New ones get the first places that are free, in the order of names; ``taken`` are places that
    ``study.toml`` gives to others. Systems that went keep theirs, for when they come back. Where nothing can
    be written the places hold until the program asks again.
    """
    where = os.path.realpath(study)
    known = _read().get(where, {})
    if all(system in known for system in systems):
        return {system: known[system] for system in systems}
    with suppress(InputError, OSError):
        make_folder(home())
        with locked(home()):
            before = _read()
            known = _with_new(before.pop(where, {}), systems, taken)
            kept = dict(list(before.items())[-(MAX_STUDIES - 1) :])
            write_json(home() / FILE, {**kept, where: known})
    known = _with_new(known, systems, taken)
    return {system: known[system] for system in systems}


def _with_new(known: Mapping[str, int], systems: Collection[str], taken: Collection[int]) -> dict[str, int]:
    new = dict(known) if len(known) < MAX_SYSTEMS else {one: known[one] for one in systems if one in known}
    used = {*new.values(), *taken}
    free = (place for place in count(1) if place not in used)
    for system in sorted(systems):
        if system not in new:
            new[system] = next(free)
    return new


def _read() -> dict[str, dict[str, int]]:
    """What was written; nothing where there is nothing, or where somebody else wrote something."""
    found = read_json(home() / FILE)
    return {
        where: {name: place for name, place in of.items() if type(place) is int and place > 0}
        for where, of in (found.items() if isinstance(found, dict) else ())
        if isinstance(of, dict)
    }
