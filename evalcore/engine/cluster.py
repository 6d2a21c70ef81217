"""The same blocks of queries on several machines: an optional way over dask.distributed.

Queries do not depend on each other, so a block that was lost with its worker is asked for again and the
answers stay the same. Workers get what relevance depends on and nothing else: concept sets, the
neighbours among them, embeddings. They must run the same version of this program.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evalcore.engine.blocks import slices
from evalcore.engine.space import neighbours_of
from evalcore.errors import InputError
from evalcore.model import ConceptSets, Embeddings, Report, Run, Study, digest_of
from evalcore.settings import MAX_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.engine.blocks import Progress
    from evalcore.graph import Neighbours
    from evalcore.model import Floats, Ints
    from evalcore.settings import Direction, Settings

    Answer = TypeVar("Answer")

PATIENCE = 0.2
CONNECTING = 10
"""Seconds between two tellings, and until a scheduler that does not answer is given up."""
ATTEMPTS = 4
"""How often a block is asked for before the cluster is given up."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""


@dataclass(slots=True)
class Cluster:
    """A connection, and what its workers hold by content."""

    client: Any
    held: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """What a worker needs of a study."""

    concepts: ConceptSets
    neighbours: Neighbours
    embeddings: tuple[Embeddings, ...]

    @property
    def digest(self) -> str:
        vectors = (one.digest for one in self.embeddings)
        return digest_of(self.concepts.digest, self.neighbours.digest, *vectors)

    def study(self) -> Study:
        """A study of nothing else; the dictionary of neighbours stands in for the graph."""
        nothing: MappingProxyType[str, Any] = MappingProxyType({})
        nobody = np.empty(0, np.int32)
        return Study(
            "", "", None, self.concepts, None, nothing, None, None, nothing,
            MappingProxyType({one.system: one for one in self.embeddings}), None, nobody, nobody, (),
            Report(), self.digest, self.neighbours,
        )  # fmt: skip


_active: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


def active() -> Cluster | None:
    """The cluster in use here, None for this machine."""
    return _active.get()


@contextmanager
def using(address: str | None) -> Iterator[None]:
    """Rank and find ideals on the cluster behind a scheduler's address; None: on this machine.

    Raises
    ------
    InputError
        dask.distributed is not installed, or nobody answers at the address.
    """
    if not address:
        yield
        return
    with _connected(address) as client, client.as_current():
        token = _active.set(Cluster(client))
        try:
            yield
        finally:
            _active.reset(token)


def rank(
    cluster: Cluster, study: Study, relevance: str, queries: Ints, *, candidates: Ints, depth: int,
    settings: Settings, whole_ties: bool, tell: Progress | None,
) -> Run:  # fmt: skip
    """`interface.rank` over the cluster."""
    held = _what_workers_need(study, relevance, (settings,))
    arguments = (relevance, candidates, depth, settings, whole_ties)
    runs: list[Run] = _gathered(cluster, held, _rank_block, queries, arguments, tell)
    lengths = [np.diff(run.indptr) for run in runs]
    return Run.from_arrays(
        f"@{relevance}",
        np.concatenate([np.empty(0, np.int32), *(run.queries for run in runs)]),
        np.append(0, np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths]))),
        np.concatenate([np.empty(0, np.int32), *(run.candidates for run in runs)]),
        np.concatenate([np.empty(0), *(run.scores for run in runs)]),
    )


def ideals(
    cluster: Cluster, study: Study, relevance: str, queries: Ints, *, candidates: Ints, depth: int,
    settings: Sequence[Settings], tell: Progress | None,
) -> Floats:  # fmt: skip
    """`interface.ideal_gains_of` over the cluster."""
    held = _what_workers_need(study, relevance, settings)
    arguments = (relevance, candidates, depth, tuple(settings))
    found: list[Floats] = _gathered(cluster, held, _ideal_block, queries, arguments, tell)
    return np.concatenate([np.empty((len(settings), 0, depth)), *found], axis=1)


