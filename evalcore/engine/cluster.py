"""The same blocks of queries on several machines: an optional way over dask.distributed.

Queries do not depend on each other, so a block that was lost with its worker is asked for again and the
answers stay the same. Workers get what relevance depends on and nothing else: concept sets, the
neighbours among them, embeddings. They must run the same version of this program.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import sleep
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evalcore.engine.blocks import slices
from evalcore.engine.connection import Cluster, active, give_up, using
from evalcore.engine.space import neighbours_of
from evalcore.errors import InputError
from evalcore.model import ConceptSets, Embeddings, Report, Run, Study, digest_of
from evalcore.settings import MAX_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.engine.blocks import Progress
    from evalcore.graph import Neighbours
    from evalcore.model import Floats, Ints
    from evalcore.settings import Direction, Settings

    Answer = TypeVar("Answer")

__all__ = ["active", "ideals", "rank", "using"]

PATIENCE = 0.2
"""Seconds between two tellings."""
ATTEMPTS = 4
"""How often a block is asked for before the cluster is given up."""
SMALLEST, LARGEST, PER_THREAD = 64, 1024, 4
"""Queries of a block, and blocks for each thread of the cluster."""


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


def rank(
    cluster: Cluster, study: Study, relevance: str, queries: Ints, *, candidates: Ints, depth: int,
    settings: Settings, whole_ties: bool, tell: Progress | None,
) -> Run:  # fmt: skip
    """`interface.rank` over the cluster; where a shared one fails, on this machine."""
    held = _what_workers_need(study, relevance, (settings,))
    arguments = (relevance, candidates, depth, settings, whole_ties)
    try:
        runs: list[Run] = _gathered(cluster, held, _rank_block, queries, arguments, tell)
    except InputError as problem:
        if not give_up(cluster, str(problem)):
            raise
        return _rank_block(study, queries, *arguments, tell=tell)
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
    """`interface.ideal_gains_of` over the cluster; where a shared one fails, on this machine."""
    held = _what_workers_need(study, relevance, settings)
    arguments = (relevance, candidates, depth, tuple(settings))
    try:
        found: list[Floats] = _gathered(cluster, held, _ideal_block, queries, arguments, tell)
    except InputError as problem:
        if not give_up(cluster, str(problem)):
            raise
        return _ideal_block(study, queries, *arguments, tell=tell)
    return np.concatenate([np.empty((len(settings), 0, depth)), *found], axis=1)


def _rank_block(
    data: Held | Study, queries: Ints, relevance: str, candidates: Ints, depth: int, settings: Settings,
    whole_ties: bool, *, tell: Progress | None = None,
) -> Run:  # fmt: skip
    from evalcore.engine import interface

    return interface.rank(
        _as_study(data), relevance, queries, candidates=candidates, depth=depth, settings=settings,
        whole_ties=whole_ties, progress=tell,
    )  # fmt: skip


def _ideal_block(
    data: Held | Study, queries: Ints, relevance: str, candidates: Ints, depth: int,
    settings: tuple[Settings, ...], *, tell: Progress | None = None,
) -> Floats:  # fmt: skip
    from evalcore.engine import interface

    return interface.ideal_gains_of(
        _as_study(data), relevance, queries, candidates=candidates, depth=depth, settings=settings,
        progress=tell,
    )  # fmt: skip


def _as_study(data: Held | Study) -> Study:
    return data.study() if isinstance(data, Held) else data


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
    threads = _threads(cluster, tell)
    size = -(-len(queries) // (PER_THREAD * threads))
    blocks = [queries[part] for part in slices(len(queries), min(max(size, SMALLEST), LARGEST))]
    answers: dict[int, Answer] = {}
    for _ in range(ATTEMPTS):
        if len(answers) < len(blocks):
            with cluster.client.as_current():
                _ask(cluster, held, work, blocks, arguments, answers, tell)
            _check_there(cluster, len(answers) / len(blocks), tell)
    if len(answers) < len(blocks):
        way_out = "Look at the workers' messages: they may lack memory, or run another version of CUIscope."
        raise InputError(f"The cluster lost some blocks of queries {ATTEMPTS} times. {way_out}")
    return [answers[place] for place in range(len(blocks))]


def _threads(cluster: Cluster, tell: Progress | None) -> int:
    """Threads of all workers, at least 1."""
    _check_there(cluster, 0.0, tell)
    threads = 0

    def look() -> None:
        nonlocal threads
        threads = sum(cluster.client.nthreads().values())

    if not _was_done(cluster, look):
        _check_there(cluster, 0.0, tell)
    return max(1, threads)


def _check_there(cluster: Cluster, done: float, tell: Progress | None) -> None:
    """A lost connection gets `connection.CONNECTING` seconds to come back, else InputError."""
    while cluster.client.status == "connecting":
        if tell is not None:
            tell(done, "waiting for the scheduler, which does not answer")
        sleep(PATIENCE)
    if cluster.client.status != "running":
        way_out = "Start it and its workers again, or compute on this machine alone."
        raise InputError(f"The scheduler at {cluster.address} went away during the work. {way_out}")


def _ask(
    cluster: Cluster, held: Held, work: Callable[..., Answer], blocks: Sequence[Ints],
    arguments: tuple[Any, ...], answers: dict[int, Answer], tell: Progress | None,
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
            if tell is not None:
                tell(len(answers) / len(blocks), "")
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
        way_out = "Start all of it with PYTHONPATH set to the folder of CUIscope, and the same packages."
        raise InputError(f"A worker of the cluster cannot load {problem.name}. {way_out}") from problem
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
