"""A program that dies, or a disk that fails, at the n-th change of the file system below a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

CHANGES = (
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.link",
    "os.symlink",
    "os.truncate",
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it, and nothing it cleans up reaches the disk."""


@dataclass
class _Fault:
    below: str
    at: int
    make: Callable[[], BaseException]
    forever: bool
    seen: int = 0


_armed: list[_Fault] = []
_installed: list[bool] = []


def _hook(event: str, args: tuple) -> None:
    if not _armed:
        return
    fault = _armed[-1]
    if event == "open":
        if not (isinstance(args[2], int) and args[2] & WRITING):
            return
    elif event not in CHANGES:
        return
    if not any(isinstance(entry, (str, os.PathLike)) and fault.below in str(entry) for entry in args):
        return
    fault.seen += 1
    if fault.seen == fault.at or (fault.forever and fault.seen > fault.at):
        raise fault.make()


@contextmanager
def fault(
    below: os.PathLike[str], at: int, make: Callable[[], BaseException] = Killed, *, forever: bool = True
) -> Iterator[_Fault]:
    """From the ``at``-th change on (only that one unless ``forever``) every change below a folder fails.

    ``seen`` of what it gives counts the changes tried.
    """
    if not _installed:
        sys.addaudithook(_hook)
        _installed.append(True)
    _armed.append(_Fault(str(below), at, make, forever))
    try:
        yield _armed[-1]
    finally:
        _armed.pop()
