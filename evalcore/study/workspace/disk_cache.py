"""A cache on disk by content: files on shelves, the one looked at longest ago makes room.

Only a cache: a full or read-only disk makes the program slower, not wrong.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, unquote

from evalcore.study.tables.lines import content_of
from evalcore.study.workspace.home import (
    USERS,
    home,
    is_workspace,
    locked,
    make_folder,
    owner_of,
    read_json,
    safe_name,
    server_home,
    write_json,
    write_whole,
)
from evalcore.values import events
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.limits import check_file

SHELVES = 256
"""Folders of a cache; each may hold its share of the room."""


def place(cache: str, content: bytes, ending: str) -> Path:
    """Where a cache keeps what was made of a content; the ending says what that is."""
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    return server_home() / "cache" / cache / key[:2] / f"{key}{ending}"


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


def places(study: Path, systems: Collection[str]) -> dict[str, int]:
    """The place of each system from 1, the one it had when this program first saw it in this folder.

    New ones get the first places that are free, in the order of names. Systems that went keep theirs, for
    when they come back. Where nothing can be written the places hold until the program asks again.
    """
    where, top = os.path.realpath(study), _workspace_of(study)
    known = _read(top).get(where, {})
    if all(system in known for system in systems):
        return {system: known[system] for system in systems}
    with suppress(InputError, OSError):
        make_folder(top)
        with locked(top):
            before = _read(top)
            known = _with_new(before.pop(where, {}), systems)
            kept = dict(list(before.items())[-(MAX_STUDIES - 1) :])
            write_json(top / FILE, {**kept, where: known})
    known = _with_new(known, systems)
    return {system: known[system] for system in systems}


def _with_new(known: Mapping[str, int], systems: Collection[str]) -> dict[str, int]:
    new = (
        dict(known)
        if len(known) < MAX_SYSTEMS
        else {system: known[system] for system in systems if system in known}
    )
    used = {*new.values()}
    free = (place for place in count(1) if place not in used)
    for system in sorted(systems):
        if system not in new:
            new[system] = next(free)
    return new


def _workspace_of(study: Path) -> Path:
    """Where the places of a study are kept: by its owner, so that all users of a server see the same."""
    owner = owner_of(study)
    return server_home() / USERS / owner if owner else server_home()


def _read(top: Path) -> dict[str, dict[str, int]]:
    """What was written; nothing where there is nothing, or where somebody else wrote something."""
    result = read_json(top / FILE)
    return {
        where: {name: place for name, place in of.items() if type(place) is int and place > 0}
        for where, of in (result.items() if isinstance(result, dict) else ())
        if isinstance(of, dict)
    }


# The files of a satisfaction study kept in the workspace, so that a reload of the page loses nothing.
#
# One of each part, in ``satisfaction/<part>/``; a new one takes the place of the older when it is complete.

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "relevance": "relevance of what was shown",
        "satisfaction": "satisfaction",
        "of_study": "satisfaction with systems of a study",
        "concept_ratings": "ratings of pairs of concepts",
        "label_map": "which concept means which label",
    }
)
"""What a file can be, in words. Ratings of a study's systems name images as queries: a file of their own."""
MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept file, by the name it had; ``mark`` changes when the file does, without reading it."""

    part: str
    name: str
    path: Path
    size: int
    mark: str


def keep_file(part: str, name: str, data: bytes) -> None:
    """Keep a file in place of the one there; InputError when it cannot be written, UnknownName of no part."""
    if part not in PARTS:
        raise UnknownName("part of a satisfaction study", part, PARTS)
    check_file(name, len(data))
    folder = _folder(part)
    new = folder / _written(name)
    write_whole(new, data)
    events.record("uploaded", kind=f"satisfaction {part}", file=name, bytes=len(data))
    for path in _listed(folder):
        if path != new:
            with suppress(OSError):
                path.unlink()


def kept_files() -> dict[str, Kept]:
    """The files kept, by part."""
    result: dict[str, Kept] = {}
    for part in PARTS if is_workspace(home()) else ():
        # An older file that could not be removed stands behind the newer one.
        for path in _listed(_folder(part))[-1:]:
            with suppress(FileNotFoundError):
                facts = path.stat()
                stamp = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
                name = unquote(path.name)
                result[part] = Kept(part, name, path, facts.st_size, digest_of(str(path), stamp))
    return result


def forget(part: str) -> None:
    """Remove a kept file; InputError when it cannot be removed. One that is gone already does nothing."""
    for path in _listed(_folder(part)):
        try:
            path.unlink(missing_ok=True)
        except OSError as reason:
            message = f"{unquote(path.name)} cannot be removed: {reason.strerror or reason}."
            raise InputError(f"{message} Check that you may write there.") from reason
    events.record("removed", kind=f"satisfaction {part}")


def content(file: Kept) -> bytes:
    """The bytes of a kept file; InputError when it cannot be read."""
    return content_of(file.path, file.name)


def _folder(part: str) -> Path:
    return home() / "satisfaction" / part


def _listed(folder: Path) -> list[Path]:
    """Complete files, the oldest first."""
    result = []
    with suppress(OSError):
        for path in folder.iterdir():
            if not path.name.startswith(".") and path.is_file():
                result.append((path.stat().st_mtime_ns, path.name, path))
    return [path for *_, path in sorted(result)]


def _written(name: str) -> str:
    """A name as that of a file, from which it can be read back unless it is very long."""
    written = quote(name.encode("utf-8", "replace").decode(), safe=" ")
    if len(written) > MAX_NAME or written.startswith("."):
        return f"{safe_name(name)}_{digest_of(name)[:8]}"
    return written
