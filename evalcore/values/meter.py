"""What this process has done since it started, in numbers: for the metrics of a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import perf_counter

_totals: Counter[str] = Counter()
_lock = Lock()


def add(name: str, amount: float = 1) -> None:
    """Add to a total; totals begin at 0."""
    with _lock:
        _totals[name] += amount  # type: ignore[assignment]


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Add the seconds that the block, or a call of the decorated function, takes, also when it fails."""
    began = perf_counter()
    try:
        yield
    finally:
        add(name, perf_counter() - began)


def total(name: str) -> float:
    """The total of that name; 0 where nothing was added."""
    with _lock:
        return _totals[name]
