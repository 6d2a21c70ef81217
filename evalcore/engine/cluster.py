"""The same blocks of queries on several machines: an optional way over dask.distributed.

Queries do not depend on each other, so a block that was lost with its worker is asked for again and the
answers stay the same. Workers get what relevance depends on and nothing else: concept sets, the
neighbours among them, embeddings. They must run the same version of this program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import sleep
from typing import Any, TypeVar

from evalcore.engine.blocks import slices
from evalcore.engine.connection import Cluster, active, give_up, using
from evalcore.engine.held import Held
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.progress import Progress

Answer = TypeVar("Answer")

__all__ = ["active", "over_blocks", "using"]

PATIENCE = 0.2
"""Seconds between two looks."""
ATTEMPTS = 4
"""How often a block is asked for before the cluster is given up."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""


def over_blocks(
    cluster: Cluster, held: Held, work: Callable[..., Answer], study: Study, name: str, queries: Ints,
    asked: Mapping[str, Any], progress: Progress | None,
) -> list[Answer]:  # fmt: skip
    """``work(study, name, block, **asked)`` for blocks of the queries, in order, by workers with ``held``.

    ``work`` is `local.rank` or `local.best`. Where a shared cluster fails, one answer found on this machine.
    """
    try:
        return _gathered(cluster, held, _on_a_worker, queries, (work, name, asked), progress)
    except InputError as problem:
        if not give_up(cluster, str(problem)):
            raise
        return [work(study, name, queries, **asked, progress=progress)]


def _on_a_worker(
    held: Held, queries: Ints, work: Callable[..., Answer], name: str, asked: Mapping[str, Any]
) -> Answer:
    return work(held.study(), name, queries, **asked, progress=None)


def _gathered(
    cluster: Cluster, held: Held, work: Callable[..., Answer], queries: Ints, arguments: tuple[Any, ...],
    progress: Progress | None,
) -> list[Answer]:  # fmt: skip
    """The answers for all blocks of the queries, in order; lost ones are asked for again."""
    threads = _threads(cluster, progress)
    size = -(-len(queries) // (PER_THREAD * threads))
    blocks = [queries[part] for part in slices(len(queries), min(max(size, SMALLEST), LARGEST))]
    answers: dict[int, Answer] = {}
    for _ in range(ATTEMPTS):
        if len(answers) < len(blocks):
            with cluster.client.as_current():
                _ask(cluster, held, work, blocks, arguments, answers, progress)
            _check_there(cluster, len(answers) / len(blocks), progress)
    if len(answers) < len(blocks):
        remedy = "Look at the workers' messages: they may lack memory, or run another version of CUIscope."
        raise InputError(f"The cluster lost some blocks of queries {ATTEMPTS} times. {remedy}")
    return [answers[place] for place in range(len(blocks))]


def _threads(cluster: Cluster, progress: Progress | None) -> int:
    """Threads of all workers, at least 1."""
    _check_there(cluster, 0.0, progress)
    threads = 0

    def look() -> None:
        nonlocal threads
        threads = sum(cluster.client.nthreads().values())

    if not _was_done(cluster, look):
        _check_there(cluster, 0.0, progress)
    return max(1, threads)


def _check_there(cluster: Cluster, done: float, progress: Progress | None) -> None:
    """A lost connection gets `connection.CONNECTING` seconds to come back, else InputError."""
    while cluster.client.status == "connecting":
        if progress is not None:
            progress(done, "waiting for the scheduler, which does not answer")
        sleep(PATIENCE)
    if cluster.client.status != "running":
        remedy = "Start it and its workers again, or compute on this machine alone."
        raise InputError(f"The scheduler at {cluster.address} went away during the work. {remedy}")


def _ask(
    cluster: Cluster, held: Held, work: Callable[..., Answer], blocks: Sequence[Ints],
    arguments: tuple[Any, ...], answers: dict[int, Answer], progress: Progress | None,
) -> None:  # fmt: skip
    """Ask once for all blocks that have no answer yet, and take in what comes."""
    waiting: dict[Any, int] = {}

    def begin() -> None:
        data = _shared(cluster, held)
        for place, block in enumerate(blocks):
            if place not in answers:
                waiting[cluster.client.submit(work, data, block, *arguments, pure=False)] = place

    def take() -> None:
        for future in _done(list(waiting)):
            answers[waiting[future]] = future.result()
            del waiting[future]

    try:
        going = _was_done(cluster, begin)
        while going and waiting:
            # Not a part of what may fail: to cancel is to raise the very error of a lost block here.
            if progress is not None:
                progress(len(answers) / len(blocks), "")
            going = _was_done(cluster, take)
    finally:
        _was_done(cluster, lambda: cluster.client.cancel(list(waiting), force=True))


def _was_done(cluster: Cluster, step: Callable[[], None]) -> bool:
    """Do a step; False when a worker or the connection was lost, and what they held with it."""
    try:
        step()
    except _lost():
        cluster.held.clear()
        sleep(PATIENCE)  # for the client to notice when it is the scheduler that went away
        return False
    except ModuleNotFoundError as problem:
        remedy = "Start all of it with PYTHONPATH set to the folder of CUIscope, and the same packages."
        raise InputError(f"A worker of the cluster cannot load {problem.name}. {remedy}") from problem
    return True


def _lost() -> tuple[type[BaseException], ...]:
    """The errors of a lost worker or connection."""
    from distributed import CancelledError, KilledWorker
    from distributed.client import ClosedClientError

    return CancelledError, KilledWorker, ClosedClientError, OSError


def _shared(cluster: Cluster, held: Held) -> Any:
    """The study's part on every worker, sent once."""
    if held.digest not in cluster.held:
        cluster.held[held.digest] = cluster.client.scatter(held, broadcast=True, hash=False)
    return cluster.held[held.digest]


def _done(futures: list[Any]) -> list[Any]:
    """The futures that have an answer (or failed), after waiting a little for the first."""
    from distributed import wait

    with suppress(TimeoutError):
        wait(futures, timeout=PATIENCE, return_when="FIRST_COMPLETED")
    return [future for future in futures if future.done()]
