"""Which studies the users of a server may read besides their own: those of ``server.toml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from evalcore.features.server.read import VARIABLE, read_settings
from evalcore.values.errors import InputError


def readable_studies() -> Mapping[str, Path]:
    """The studies that all users may read and none of them changes: the folders of ``[shared]`` by name.

    The file is read again when it changes; no studies where it cannot be read, and on one's own computer.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    try:
        fact = os.stat(path)  # noqa: PTH116
        key = (path, fact.st_mtime_ns, fact.st_size, fact.st_ino)
        if key not in _settings:
            shared = read_settings(Path(path)).shared
            _settings.clear()
            _settings[key] = shared
        return _settings[key]
    except (InputError, OSError):
        return {}


_settings: dict[tuple[str, int, int, int], Mapping[str, Path]] = {}
"""The studies of the file when it was last read."""
