"""What a measure makes of judgments: which of its forms take them as yes or no, and what is left to judge.

Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.families import METRICS, Metric
from evalcore.relevance.registry import JUDGED
from evalcore.stats.levels import SAME
from evalcore.values.arrays import rows_of
from evalcore.values.grouping import left_out, same_group
from evalcore.values.model import MIDDLE, Study

if TYPE_CHECKING:
    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.systems import Lists
    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.settings import Settings


def yes_or_no(metric: Metric) -> bool:
    """Whether a metric takes judgments as relevant or not: those that otherwise ask for labels."""
    return metric.relevance == JUDGED and METRICS[metric.family].needs == "labels"


def condensed(metric: Metric) -> bool:
    """Whether results nobody judged are passed over."""
    return metric.relevance == JUDGED and (metric.only == JUDGED or METRICS[metric.family].judged_only)


def only_judged(study: Study, lists: Lists) -> Lists:
    """The lists without the results nobody judged."""
    assert study.judged is not None, "metrics were checked against the study"
    return lists.keep(study.judged.has(lists.query_of_row, lists.candidates))


def relevant(values: Floats) -> Floats:
    """1 for grades from the middle of the scale on, else 0."""
    return (values >= MIDDLE - SAME).astype(float)


def n_judged(study: Study, pool: Pool, block: Ints, settings: Settings) -> tuple[Offsets, Offsets]:
    """Judged candidates of each query of the block, shape (n,) each: the relevant ones, and all."""
    judged = study.judged
    assert judged is not None, "metrics were checked against the study"
    rows = rows_of(judged.indptr).astype(np.int32)
    counts = pool.inside[judged.candidates].copy()
    if not settings.include_self:
        counts &= rows != judged.candidates
    if (groups := left_out(study)) is not None:
        counts &= ~same_group(groups, rows, judged.candidates)
    n = len(judged.indptr) - 1
    every = np.bincount(rows[counts], minlength=n)
    good = np.bincount(rows[counts & (relevant(judged.values) > 0)], minlength=n)
    return good[block], every[block]
