"""Blocks of work over the cores, in order: what the engine uses instead of global thread settings."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """``[work(item) for item in items]``, several at a time where ``work`` releases the interpreter lock.

    Results stand in the order of the items, whichever is done first; one item costs no thread.
    """
    if len(items) <= 1 or cores() == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(cores(), len(items))) as pool:
        return list(pool.map(work, items))


def slices(n: int, size: int) -> list[slice]:
    """``range(n)`` cut into slices of at most ``size`` (of 1 where that is less)."""
    size = max(size, 1)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
