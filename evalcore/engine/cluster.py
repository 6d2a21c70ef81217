"""The same blocks of queries on several machines: an optional way over dask.distributed.

Queries do not depend on each other, so a block that was lost with its worker is asked for again and the
answers stay the same. Workers get what relevance depends on and nothing else: concept sets, the
neighbours among them, embeddings. They must run the same version of this program.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import Lock
from time import sleep
from typing import Any, TypeVar

from evalcore.engine.space import slices
from evalcore.engine.vectors import Held
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.extras import needs
from evalcore.values.model import Study
from evalcore.values.progress import Progress

# Which cluster is in use, if any: one for the length of a block of code, or one for the whole process.

CONNECTING = 10
"""Seconds a scheduler has to answer all it is asked at first; also to come back when a connection is lost."""
CLOSING = 1
"""Seconds for saying goodbye."""
_ADDRESS = re.compile(r"tcp://(?P<host>[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>[0-9]{1,5})")


@dataclass(slots=True)
class Cluster:
    """A connection, and what its workers hold by content. ``shared``: the whole process computes on it."""

    address: str
    client: Any
    held: dict[str, Any] = field(default_factory=dict)
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Sharing:
    """The cluster of the whole process: its address and workers, or why the last one is not used any more."""

    address: str = ""
    workers: int = 0
    threads: int = 0
    ended: str = ""


class _Common:
    """The one cluster that all threads share; guarded by ``lock``."""

    lock = Lock()
    cluster: Cluster | None = None
    ended = ""


_here: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


def active() -> Cluster | None:
    """The cluster in use here, None for this machine."""
    own = _here.get()
    if own is not None:
        return own
    common = _Common.cluster
    if common is not None and common.client.status != "running":
        give_up(common, "the connection was closed")
        return None
    return common


@contextmanager
def using(address: str | None) -> Iterator[None]:
    """Rank and find ideals on the cluster behind a scheduler's address; None: on this machine.

    Raises
    ------
    SettingError
        The address is not of the form ``tcp://HOST:PORT``.
    InputError
        dask.distributed is not installed, or nobody answers at the address within `CONNECTING` seconds.
    """
    if address is None:
        yield
        return
    client = connected(address)
    token = _here.set(Cluster(address, client))
    try:
        yield
    finally:
        _here.reset(token)
        _close(client)


def share(address: str) -> Sharing:
    """From now on all threads of this process compute on the cluster of a scheduler, instead of another.

    The machines there get the concepts and embeddings of the studies and run code of this program, and they
    could make this machine run theirs: share with trusted ones only.

    Raises
    ------
    SettingError, InputError
        As `using`; what was shared before then stays.
    """
    cluster = Cluster(address, connected(address), shared=True)
    with _Common.lock:
        before, _Common.cluster, _Common.ended = _Common.cluster, cluster, ""
    if before is not None:
        _close(before.client)
    return sharing()


def unshare() -> None:
    """Compute on this machine again."""
    with _Common.lock:
        before, _Common.cluster, _Common.ended = _Common.cluster, None, ""
    if before is not None:
        _close(before.client)


def sharing() -> Sharing:
    """What the process shares at the moment."""
    cluster = _Common.cluster
    if cluster is None:
        return Sharing(ended=_Common.ended)
    try:
        threads = cluster.client.nthreads()
    except (OSError, TimeoutError, ValueError) as problem:
        give_up(cluster, str(problem))
        return Sharing(ended=_Common.ended)
    return Sharing(cluster.address, len(threads), sum(threads.values()))


def give_up(cluster: Cluster, reason: str) -> bool:
    """Stop sharing a cluster that does not work, and remember why; False when it is not the shared one."""
    with _Common.lock:
        if _Common.cluster is cluster:
            _Common.cluster, _Common.ended = None, f"The cluster at {cluster.address} was given up: {reason}"
    if cluster.shared:
        _close(cluster.client)
    return cluster.shared


def checked_address(address: str) -> str:
    """An address of the form ``tcp://HOST:PORT``, or SettingError."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) < 1 << 16:
        raise SettingError("address", "of the form tcp://192.168.1.20:8786", address)
    return address


def connected(address: str) -> Any:
    """A client of the scheduler at an address that `checked_address` accepts."""
    checked_address(address)
    with needs("cluster", "A cluster"):
        from distributed import Client
    # What goes wrong is said once, by the errors here.
    for name in ("distributed.client", "distributed.comm.tcp"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # A thread of its own: the caller's may have a loop that runs already (a notebook).
        with ThreadPoolExecutor(1) as apart:
            known, known_there = apart.submit(asyncio.run, _greeted(address)).result()
        fault = _fault(address, known, known_there)
        client = None if fault else Client(address, timeout=CONNECTING, set_as_default=False)
    except Exception as problem:
        # Whatever listens there and is no scheduler can cause any error: it is asked to talk like one.
        remedy = "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
        raise InputError(
            f"No scheduler answers at {address} (waited for up to {CONNECTING:g} seconds). {remedy}"
        ) from problem
    if fault:
        raise InputError(f"The scheduler at {address} {fault}")
    return client


async def _greeted(address: str) -> tuple[dict[str, Any], Any]:
    """Who can load this program, of the workers and at the scheduler: all that is asked, by one deadline."""
    from distributed import Client

    client: Any = Client(address, asynchronous=True, timeout=CONNECTING, set_as_default=False)
    try:
        async with asyncio.timeout(CONNECTING):
            await client
            return await client.run(find_spec, "evalcore"), await client.run_on_scheduler(
                find_spec, "evalcore"
            )
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING):
                await client.close()


def _fault(address: str, known: dict[str, Any], known_there: Any) -> str:
    """What keeps a scheduler that answers from being used; "" when nothing does."""
    if not known:
        return f"has no workers: start some with `dask worker {address}`."
    if known_there is None or not all(known.values()):
        return (
            "or one of its workers cannot load CUIscope: start all of them with PYTHONPATH set to its folder."
        )
    return ""


def _close(client: Any) -> None:
    """Leave a cluster, whether it still answers or not."""
    with suppress(TimeoutError):
        client.close(timeout=CLOSING)


Answer = TypeVar("Answer")


PATIENCE = 0.2
"""Seconds between two looks."""
ATTEMPTS = 4
"""How often a block is asked for before the cluster is given up."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""


def over_blocks(
    cluster: Cluster,
    held: Held,
    work: Callable[..., Answer],
    study: Study,
    name: str,
    queries: Ints,
    asked: Mapping[str, Any],
    progress: Progress | None,
) -> list[Answer]:
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
    cluster: Cluster,
    held: Held,
    work: Callable[..., Answer],
    queries: Ints,
    arguments: tuple[Any, ...],
    progress: Progress | None,
) -> list[Answer]:
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
    cluster: Cluster,
    held: Held,
    work: Callable[..., Answer],
    blocks: Sequence[Ints],
    arguments: tuple[Any, ...],
    answers: dict[int, Answer],
    progress: Progress | None,
) -> None:
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
