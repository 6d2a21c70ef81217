"""Blocks of work over the cores, in order: what the engine uses instead of global thread settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from evalcore.engine import loops
from evalcore.values.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 0.2
"""Seconds between two looks while nothing gets done."""


def cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_cores(
    work: Callable[[Item], Result], items: Sequence[Item], progress: Progress | None = None
) -> list[Result]:
    """``[work(item) for item in items]``, several at a time where ``work`` releases the interpreter lock.

    Results stand in the order of the items, whichever is done first. ``progress`` is called in this thread,
    often; when it raises, no further item is begun and the exception goes on.
    """
    if progress is None and (len(items) <= 1 or cores() == 1):
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(max(1, min(cores(), len(items))))
    try:
        return _gathered([pool.submit(work, item) for item in items], progress)
    finally:
        pool.shutdown(cancel_futures=True)


def _gathered(futures: Sequence[Future[Result]], progress: Progress | None) -> list[Result]:
    """The results in order, while ``progress`` is called with the share done."""
    if progress is None:
        return [future.result() for future in futures]
    results: list[Result] = []
    for future in futures:
        while not wait([future], timeout=_PATIENCE).done:
            progress(len(results) / len(futures), loops.what_is_compiled())
        results.append(future.result())
        progress(len(results) / len(futures), "")
    return results


def slices(n: int, size: int) -> list[slice]:
    """``range(n)`` cut into slices of at most ``size`` (of 1 where that is less)."""
    size = max(size, 1)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
