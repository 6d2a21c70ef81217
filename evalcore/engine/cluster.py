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
from time import sleep
from typing import Any, TypeVar

from evalcore.engine.space import slices
from evalcore.engine.vectors import Held
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.extras import needs
from evalcore.values.progress import Progress, silent

CONNECTING = 10
"""Seconds a scheduler has to answer all it is asked at first; also to come back when a connection is lost."""
CLOSING, PATIENCE = 1, 0.2
"""Seconds for saying goodbye, and between two looks."""
ATTEMPTS = 4
"""How often a block is asked for before the work is given up."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""
_ADDRESS = re.compile(r"tcp://(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>[0-9]{1,5})")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class Cluster:
    """A connection, and what its workers hold by content."""

    address: str
    client: Any
    held: dict[str, Any] = field(default_factory=dict)


ACTIVE: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
"""The cluster in use here, None for this machine."""


@contextmanager
def using(address: str) -> Iterator[None]:
    """Rank and find ideals on the cluster behind a scheduler's address.

    The machines there get the concepts and embeddings of the studies and run code of this program, and they
    could make this machine run theirs: use trusted ones only. Raises as `connected`.
    """
    client = connected(address)
    token = ACTIVE.set(Cluster(address, client))
    try:
        yield
    finally:
        ACTIVE.reset(token)
        with suppress(TimeoutError):
            client.close(timeout=CLOSING)


def connected(address: str) -> Any:
    """A client of the scheduler at an address.

    Raises
    ------
    SettingError
        The address is not of the form ``tcp://HOST:PORT``.
    InputError
        dask.distributed is not installed, nobody answers within `CONNECTING` seconds, there are no workers,
        or one of them cannot load this program.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) < 1 << 16:
        raise SettingError("address", "of the form tcp://192.168.1.20:8786", address)
    with needs("cluster", "A cluster"):
        from distributed import Client
    for name in ("distributed.client", "distributed.comm.tcp"):  # what goes wrong is said once, here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # A thread of its own: the caller's may have a loop that runs already (a notebook).
        with ThreadPoolExecutor(1) as apart:
            loading = apart.submit(asyncio.run, _greeted(address)).result()
        client = Client(address, timeout=CONNECTING, set_as_default=False) if all(loading) else None
    except Exception as problem:
        # Whatever listens there and is no scheduler can cause any error: it is asked to talk like one.
        remedy = "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
        raise InputError(
            f"No scheduler answers at {address} (waited for up to {CONNECTING:g} seconds). {remedy}"
        ) from problem
    if len(loading) < 2:
        raise InputError(f"The scheduler at {address} has no workers: start some: `dask worker {address}`.")
    if client is None:
        remedy = "start all of them with PYTHONPATH set to its folder."
        raise InputError(f"The scheduler at {address} or one of its workers cannot load CUIscope: {remedy}")
    return client


async def _greeted(address: str) -> list[Any]:
    """What the scheduler, then each worker, would load this program from; all by one deadline."""
    from distributed import Client

    client: Any = Client(address, asynchronous=True, timeout=CONNECTING, set_as_default=False)
    try:
        async with asyncio.timeout(CONNECTING):
            await client
            there = await client.run_on_scheduler(find_spec, "evalcore")
            return [there, *(await client.run(find_spec, "evalcore")).values()]
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING):
                await client.close()


def over_blocks(
    cluster: Cluster, held: Held, queries: Ints, task: tuple[Any, ...], progress: Progress | None
) -> list[Any]:
    """What `_on_a_worker` gives for blocks of the queries, in order, by workers with ``held``.

    ``task``: its other arguments. Lost blocks are asked for again. Raises InputError where the scheduler, or
    always some block, is lost.
    """
    progress = progress or silent
    _check_there(cluster, 0.0, progress)
    threads = 1
    with suppress(*_lost()):
        threads = max(1, sum(cluster.client.nthreads().values()))
    size = -(-len(queries) // (PER_THREAD * threads))
    blocks = [queries[part] for part in slices(len(queries), min(max(size, SMALLEST), LARGEST))]
    answers: dict[int, Any] = {}
    for _ in range(ATTEMPTS):
        if len(answers) < len(blocks):
            with cluster.client.as_current():
                _ask(cluster, held, task, blocks, answers, progress)
            _check_there(cluster, len(answers) / len(blocks), progress)
    if len(answers) < len(blocks):
        remedy = "Look at the workers' messages: they may lack memory, or run another version of CUIscope."
        raise InputError(f"The cluster lost some blocks of queries {ATTEMPTS} times. {remedy}")
    return [answers[place] for place in range(len(blocks))]


def _on_a_worker(
    held: Held, queries: Ints, work: Callable[..., Answer], name: str, asked: Mapping[str, Any]
) -> Answer:
    return work(held.study(), name, queries, **asked, progress=None)


def _check_there(cluster: Cluster, done: float, progress: Progress) -> None:
    """A lost connection gets `CONNECTING` seconds to come back, else InputError."""
    while cluster.client.status == "connecting":
        progress(done, "waiting for the scheduler, which does not answer")
        sleep(PATIENCE)
    if cluster.client.status != "running":
        remedy = "Start it and its workers again, or compute on this machine alone."
        raise InputError(f"The scheduler at {cluster.address} went away during the work. {remedy}")


def _ask(
    cluster: Cluster,
    held: Held,
    task: tuple[Any, ...],
    blocks: Sequence[Ints],
    answers: dict[int, Any],
    progress: Progress,
) -> None:
    """Ask once for all blocks that have no answer yet, and take in what comes."""
    client, waiting = cluster.client, dict[Any, int]()

    def begin() -> None:
        if held.digest not in cluster.held:  # sent once to every worker
            cluster.held[held.digest] = client.scatter(held, broadcast=True, hash=False)
        data = cluster.held[held.digest]
        for place, block in enumerate(blocks):
            if place not in answers:
                waiting[client.submit(_on_a_worker, data, block, *task, pure=False)] = place

    def take() -> None:
        for future in _done(list(waiting)):
            answers[waiting[future]] = future.result()
            del waiting[future]

    try:
        going = _was_done(cluster, begin)
        while going and waiting:
            # Not a part of what may fail: to cancel is to raise the very error of a lost block here.
            progress(len(answers) / len(blocks), "")
            going = _was_done(cluster, take)
    finally:
        _was_done(cluster, lambda: client.cancel(list(waiting), force=True))


def _done(futures: list[Any]) -> list[Any]:
    """The futures that have an answer (or failed), after waiting a little for the first."""
    from distributed import wait

    with suppress(TimeoutError):
        wait(futures, timeout=PATIENCE, return_when="FIRST_COMPLETED")
    return [future for future in futures if future.done()]


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
