"""A cache on disk by content: files on shelves, the one looked at longest ago makes room.

Only a cache: a full or read-only disk makes the program slower, not wrong.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from evalcore.study.workspace.home import home, locked, make_folder, read_json, write_json, write_whole
from evalcore.values.errors import InputError

SHELVES = 256
"""Folders of a cache; each may hold its share of the room."""


def place(cache: str, content: bytes, ending: str) -> Path:
    """Where a cache keeps what was made of a content; the ending says what that is."""
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    return home() / "cache" / cache / key[:2] / f"{key}{ending}"


def kept(path: Path) -> bytes | None:
    """What is kept there; None when it is not there or cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # looked at now: the last to go
    return data


def keep(path: Path, data: bytes, *, room: int) -> None:
    """Put a file on its shelf, whole or not at all; ``room``: bytes of the whole cache."""
    with suppress(InputError, OSError):
        write_whole(path, data)
        _make_room(path.parent, room // SHELVES)


def _make_room(shelf: Path, room: int) -> None:
    """The oldest files go first."""
    facts = sorted((fact.stat().st_mtime_ns, fact.stat().st_size, fact.path) for fact in os.scandir(shelf))
    total = sum(size for _, size, _ in facts)
    for _, size, path in facts[:-1]:
        if total <= room:
            return
        Path(path).unlink(missing_ok=True)
        total -= size


# Which place in the palette each system of a study has had: a system that joins later changes no other's.

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
