"""A child process with its grandchildren: followed line by line, and ended together however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from evalcore.values.errors import InputError

TAIL = 5
"""Last lines of a child that failed which are shown."""
_LINE = 400
_SAYS_NOTHING = frozenset("^~ .=-")
_LOOK, _GRACE = 0.2, 2.0
"""Seconds between two looks at a quiet child, and from the request to end to the end."""


def run(
    command: Sequence[str],
    *,
    name: str,
    timeout: float,
    heard: Callable[[str], None],
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> None:
    """Run a program to its end.

    Parameters
    ----------
    name : what the messages call it.
    timeout : seconds it may take.
    heard : called with each line it writes, and with "" a few times a second; what it raises ends the child.
    environ, folder : its environment variables (else those of this program) and its working folder.

    Raises
    ------
    InputError
        It cannot be started, took too long or ended with an error: exit code and last lines are in the
        message. No process of it is left then, nor after an error of ``heard``.
    """
    try:
        child = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=None if environ is None else dict(environ),
            cwd=folder,
            start_new_session=os.name == "posix",
        )
    except OSError as reason:
        raise InputError(f"{name} cannot be started: {reason.strerror or reason}.") from reason
    last: deque[str] = deque(maxlen=TAIL)
    try:
        _follow(child, last, name=name, ends=time.monotonic() + timeout, timeout=timeout, heard=heard)
    finally:
        end(child)
    if child.returncode:
        code = f"exit code {child.returncode}" if child.returncode > 0 else f"signal {-child.returncode}"
        raise InputError(f"{name} stopped with {code}.{_said(last)}")


def _follow(
    child: subprocess.Popen[bytes],
    last: deque[str],
    *,
    name: str,
    ends: float,
    timeout: float,
    heard: Callable[[str], None],
) -> None:
    lines: SimpleQueue[str | None] = SimpleQueue()
    threading.Thread(target=_read, args=(child, lines), daemon=True, name="child-output").start()
    speaks = True
    while speaks or child.poll() is None:
        if time.monotonic() > ends:
            raise InputError(f"{name} took longer than {timeout:,.0f} seconds and was stopped.{_said(last)}")
        try:
            line = lines.get(timeout=_LOOK)
        except Empty:
            heard("")
            speaks = speaks and child.poll() is None  # what it started may hold its output open
            continue
        if line is None:
            speaks = False
            continue
        if not (set(line) <= _SAYS_NOTHING or line.startswith("@")):
            last.append(line[:_LINE])
        heard(line)


def _read(child: subprocess.Popen[bytes], lines: SimpleQueue[str | None]) -> None:
    """Lines of the child as text; a line without end is cut, so that none can fill the memory."""
    assert child.stdout is not None
    with suppress(ValueError, OSError):
        while piece := child.stdout.readline(1 << 16):
            lines.put(piece.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def end(child: subprocess.Popen[bytes]) -> None:
    """End a child and all it started: asked first, then at once. Nothing where they have ended."""
    _signal(child, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _signal(child: subprocess.Popen[bytes], which: int) -> None:
    """To the child's group, which outlives it while one of its own is left."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(child.pid, which)
        elif child.poll() is None:
            child.terminate()


def _said(last: Sequence[str]) -> str:
    lines = [line.strip() for line in last]
    return f" It said: {' | '.join(lines)}" if lines else " It said nothing."
