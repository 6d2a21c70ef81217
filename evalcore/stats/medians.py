"""How sure is a median, and a difference of two? By resampled queries, and by swapping systems per query.

A mean of differences says all about a difference of means; medians have no such short cut, so both columns
are resampled, or swapped, together.
"""

from __future__ import annotations

import numpy as np

from evalcore.stats.permutation import SignFlipTest
from evalcore.values.arrays import Floats, Ints

RANDOM = "paired permutation of medians (random swaps)"
_CELLS = 4_000_000
"""Values held at once."""


def median_of(values: Floats) -> float:
    """The median; of an even number of values the middle of the two in the middle; NaN of none."""
    return float(np.median(values)) if len(values) else float("nan")


def _members(groups: Ints | None, n: int) -> list[Ints]:
    """The rows of each group; -1 stands for a group of its own."""
    if groups is None:
        return []
    numbers = np.where(groups >= 0, groups, groups.max(initial=0) + 1 + np.arange(n))
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    return list(np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1))


def median_interval(
    columns: Floats, *, groups: Ints | None, level: float, n_resamples: int, seed: int
) -> tuple[float, float]:
    """Percentile bootstrap interval of a median, or of the difference of two (the second less the first).

    ``columns``: shape (n, 1) or (n, 2), no NaN; rows are drawn together, whole ``groups`` where there are
    some. NaN for fewer than two rows, or groups. Efron & Tibshirani 1993, chapter 13.
    """
    members = _members(groups, len(columns))
    if (len(members) if groups is not None else len(columns)) < 2:
        return float("nan"), float("nan")
    medians = bootstrap_medians(
        columns, groups=groups, n_resamples=n_resamples, rng=np.random.default_rng(seed)
    )
    values = medians[:, -1] - (medians[:, 0] if columns.shape[1] == 2 else 0)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return float(low), float(high)


def bootstrap_medians(
    columns: Floats, *, groups: Ints | None, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """The median of each column over resampled rows, shape (n_resamples, k); whole ``groups`` are drawn
    where there are some. ``columns``: shape (n, k), n and the number of groups >= 1, no NaN."""
    n, members = len(columns), _members(groups, len(columns))
    medians = np.empty((n_resamples, columns.shape[1]))
    step = max(1, _CELLS // n)
    for first in range(0, n_resamples, step):
        count = min(step, n_resamples - first)
        if groups is None:
            rows = rng.integers(0, n, (count, n), dtype=np.int32)
            medians[first : first + count] = np.median(columns[rows], axis=1)
        else:
            drawn = rng.integers(0, len(members), (count, len(members)), dtype=np.int32)
            medians[first : first + count] = [
                np.median(columns[np.concatenate([members[g] for g in row])], axis=0) for row in drawn
            ]
    return medians


def swap_test(columns: Floats, *, groups: Ints | None, n_resamples: int, seed: int) -> SignFlipTest:
    """How surprising is the difference of two medians, had each query's two values come from either system?

    The paired randomisation test of Smucker, Allan & Carterette 2007 (doi:10.1145/1321440.1321528) with the
    difference of medians in the place of that of means: p = (b + 1) / (n_resamples + 1), b swaps at least as
    far from 0. ``columns``: shape (n, 2), no NaN; a group swaps as a whole. NaN without rows.
    """
    n = len(columns)
    if not n:
        return SignFlipTest(np.array([np.nan]), RANDOM, 0)
    members = _members(groups, n)
    group = np.arange(n)
    for number, rows in enumerate(members):
        group[rows] = number
    rng = np.random.default_rng((seed, 1))
    observed = abs(np.median(columns[:, 1]) - np.median(columns[:, 0]))
    reached, step = 0, max(1, _CELLS // n)
    for first in range(0, n_resamples, step):
        count = min(step, n_resamples - first)
        swapped = rng.integers(0, 2, (count, len(members) or n), dtype=np.int8).astype(bool)[:, group]
        left = np.where(swapped, columns[:, 1], columns[:, 0])
        right = np.where(swapped, columns[:, 0], columns[:, 1])
        apart = np.abs(np.median(right, axis=1) - np.median(left, axis=1))
        reached += int(np.count_nonzero(apart >= observed))
    return SignFlipTest(np.array([(reached + 1) / (n_resamples + 1)]), RANDOM, n_resamples)
