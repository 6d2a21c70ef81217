"""Which of the results of one query count under a metric, and for how much?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.judged import condensed, judgments_of, n_judged, yes_or_no
from evalcore.evaluate.pools import pool_for
from evalcore.evaluate.systems import Lists
from evalcore.evaluate.targets import gains_of, n_relevant, relevances_of
from evalcore.values.arrays import Bools, Floats, Ints
from evalcore.values.grouping import left_out, same_group

if TYPE_CHECKING:
    from evalcore.ranking.metrics import Metric
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


class Worth(NamedTuple):
    """What each result of a list earns, shape (n,) each.

    ``gains``: 1 or 0 by labels, else the gain of its relevance; NaN for an image that plays no part, because
    it or the query lacks the labels, or it is of the query's own group. ``counted``: it plays a part and
    stands where the metric still looks.
    """

    gains: Floats
    counted: Bools


def what_counts(study: Study, metric: Metric, query: int, images: Ints, settings: Settings) -> Worth:
    """The worth of the first results of a query, best first (image indices, -1 for an unknown one).

    Raises UnknownName for a relevance or label column that is not there.
    """
    asked = np.array([query], np.int32)
    pool = pool_for(study, metric, asked, settings)
    lists = Lists(asked, np.ones(1, np.bool_), np.array([0, len(images)]), images, np.zeros(len(images)))
    relevance = relevances_of(study, [metric], lists, settings)
    part = pool.inside[images] & (len(pool.queries) > 0)
    if (groups := left_out(study)) is not None:
        part &= ~same_group(groups, lists.query_of_row, images)
    if condensed(metric):
        part &= judgments_of(study, metric).has(lists.query_of_row, images)
    limit = metric.cutoff
    if metric.family == "Rprec":
        n = n_judged(study, metric, pool, asked, settings)[0] if yes_or_no(metric) else None
        limit = int((n_relevant(study, pool, asked, metric.match, settings) if n is None else n)[0])
    counted = part if limit is None else part & (np.cumsum(part) <= limit)
    gains = gains_of(study, metric, lists, relevance, pool, settings).clip(min=0)
    return Worth(np.where(part, gains, np.nan), counted)
