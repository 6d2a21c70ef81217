"""Which studies the users of a server may read besides their own: those of ``server.toml``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from evalcore.features.server.read import VARIABLE, read_settings
from evalcore.values.account import current
from evalcore.values.errors import InputError


class Readable(NamedTuple):
    """A study that is not one's own: its folder, what it is called, and where it is from, in words."""

    path: Path
    name: str
    origin: str


def readable_studies() -> list[Readable]:
    """The studies that who is at work may read and not change: those of ``[shared]``, in their order.

    None on one's own computer.
    """
    if current() is None:
        return []
    return [Readable(path, name, "shared by the server") for name, path in _named().items()]


def _named() -> dict[str, Path]:
    """``[shared]`` as the file says now; nothing where it cannot be read."""
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    try:
        fact = os.stat(path)  # noqa: PTH116
        key = (path, fact.st_mtime_ns, fact.st_size, fact.st_ino)
        if key not in _settings:
            shared = dict(read_settings(Path(path)).shared)
            _settings.clear()
            _settings[key] = shared
        return _settings[key]
    except (InputError, OSError):
        return {}


_settings: dict[tuple[str, int, int, int], dict[str, Path]] = {}
"""What the file said when it was last read."""
