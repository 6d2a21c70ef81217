"""What the engine needs to know of a study, prepared once: different concept sets, and who is near whom."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evalcore.engine import loops
from evalcore.graph import Neighbours, neighbours
from evalcore.graph.neighbour_lists import Distances
from evalcore.relevance.concept_table import concept_weights
from evalcore.relevance.registry import Relevance
from evalcore.relevance.weighting import Weighting
from evalcore.values.arrays import Bools, Ints, Offsets, digest_of, indptr_of, readonly, rows_of
from evalcore.values.errors import SettingError
from evalcore.values.model import ConceptSets, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import MAX_THRESHOLD, Direction, Settings
from evalcore.values.stores import Store

# The concept sets of a study as a weighting leaves them: concepts of weight 0 are gone.

WEIGHTED_ROOM = 64 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """``concepts`` that count, over the same vocabulary; ``weights`` of it, None where all that count weigh
    the same. Then an image's concepts stand by weight, the heaviest first."""

    concepts: ConceptSets
    weights: Offsets | None


_kept: Store[Counted] = Store(WEIGHTED_ROOM)


def counted_concepts(study: Study, weighting: Weighting | None) -> Counted:
    """What is left of a study's concepts; all of them without a weighting."""
    if weighting is None:
        return Counted(study.concepts, None)
    weights = concept_weights(study, weighting)
    key = (study.concepts.digest, digest_of(weights), weighting.equal)
    return _kept.get_or_compute(key, lambda: _counted(study.concepts, weights, equal=weighting.equal))


def _counted(concepts: ConceptSets, weights: Offsets, *, equal: bool) -> Counted:
    kept = weights[concepts.indices] > 0
    rows = rows_of(concepts.indptr)[kept]
    indices = concepts.indices[kept]
    indptr = indptr_of(np.bincount(rows, minlength=len(concepts)))
    if not equal:
        indices = indices[np.lexsort((indices, -weights[indices], rows))]
    digest = digest_of(concepts.digest, weights, int(equal))
    sets = replace(concepts, indptr=readonly(indptr), indices=readonly(indices), digest=digest)
    return Counted(sets, None if equal else readonly(weights))


ROOM = 128 << 20
"""Bytes of spaces held ready: the thresholds and directions a user moves between, of one or two studies."""


