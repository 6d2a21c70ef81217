"""Scores, intervals and comparisons written by hand."""

from __future__ import annotations

import numpy as np

from evalcore.values.model import DEFINED, NO_RELEVANT, OUTSIDE_POOL, Comparison, Interval, Scores
from evalcore.values.settings import Settings


def scores_of(system, values, *, metric="CUI@3", groups=None, **settings):
    """Values by query; None and NaN are undefined, "out" outside the pool."""
    numbers = np.array([np.nan if value in (None, "out") else float(value) for value in values])
    reasons = np.where(np.isnan(numbers), NO_RELEVANT, DEFINED).astype(np.uint8)
    reasons[[isinstance(value, str) for value in values]] = OUTSIDE_POOL
    queries, how = np.arange(len(numbers), dtype=np.int32), Settings(**settings)
    return Scores(system, metric, queries, numbers, reasons, 0, 0, 0, 3, groups, settings=how)


def interval_of(mean: float, half: float = 0.05, n: int = 40) -> Interval:
    return Interval(mean, mean - half, mean + half, 0.95, "percentile bootstrap", n, 2000, 0)


def comparison_of(system: str, baseline: str, difference: float = 0.1, metric: str = "CUI@10") -> Comparison:
    ends, test = (difference - 0.04, difference + 0.04), (0.01, 0.02, "holm", "paired permutation")
    return Comparison(
        *(baseline, system, metric, difference, *ends, 0.95, *test), 40, 2000, 0, *(22, 8, 10), 0.4
    )
