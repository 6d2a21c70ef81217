"""A program that dies, or a disk that fails, at the n-th change of the file system below a folder."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from evalcore.values.errors import InputError

CALLS = ("rename", "remove", "mkdir", "rmdir", "chmod", "link", "symlink", "truncate")
CHANGES = {f"os.{name}" for name in CALLS}
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


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def every_step(
    below: os.PathLike[str], make: Callable[[], BaseException] = Killed
) -> Iterator[AbstractContextManager[None]]:
    """Where to act, again and again: it ends at the first change, at the second, ..., and at last not at all.

    A full disk, which has room again after one change, must be said in words.
    """
    for at in range(1, 200):
        tried: list[_Fault] = []

        @contextmanager
        def ended(at: int = at, tried: list[_Fault] = tried) -> Iterator[None]:
            try:
                with fault(below, at, make, forever=make is Killed) as counted:
                    tried.append(counted)
                    yield
            except (Killed, InputError) as reason:
                assert isinstance(reason, Killed) or "the disk is full. Free some space" in str(reason)

        yield ended()
        if tried[0].seen < at:
            assert at > 1
            return
    pytest.fail("it never ends")
