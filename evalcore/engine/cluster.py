"""The same blocks of queries on several machines: an optional way over dask.distributed.

Queries do not depend on each other, so a block that was lost with its worker is computed again and the
answers stay the same. Workers get what relevance depends on and nothing else: concept sets, the neighbours
among them, embeddings (`space.payload_of`). They must run the same version of this program.
"""

from __future__ import annotations

import asyncio
import logging
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from evalcore.engine.space import slices
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, SettingError
from evalcore.values.extras import needs
from evalcore.values.model import Study
from evalcore.values.progress import Progress, silent

CONNECTING = 10
"""Seconds a scheduler has to answer all it is asked at first."""
CLOSING, PATIENCE = 1, 0.2
"""Seconds for saying goodbye, and between two looks."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""
_ADDRESS = re.compile(r"tcp://(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>[0-9]{1,5})")


@dataclass(slots=True)
class Cluster:
    """A connection, and what was sent to its workers, by content."""

    address: str
    client: Any
    sent: dict[str, Any] = field(default_factory=dict)


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
    client = None
    try:
        # A thread of its own: the caller's may have a loop that runs already (a notebook).
        with ThreadPoolExecutor(1) as apart:
            loading = apart.submit(asyncio.run, _greeted(address)).result()
        if len(loading) > 1 and all(loading):  # a client that nobody closes would stay connected
            client = Client(address, timeout=CONNECTING, set_as_default=False)
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
    cluster: Cluster, payload: Study, queries: Ints, task: tuple[Any, ...], progress: Progress
) -> list[Any]:
    """What ``work(payload, name, block, **options)`` of a ``task`` gives for blocks of the queries, in order.

    A block that is lost with its worker is computed again by another, as is the payload. Raises InputError
    where the scheduler is lost, or some block again and again.
    """
    from distributed import wait

    client, (work, name, options) = cluster.client, task
    with _losses_named(cluster.address), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # a study, once
        if payload.digest not in cluster.sent:
            cluster.sent[payload.digest] = client.submit(_itself, payload, pure=False)
        size = -(-len(queries) // (PER_THREAD * max(1, sum(client.nthreads().values()))))
        blocks = [queries[part] for part in slices(len(queries), min(max(size, SMALLEST), LARGEST))]
        study = cluster.sent[payload.digest]
        options = {**options, "progress": silent, "pure": False}
        futures = [client.submit(work, study, name, block, **options) for block in blocks]
    answers: dict[int, Any] = {}
    try:
        while len(answers) < len(futures):
            progress(len(answers) / len(futures), "")  # outside of what may fail: to raise here is to cancel
            waiting = [place for place in range(len(futures)) if place not in answers]
            with _losses_named(cluster.address):
                with suppress(TimeoutError), client.as_current():
                    wait([futures[place] for place in waiting], PATIENCE, return_when="FIRST_COMPLETED")
                answers |= {place: futures[place].result() for place in waiting if futures[place].done()}
    finally:
        with suppress(InputError), _losses_named(cluster.address):
            client.cancel(futures, force=True)
    return [answers[place] for place in range(len(futures))]


def _itself(payload: Study) -> Study:
    return payload


@contextmanager
def _losses_named(address: str) -> Iterator[None]:
    """Raise the errors of a lost worker or connection as InputError, with the way out."""
    from distributed import CancelledError, KilledWorker
    from distributed.client import ClosedClientError

    try:
        yield
    except KilledWorker as problem:
        remedy = "Look at the workers' messages: they may lack memory, or run another version of CUIscope."
        raise InputError(f"The cluster lost some blocks of queries again and again. {remedy}") from problem
    except ModuleNotFoundError as problem:
        remedy = "Start all of it with PYTHONPATH set to the folder of CUIscope, and the same packages."
        raise InputError(f"A worker of the cluster cannot load {problem.name}. {remedy}") from problem
    except (CancelledError, ClosedClientError, OSError) as problem:
        remedy = "Start it and its workers again, or compute on this machine alone."
        raise InputError(f"The scheduler at {address} went away during the work. {remedy}") from problem
