"""Rows an encoder gave before are kept: in the cache of the workspace, by encoder and by content.

Rows lie in pieces, each written whole as soon as it is there, so that work that was stopped goes on where it
was. A piece that is damaged is computed anew; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from evalcore.study.tables.guard import attempt
from evalcore.study.workspace.home import home, write_whole
from evalcore.values.errors import InputError

Row = npt.NDArray[np.float32]

ROOM = 4 << 30
"""Bytes of rows that are kept; the encoder used longest ago makes room."""
PIECE, PAUSE = 32 << 20, 20.0
"""A piece is written after so many bytes, or so many seconds."""


def content_key(data: bytes) -> str:
    """What stands for the content of a picture or caption: equal for equal bytes only."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class KeptRows:
    """The rows of one encoder by content; ``add`` new ones, ``close`` when done or stopped."""

    def __init__(self, encoder: str) -> None:
        self._folder = home() / "cache" / "vectors" / encoder
        self._rows: dict[str, Row] = {}
        self._new: dict[str, Row] = {}
        self._size, self._written = 0, time.monotonic()
        self._read()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> Row | None:
        """The row of a content, None when it was not seen before."""
        return self._rows.get(key)

    def add(self, key: str, row: Row) -> None:
        """Keep a row; it is written with the next piece."""
        self._rows[key] = self._new[key] = row
        self._size += row.nbytes
        if self._size >= PIECE or time.monotonic() - self._written >= PAUSE:
            self.close()

    def close(self) -> None:
        """Write what is not written yet, and make room."""
        self._written = time.monotonic()
        if not self._new:
            return
        held = io.BytesIO()
        np.savez(held, keys=np.array(list(self._new)), rows=np.stack(list(self._new.values())))
        self._new, self._size = {}, 0
        with suppress(InputError, OSError):  # only a cache: where it cannot be written, it takes longer
            write_whole(self._folder / f"{uuid4().hex}.npz", held.getvalue())
            _make_room(self._folder)

    def _read(self) -> None:
        try:
            pieces = sorted(self._folder.glob("*.npz"))
        except OSError:
            return
        for piece in pieces:
            rows, _ = attempt(partial(_rows_of, piece))
            if rows is None:
                with suppress(OSError):
                    piece.unlink()
            else:
                self._rows.update(rows)
        if pieces:
            with suppress(OSError):
                os.utime(self._folder)  # used now: the last to go


def _rows_of(piece: Path) -> dict[str, Row]:
    """The rows of a piece by content; raises whatever a damaged one raises."""
    with np.load(io.BytesIO(piece.read_bytes()), allow_pickle=False) as held:
        keys, rows = held["keys"].tolist(), held["rows"]
    if rows.ndim != 2 or rows.dtype != np.float32:
        raise ValueError("these are no rows")
    return dict(zip(keys, rows, strict=True))


def _make_room(mine: Path) -> None:
    """Throw away whole encoders, the one used longest ago first, but never the one at work."""
    sizes = {one: sum(file.stat().st_size for file in one.iterdir()) for one in mine.parent.iterdir()}
    held = sum(sizes.values())
    for one in sorted(sizes, key=lambda folder: folder.stat().st_mtime_ns):
        if held <= ROOM:
            return
        if one != mine:
            shutil.rmtree(one, ignore_errors=True)
            held -= sizes[one]
