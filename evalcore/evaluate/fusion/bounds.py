"""How much is there to gain from systems that exist? Two bounds, both found with the answers in hand.

*Best system per query* (the oracle of system selection): of each query the highest value among the systems.
No way to choose a system query by query can do better. *Best order of what they return*: of each query the
first K results of all systems together, ordered by what they earn. No re-ranking and no fusion of these
results can do better. Neither is a system: both look at the relevance first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.levels import weighed
from evalcore.evaluate.pools import pool_for
from evalcore.evaluate.scoring import as_scored, assemble, query_blocks, score_block
from evalcore.evaluate.systems import Lists, lists_of, resolve_systems, with_lists
from evalcore.evaluate.targets import gains_of, ideal_depth, metric_of, relevances_of, targets_of
from evalcore.ranking.metrics import METRICS, lower_is_better
from evalcore.stats.levels import difference
from evalcore.values.arrays import frozen, rows_of, starts_of
from evalcore.values.model import DEFINED
from evalcore.values.progress import part_of, silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.scoring import BlockScores
    from evalcore.evaluate.systems import System
    from evalcore.ranking.metrics import Metric, Target
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Scores, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

ORACLE, REORDERED = "best system per query", "best order of their results"


class Bounds(NamedTuple):
    """Both bounds as scores, called `ORACLE` and `REORDERED`; ``best``: the best-scoring systems of each
    query that has a value, shape (systems,), how often each was (one of) them. ``reordered`` is None where
    the best order is not known: under context-aware gains poor results before good ones can be worth more."""

    oracle: Scores
    reordered: Scores | None
    best: tuple[int, ...]


def oracle(scores: Sequence[Scores]) -> tuple[Scores, tuple[int, ...]]:
    """Of each query the best value of several systems under one metric, and how often each has it.

    A query without a value has none under any system, and none here. ``missing``: queries no system answers
    are not told apart from those all are 0 for, so it is the least of the systems'.
    """
    values = np.stack([score.values for score in scores])
    top = np.min(values, axis=0) if lower_is_better(scores[0].metric) else np.max(values, axis=0)
    defined = scores[0].reasons == DEFINED
    best = tuple(int(np.count_nonzero(difference(top[defined], row[defined]) == 0)) for row in values)
    result = replace(
        scores[0],
        system=ORACLE,
        values=frozen(top),
        ceiling=None,
        seeds=(),
        missing=min(score.missing for score in scores),
        short=min(score.short for score in scores),
        tied=0,
    )
    return result, best


def reordered(
    study: Study,
    *,
    metric: str | Metric,
    systems: Sequence[str],
    settings: Settings,
    progress: Progress | None = None,
) -> Scores:
    """Of each query the value of the best order of what the systems return in their first K places.

    K is the metric's cutoff, without one the whole lists; with ``ties="expected"`` a group of equal scores at
    the cut is there whole. Results that would lower the value (a negative cosine under a mean) may be left
    out. ``short``: fewer than K different results in all. What any of a system's seeds returns, it returns.

    Raises as `evaluate.score`.
    """
    wanted = metric_of(study, metric, settings)
    chosen = with_lists(resolve_systems(study, systems))
    asked = study.queries
    pool = pool_for(study, wanted, asked, settings)
    blocks = list(_blocks(study, wanted, chosen, pool, settings, progress))
    return assemble(REORDERED, wanted, asked, pool, blocks, settings)


def bounds(
    study: Study, scores: Sequence[Scores], *, settings: Settings, progress: Progress | None = None
) -> Bounds:
    """Both bounds for the scores of several systems under one metric, over the queries of the study.

    A study that carries no decision what is compared over is limited as the scores were.
    """
    study = as_scored(study, scores, settings)
    top, best = oracle(scores)
    again = None
    if METRICS[metric_of(study, scores[0].metric, settings).family].best_first:
        again = reordered(
            study,
            metric=scores[0].metric,
            systems=[score.system for score in scores],
            settings=settings,
            progress=progress,
        )
    return Bounds(top, again, best)


def _blocks(
    study: Study,
    metric: Metric,
    systems: Sequence[System],
    pool: Pool,
    settings: Settings,
    progress: Progress | None,
) -> Iterator[BlockScores]:
    best = ideal_depth([metric], len(pool.candidates))
    for block, done in query_blocks(pool, systems, metric.cutoff, settings, copies=len(systems), best=best):
        part = part_of(progress, done, max(len(pool.queries), 1), share=len(block)) or silent
        of = [
            lists_of(study, system, pool, block, depth=metric.cutoff, settings=settings, progress=None)
            for system in systems
        ]
        part(0.5, "")
        every = _union([_first(lists, metric, settings) for lists in of])
        gains = gains_of(
            study, metric, every, relevances_of(study, [metric], every, settings), pool, settings
        )
        target: Target = targets_of(study, [metric], pool, block, settings, {}, part)[metric]
        ordered, gains = _best_first(every, weighed(metric, every, gains, target))
        yield score_block(study, metric, ordered, gains, target, replace(settings, ties="id"))


def _first(lists: Lists, metric: Metric, settings: Settings) -> Lists:
    """The results in the first K places; `lists_of` gives one more unless ties are expected."""
    if metric.cutoff is None or settings.ties == "expected":
        return lists
    return lists.first(metric.cutoff)


def _union(of: Sequence[Lists]) -> Lists:
    """Every image that one of the lists holds, once per query; unknown ones, which earn nothing, are not."""
    places = np.concatenate([rows_of(lists.indptr) for lists in of])
    candidates = np.concatenate([lists.candidates for lists in of])
    pairs = np.unique(np.stack([places, candidates]), axis=1)
    places, candidates = pairs[:, pairs[1] >= 0]
    lengths = np.bincount(places, minlength=len(of[0].queries))
    answered = np.logical_or.reduce([lists.answered for lists in of])
    rows = len(candidates)
    return Lists(of[0].queries, answered, starts_of(lengths), candidates.astype(np.int32), np.zeros(rows))


def _best_first(lists: Lists, gains: Floats) -> tuple[Lists, Floats]:
    """The same in the order of their gains, without those below 0, each with a score of its own."""
    kept = lists.keep(gains >= 0)
    gains = gains[gains >= 0]
    places = rows_of(kept.indptr)
    order = np.lexsort((-gains, places))
    scores = -np.arange(len(gains), dtype=float)
    return replace(kept, candidates=kept.candidates[order], scores=scores), gains[order]
