"""The cache on disk of what was computed from a content: files on shelves, the longest unused goes first.

Only a cache: a full or read-only disk makes the program slower, not wrong. All users of a server share it.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from evalcore.study.workspace.home import make_folder, replacing, server_home
from evalcore.values.errors import InputError

SHELVES = 256
"""Folders of a cache; each may hold its share of the room."""


def place(cache: str, content: bytes, ending: str) -> Path:
    """Where a cache keeps what was made of a content; the ending says what that is."""
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    return server_home() / "cache" / cache / key[:2] / f"{key}{ending}"


def kept(path: Path) -> bytes | None:
    """What is kept there; None when it is not there, empty (a disk that lost power), or cannot be read."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # looked at now: the last to go
    return data or None


def keep(path: Path, data: bytes, *, room: int) -> None:
    """Put a file on its shelf, whole or not at all; ``room``: bytes of the whole cache."""
    with suppress(InputError, OSError):
        make_folder(path.parent)
        with replacing(path) as unfinished:
            unfinished.write_bytes(data)
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
