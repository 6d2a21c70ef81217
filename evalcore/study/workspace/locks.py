"""Several programs on one workspace: who changes something waits for its turn.

Folders themselves are locked, so that no lock files lie about, and a lock ends with its program, however
that ends. Where a system or a file system knows no such locks, changes rely on unused names and whole
renames alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalcore.values.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""Seconds to wait for another program."""
_PAUSE = 0.02


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a folder: alone, or together with others that share it. InputError after ``PATIENCE``."""
    deadline = time.monotonic() + PATIENCE
    with _opened(folder) as handle:
        while not _taken(handle, shared=shared, without=True):
            if time.monotonic() > deadline:
                remedy = "Wait until it is done, or end it, and try again."
                raise InputError(f"Another program is changing {folder}. {remedy}")
            time.sleep(_PAUSE)
        yield


@contextmanager
def left_alone(folder: Path) -> Iterator[bool]:
    """Whether nobody else holds the folder now; if so, nobody can until the end of the block.

    False where there are no locks: then nobody can know.
    """
    with _opened(folder) as handle:
        yield _taken(handle, shared=False, without=False)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    if fcntl is None:
        yield None
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)  # which gives the lock back


def _taken(handle: int | None, *, shared: bool, without: bool) -> bool:
    """Whether the lock was free and is held now; ``without`` where there are no locks."""
    if handle is None:
        return without
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without
    return True
