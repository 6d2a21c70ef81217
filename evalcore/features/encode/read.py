"""What is kept of encoding: rows by content, so that nothing is encoded twice, and how systems were made."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from evalcore.study.folder.layout import find_layout, is_reserved
from evalcore.study.parts.vectors import npz_bytes, parse_embeddings
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.change import name_in
from evalcore.study.workspace.home import server_home, write_whole
from evalcore.values.errors import InputError

Rows = npt.NDArray[np.float32]

ROOM = 4 << 30
"""Bytes of rows that are kept; those used longest ago make room."""
PIECE, PAUSE = 32 << 20, 20.0
"""A piece is written after so many bytes, or so many seconds."""


class KeptRows:
    """The rows of one encoder by content; `save` when done or stopped. "" for an encoder: nothing is kept.

    They are in the cache of the workspace in pieces that are written whole, so that work that was stopped
    goes on where it was. A piece that is damaged is removed, its rows are computed anew; where nothing can be
    written, nothing is kept.
    """

    def __init__(self, encoder: str) -> None:
        self._folder = server_home() / "cache" / "vectors" / encoder if encoder else None
        self.rows: dict[str, Rows] = {}
        self._new: dict[str, Rows] = {}
        self._written = time.monotonic()
        for piece in sorted(self._folder.glob("*.npz")) if self._folder else ():
            kept, _ = parse_embeddings(piece)
            with suppress(OSError):  # used now: the last to go
                piece.unlink() if kept is None else piece.touch()
            if kept is not None:
                self.rows |= zip(kept.ids, kept.vectors, strict=True)

    def add(self, key: str, row: Rows) -> None:
        """Keep a row; it is written with the next piece."""
        self.rows[key] = self._new[key] = row
        if len(self._new) * row.nbytes >= PIECE or time.monotonic() - self._written >= PAUSE:
            self.save()

    def save(self) -> None:
        """Write what is not written yet, and throw away what was used longest ago where it is too much."""
        self._written, new, self._new = time.monotonic(), self._new, {}
        if not new or self._folder is None:
            return
        with suppress(InputError, OSError):  # only a cache: where it cannot be written, it takes longer
            write_whole(self._folder / f"{uuid4().hex}.npz", npz_bytes(list(new), np.stack([*new.values()])))
            total, pieces = 0, {path: path.stat() for path in self._folder.parent.rglob("*.npz")}
            for path, stat in sorted(pieces.items(), key=lambda item: -item[1].st_mtime_ns):
                total += stat.st_size
                if total > ROOM:
                    path.unlink()


VECTORS, MADE = "embeddings.npz", "encoder.json"
"""The files of a system that was made here: its vectors, and how they were made."""


def made_here(study: Path) -> dict[str, dict[str, Any]]:
    """{key: the content of ``encoder.json``} of all systems of a study whose vectors were made here."""
    result = {}
    for key, parts in find_layout(study).systems.items():
        if "embeddings" in parts and "run" not in parts:
            with suppress(InputError, ValueError, RecursionError):
                record = json.loads(content_of(parts["embeddings"].with_name(MADE), MADE))
                if isinstance(record, dict):
                    result[key] = record
    return result


def check_free(study: Path, name: str) -> None:
    """InputError when a system cannot be called so: another one is, and was not made by an encoder."""
    if is_reserved(name, Problems(name)) or not name.strip():
        raise InputError(f"No system can be called {name!r}. Give it a name without @ in front.")
    layout = find_layout(study)
    key = name_in(layout, name)
    if key in layout.systems and key not in made_here(study):
        raise InputError(
            f"{name!r} is a system that was not made by an encoder here. Give the new one another name."
        )