class DistinctSets(NamedTuple):
    """Different concept sets as CSR, and the neighbours of every concept as CSR with distances.

    ``room`` is the largest of vocabulary, set, and number of neighbours that the concepts of one set have.
    """

    indptr: Offsets
    indices: Ints
    near_indptr: Offsets
    near_indices: Ints
    near_distances: Distances
    room: int


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The images of a study as the loops see them.

    Images with equal concepts share one of the ``sets``: ``set_of[i]`` is image i's, ``sizes`` how many
    concepts each has, or how much they weigh where concepts have ``weights`` (whole numbers, by concept; then
    the heaviest of a set stands first). Set 0 is empty, and ``set_of`` has one entry more than there are
    images: the unknown image -1 holds nothing. Counts and sums of weights are of the type of ``sizes``.
    ``key``: all that it depends on.
    """

    set_of: Ints
    sets: DistinctSets
    sizes: Ints
    annotated: Bools
    key: tuple[str, str, int, Direction]
    weights: Offsets | None = None


_spaces: Store[Space] = Store(ROOM)
forget = _spaces.forget


def prepare(
    study: Study, *, threshold: int, direction: Direction = "undirected", weighting: Weighting | None = None
) -> Space:
    """Different concept sets and the neighbours within ``threshold`` edges, ready for the loops.

    The last ones are kept, by the digests of concepts and graph; a study without a graph has no
    neighbours. ``weighting``: which concepts count, and how much (see ``relevance.weighting``). Raises
    SettingError when ``threshold`` or ``direction`` is outside its range, InputError when the study has
    nothing to weigh by.
    """
    source, counts = study.neighbour_source, counted_concepts(study, weighting)
    key = counts.concepts.digest, source.digest if source is not None else "", threshold, direction
    return _spaces.get_or_compute(key, lambda: _prepared(study, counts, key))


def neighbours_of(study: Study, *, threshold: int, direction: Direction) -> Neighbours:
    """The neighbours among the study's concepts: by its graph, else by its dictionary, else none.

    A dictionary is taken as it is, whatever ``direction``. Raises SettingError for a threshold beyond it.
    """
    source = study.neighbour_source
    if isinstance(source, Neighbours):
        return source.within(threshold)
    graph = source if threshold else None
    return neighbours(graph, study.concepts.vocabulary, threshold=threshold, direction=direction)


def _prepared(study: Study, counts: Counted, key: tuple[str, str, int, Direction]) -> Space:
    _, _, threshold, direction = key
    if threshold < 0:
        raise SettingError("threshold", "an integer of at least 0", threshold)
    near, concepts = neighbours_of(study, threshold=threshold, direction=direction), counts.concepts
    set_of, indptr, indices = different_rows(
        concepts.indptr, np.ascontiguousarray(concepts.indices, np.int32)
    )
    lengths = np.diff(indptr)
    sizes: Any = lengths.astype(np.int32)
    if counts.weights is not None:
        sizes = np.diff(indptr_of(counts.weights[indices])[indptr])
    links = indptr_of(np.diff(near.indptr)[indices])
    room = max(len(near.vocabulary), int(np.max(lengths)), int(np.max(np.diff(links[indptr]))), 1)
    sets = DistinctSets(indptr, indices, near.indptr, near.indices, near.distances, room)
    return Space(set_of, sets, readonly(sizes), study.concepts.annotated, key, counts.weights)


def different_rows(indptr: Offsets, entries: Any) -> tuple[Ints, Offsets, Any]:
    """The number of each row of a CSR among the different ones (and 0 at the end), and these, the empty one
    first."""
    numbers: dict[bytes, int] = {b"": 0}
    content, width = entries.tobytes(), entries.dtype.itemsize
    ends = (width * indptr).tolist()
    rows = (content[start:end] for start, end in pairwise(ends))
    set_of = [numbers.setdefault(row, len(numbers)) for row in rows]
    sizes = np.fromiter((len(row) // width for row in numbers), np.int64, len(numbers))
    different = np.frombuffer(b"".join(numbers), entries.dtype).copy()
    return readonly(np.array([*set_of, 0], np.int32)), readonly(indptr_of(sizes)), readonly(different)


def payload_of(study: Study, relevance: Relevance, settings: Sequence[Settings]) -> Study | None:
    """The part of a study that its values follow from, and nothing else: neighbours stand in for the graph.

    None for a relevance that is computed here only: it needs the graph, the judgments or a function.
    """
    counts = relevance.family in {"overlap", "neighbours"}
    if not counts and relevance.family != "embedding":
        return None
    embeddings = {} if relevance.system is None else {relevance.system: study.embeddings[relevance.system]}
    reach = max((setting.threshold for setting in settings), default=0) if counts else 0
    direction: Direction = settings[0].direction if settings and counts else "undirected"
    near = neighbours_of(study, threshold=min(reach, MAX_THRESHOLD), direction=direction)
    kinds = study.kinds if relevance.weighting is not None else None
    parts = (study.concepts, near, *embeddings.values(), kinds)
    return Study(
        concepts=study.concepts,
        embeddings=embeddings,
        queries=study.queries[:0],
        candidates=study.candidates[:0],
        digest=digest_of(*(part.digest for part in parts if part is not None)),
        neighbours=near,
        kinds=kinds,
    )


# Blocks of work over the cores, in order: what the engine uses instead of global thread settings.

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 0.2
"""Seconds between two looks while nothing gets done."""


def cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parallel_map(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    progress: Progress = silent,
    *,
    at_most: int | None = None,
) -> list[Result]:
    """``[work(item) for item in items]``, several at a time where ``work`` releases the interpreter lock.

    ``at_most``: so many at a time, however many cores there are; for work that takes much memory.

    Results stand in the order of the items, whichever is done first. ``progress`` is called in this thread,
    often; when it raises, no further item is begun and the exception goes on.
    """
    if progress is silent and (len(items) <= 1 or cores() == 1):
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(max(1, min(cores(), len(items), at_most or len(items))))
    try:
        return _gathered([pool.submit(work, item) for item in items], progress)
    finally:
        pool.shutdown(cancel_futures=True)


def _gathered(futures: Sequence[Future[Result]], progress: Progress) -> list[Result]:
    """The results in order, while ``progress`` is called with the share done."""
    if progress is silent:
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
