"""How much of one file is read: a cap in bytes, and how far a packed file may grow.

What a file takes in memory is estimated from what its reader keeps, so the cap holds for a small file of
very many tiny rows as well as for a large one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from evalcore.study.tables.problems import Problems
from evalcore.values.account import current_limits

VARIABLE = "CUISCOPE_MAX_BYTES"
DEFAULT = 1 << 30
"""The cap where nobody sets another: 1 GB."""
MAX_RATIO = 200
"""Largest unpacked to packed size beyond ``RATIO_FROM`` bytes; text reaches 50."""
RATIO_FROM = 16 << 20
MAX_LINE = 1 << 20
"""Longest line of a table, in characters."""
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]?)i?b?\Z", re.IGNORECASE)
_WAY_OUT = f"Split the file, or raise the cap: --max-bytes 4GB, or {VARIABLE}=4GB before the pages start."

_raised: ContextVar[int | None] = ContextVar("max_bytes", default=None)


def max_bytes() -> int:
    """The most that is read of one file, in bytes: of ``at_most``, else of ``CUISCOPE_MAX_BYTES``, else 1 GB.

    A variable that is no size counts as not set; the command line refuses it. A server reads no more than it
    unpacks.
    """
    limit = _raised.get() or size_of(os.environ.get(VARIABLE, "")) or DEFAULT
    server = current_limits()
    return limit if server is None else min(limit, server.unpacked_bytes)


@contextmanager
def at_most(size: int | None) -> Iterator[None]:
    """Another cap for what is read meanwhile; None changes nothing."""
    token = _raised.set(_raised.get() if size is None else size)
    try:
        yield
    finally:
        _raised.reset(token)


def size_of(text: str) -> int | None:
    """A size in bytes, None for a text that is none. Units are powers of 1,024.

    >>> size_of("4GB"), size_of("1.5 m"), size_of("1000"), size_of("1_000"), size_of("0")
    (4294967296, 1572864, 1000, None, None)
    """
    match = _SIZE.match(text.strip())
    return (int(float(match[1]) * (1 << _UNITS[match[2].lower()])) or None) if match else None


def in_words(size: int) -> str:
    """A number of bytes as a person would say it.

    >>> in_words(1 << 30), in_words(1_610_612_736), in_words(30_000_000), in_words(700)
    ('1 GB', '1.5 GB', '28.6 MB', '700 bytes')
    """
    for name, shift in (("GB", 30), ("MB", 20), ("kB", 10)):
        if size >> shift:
            return f"{size / (1 << shift):.3g} {name}"
    return f"{size:,} bytes"


def max_unpacked_size(packed: int) -> int:
    """The most a packed file of that many bytes may unpack to."""
    return min(max_bytes(), max(RATIO_FROM, MAX_RATIO * packed))


def report_growth(problems: Problems, packed: int) -> None:
    """A packed file of that many bytes that unpacks to more than it may."""
    if max_unpacked_size(packed) == max_bytes():
        report_too_large(problems, "Unpacked, it contains")
        return
    message = f"It unpacks to more than {MAX_RATIO} times its {in_words(packed)}."
    problems.error("too-large", message, "If that is meant, give the file unpacked.", value=packed)


def report_too_large(problems: Problems, holds: str = "It contains") -> None:
    """A file beyond the cap."""
    message = f"{holds} more than {in_words(max_bytes())}, the most that is read of one file."
    problems.error("too-large", message, _WAY_OUT, value=max_bytes())


def within_memory_limit(problems: Problems, rows: int, each: int) -> bool:
    """Whether that many rows, that many bytes each in memory, stay below the cap; else an error."""
    if rows * each <= max_bytes():
        return True
    _report_full(problems)
    return False


@dataclass(slots=True)
class MemoryBudget:
    """The memory a reader may still fill, in bytes, while it keeps one thing after the other."""

    problems: Problems
    left: int = field(default_factory=max_bytes)

    def consume(self, size: int) -> bool:
        """Whether there is room for so much more; False, with one error, when there is not."""
        if self.left < 0:
            return False
        self.left -= size
        if self.left < 0:
            _report_full(self.problems)
        return self.left >= 0


def _report_full(problems: Problems) -> None:
    report_too_large(problems, "What it contains takes")
