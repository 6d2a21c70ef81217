"""What a system returned, as it is scored: within the pool, without the query itself and its own group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.systems import lists_of, resolve_lists
from evalcore.results.qrels import judged_by
from evalcore.values.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.evaluate.systems import Lists
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings

QUERIES_AT_ONCE = 2_048
DEPTH = 100
"""Results of a system without a run, unless another number is asked for."""
UNKNOWN = "unknown-image-"


def run_of(
    study: Study, name: str, *, settings: Settings, relevance: str | None = None, top: int | None = None,
    by_place: bool = False,
) -> Iterator[Run]:  # fmt: skip
    """A system's answers, block by block, as runs over `ids_of` the study.

    Of a system of several seeds they are those of the first, by whose name the runs are called.

    Parameters
    ----------
    relevance
        What the lists will be judged by (see `qrels.judged_by`): by labels, only queries and, with
        ``pool="labelled"``, images that carry them are left.
    top
        Results per query; None for all of a run, and for `DEPTH` of a system that ranks by itself. With
        ``ties="expected"`` the group of equal scores at the last rank is kept whole.
    by_place
        Scores are the number of results from a place on, so that no two are equal and any program keeps this
        order; else those of the system.

    Raises
    ------
    UnknownName
        No such system, relevance or label column.
    """
    (system,) = resolve_lists(study, [name])
    labels = judged_by(study, relevance, settings).labels if relevance else ()
    pool = pool_of(study, labels, study.queries, settings)
    depth = top if system.run is not None else top or DEPTH
    for first in range(0, len(pool.queries), QUERIES_AT_ONCE):
        block = pool.queries[first : first + QUERIES_AT_ONCE]
        lists = lists_of(study, system, pool, block, depth=depth, settings=settings)
        if depth is not None and settings.ties != "expected":
            lists = lists.first(depth)
        scores = lists.scores
        if by_place:
            lengths = np.diff(lists.indptr)
            scores = (np.repeat(lengths, lengths) + 1 - lists.ranks).astype(np.float64)
        named = _named(lists, len(study.image_ids))
        yield Run.from_arrays(system.name, lists.queries, lists.indptr, named, scores)


def ids_of(study: Study) -> tuple[str, ...]:
    """The ids of images, and after them names for those that the study does not know."""
    unknown = max((int(np.diff(run.indptr).max(initial=0)) for run in study.runs.values()), default=0)
    return (*study.image_ids, *(f"{UNKNOWN}{place + 1}" for place in range(unknown)))


def _named(lists: Lists, n_images: int) -> Ints:
    """The candidates; unknown ones by their place, so that each list names them differently."""
    unknown = lists.candidates < 0
    return np.where(unknown, n_images - 1 + lists.ranks, lists.candidates).astype(np.int32)
