"""What a measure makes of judgments: which of its forms take them as yes or no, and what is left to judge.

Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.families import METRICS, Metric
from evalcore.relevance.registry import by_judgments
from evalcore.stats.levels import SAME
from evalcore.values.arrays import rows_of
from evalcore.values.grouping import left_out, same_group
from evalcore.values.model import Judged, Study

if TYPE_CHECKING:
    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.systems import Lists
    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.settings import Settings


def yes_or_no(metric: Metric) -> bool:
    """Whether a metric takes judgments as relevant or not: those that otherwise ask for labels."""
    return by_judgments(metric.relevance) and METRICS[metric.family].needs == "labels"


def condensed(metric: Metric) -> bool:
    """Whether results nobody judged are passed over."""
    only = metric.only is not None or METRICS[metric.family].judged_only
    return by_judgments(metric.relevance) and only


def judgments_of(study: Study, metric: Metric) -> Judged:
    """The judgments a metric is by."""
    judged = study.judged_by(metric.relevance)
    assert judged is not None, "metrics were checked against the study"
    return judged


def only_judged(study: Study, metric: Metric, lists: Lists) -> Lists:
    """The lists without the results nobody judged."""
    judged = judgments_of(study, metric)
    return lists.keep(judged.has(lists.query_of_row, lists.candidates))


def relevant(metric: Metric, judged: Judged, values: Floats) -> Floats:
    """1 for grades of relevant results, else 0."""
    level = judged.level if metric.rel is None else metric.rel
    return (values >= level - SAME).astype(float)


UNJUDGED, IN_POOL = -2.0, -1.0
"""Gains of results nobody judged, for measures that tell them apart: outside the pool, and in it."""


def with_unjudged(judged: Judged, lists: Lists, gains: Floats) -> Floats:
    """The gains, with `UNJUDGED` and `IN_POOL` in place of results without a grade."""
    places = judged.places(lists.query_of_row, lists.candidates)
    in_pool = np.append(judged.values < 0, False)[places]
    return np.where(places < 0, UNJUDGED, np.where(in_pool, IN_POOL, gains))


def n_judged(
    study: Study, metric: Metric, pool: Pool, block: Ints, settings: Settings
) -> tuple[Offsets, Offsets]:
    """Judged candidates of each query of the block, shape (n,) each: the relevant ones, and all."""
    judged = judgments_of(study, metric)
    rows = rows_of(judged.indptr).astype(np.int32)
    counts = pool.inside[judged.candidates].copy()
    if not settings.include_self:
        counts &= rows != judged.candidates
    if (groups := left_out(study)) is not None:
        counts &= ~same_group(groups, rows, judged.candidates)
    n = len(judged.indptr) - 1
    counts &= judged.values >= 0
    every = np.bincount(rows[counts], minlength=n)
    good = np.bincount(rows[counts & (relevant(metric, judged, judged.values) > 0)], minlength=n)
    return good[block], every[block]
