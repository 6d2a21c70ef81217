"""Opening a file of the user: regular files only, as reading a pipe or a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# Without waiting for whoever might write into a pipe; bytes as they are on every system.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_file(path: Path) -> BinaryIO:
    """A regular file, opened for reading.

    Raises
    ------
    OSError
        It cannot be opened, or is a folder, a pipe, a socket or a device.
    """
    _check(path.stat().st_mode)
    handle = os.open(path, _FLAGS)
    try:
        _check(os.fstat(handle).st_mode)  # it may have been exchanged since
        return os.fdopen(handle, "rb")
    except OSError:
        os.close(handle)
        raise


def _check(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a regular file")