def _rank_block(
    held: Held,
    queries: Ints,
    relevance: str,
    candidates: Ints,
    depth: int,
    settings: Settings,
    whole_ties: bool,
) -> Run:
    from evalcore.engine import interface

    return interface.rank(
        held.study(), relevance, queries, candidates=candidates, depth=depth, settings=settings,
        whole_ties=whole_ties,
    )  # fmt: skip


def _ideal_block(
    held: Held, queries: Ints, relevance: str, candidates: Ints, depth: int, settings: tuple[Settings, ...]
) -> Floats:
    from evalcore.engine import interface

    return interface.ideal_gains_of(
        held.study(), relevance, queries, candidates=candidates, depth=depth, settings=settings
    )


def _what_workers_need(study: Study, relevance: str, settings: Sequence[Settings]) -> Held:
    _, _, system = relevance.partition(":")
    reach = 0 if system else max((one.threshold for one in settings), default=0)
    direction: Direction = settings[0].direction if settings else "undirected"
    near = neighbours_of(study, threshold=min(reach, MAX_THRESHOLD), direction=direction)
    return Held(study.concepts, near, (study.embeddings[system],) if system else ())


def _gathered(
    cluster: Cluster, held: Held, work: Callable[..., Answer], queries: Ints, arguments: tuple[Any, ...],
    tell: Progress | None,
) -> list[Answer]:  # fmt: skip
    """The answers for all blocks of the queries, in order; lost ones are asked for again."""
    threads = max(1, sum(cluster.client.nthreads().values()))
    size = -(-len(queries) // (PER_THREAD * threads))
    blocks = [queries[part] for part in slices(len(queries), min(max(size, SMALLEST), LARGEST))]
    answers: dict[int, Answer] = {}
    for _ in range(ATTEMPTS):
        if len(answers) < len(blocks):
            _ask(cluster, held, work, blocks, arguments, answers, tell)
    if len(answers) < len(blocks):
        way_out = "Look at the workers' messages: they may lack memory, or run another version of CUIscope."
        raise InputError(f"The cluster lost some blocks of queries {ATTEMPTS} times. {way_out}")
    return [answers[place] for place in range(len(blocks))]


def _ask(
    cluster: Cluster, held: Held, work: Callable[..., Answer], blocks: Sequence[Ints],
    arguments: tuple[Any, ...], answers: dict[int, Answer], tell: Progress | None,
) -> None:  # fmt: skip
    """Ask once for all blocks that have no answer yet, and take in what comes."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    lost = (CancelledError, KilledWorker, CommClosedError, TimeoutError)
    waiting: dict[Any, int] = {}
    try:
        data = _shared(cluster, held)
        for place, block in enumerate(blocks):
            if place not in answers:
                waiting[cluster.client.submit(work, data, block, *arguments, pure=False)] = place
        while waiting:
            if tell is not None:
                tell(len(answers) / len(blocks), "")
            for future in _done(list(waiting)):
                answers[waiting.pop(future)] = future.result()
    except lost:
        cluster.held.clear()  # what a worker held went with it
    except ModuleNotFoundError as problem:
        way_out = "Start the workers in the folder of CUIscope, with the same packages installed."
        raise InputError(f"A worker of the cluster cannot load {problem.name}. {way_out}") from problem
    finally:
        cluster.client.cancel(list(waiting), force=True)


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


def _connected(address: str) -> Any:
    """A client of the scheduler; a context manager."""
    try:
        from distributed import Client
    except ImportError as problem:
        way_out = 'Install it with: pip install "distributed>=2024.8".'
        raise InputError(f"A cluster needs dask.distributed, which is not installed. {way_out}") from problem
    try:
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        way_out = "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
        raise InputError(f"No scheduler answers at {address}. {way_out}") from problem
    if not client.nthreads():
        client.close()
        raise InputError(
            f"The scheduler at {address} has no workers: start some with `dask worker {address}`."
        )
    return client
