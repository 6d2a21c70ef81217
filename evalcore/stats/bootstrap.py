"""How sure is a mean? Bootstrap intervals of many columns at once, percentile and BCa.

A resample draws n rows with replacement; drawing is the same as weighting every row by how often it
was drawn, so the means of all columns under all resamples are one matrix product (Efron 1979), exact in
whatever order it is computed (see `sums`). The weights depend on n, the number of resamples and the
generator only: columns of equal length share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from evalcore.stats.levels import SAME, difference, levels_of
from evalcore.stats.sums import column_sums, cut, weighted_sums
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.portable_math import quantile, share_below

BLOCK_CELLS, BLOCK_ROWS = 100_000, 64
"""Weights held at once, and resamples where that would be fewer; bounds memory and changes no result. Small
blocks stay near the processor; products of few rows would be slow."""


def bootstrap_means(values: Floats, *, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Means of the columns under resampled rows.

    Parameters
    ----------
    values
        Shape (n, m), n >= 1, no NaN.
    n_resamples
        Resamples, at least 1.
    rng
        Source of the draws; advanced by n_resamples * n of them.

    Returns
    -------
    means, shape (n_resamples, m)
    """
    n, columns = len(values), cut(values)
    means = np.empty((n_resamples, values.shape[1]))
    for rows, weights in resampled_weights(n, n_resamples, rng):
        means[rows] = weighted_sums(weights, columns)
    return means / n


def percentile_interval(means: Floats, *, level: float) -> tuple[Floats, Floats]:
    """Lower and upper end, shape (m,) each, of the middle ``level`` of each column's resampled means.

    Parameters
    ----------
    means
        The means of the resamples, shape (n_resamples, m), at least one row; a column with a NaN gives NaN.
    level
        Share of the means between the ends, between 0 and 1: 0.95 leaves 2.5% on either side. Not checked
        here.

    Ends are interpolated linearly between neighbouring means (`numpy.quantile`). Efron & Tibshirani 1993,
    chapter 13.
    """
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail], axis=0)
    return low, high


def bca_interval(
    values: Floats, means: Floats, *, level: float, influence: Floats | None = None
) -> tuple[Floats, Floats]:
    """The same, corrected for bias and skew (Efron 1987, doi:10.1080/01621459.1987.10478410).

    With z0 the normal quantile of the share of resampled means below the mean itself (equal ones count
    half) and a = sum (x - mean)^3 / 6 (sum (x - mean)^2)^(3/2), the end for a tail is the quantile of the
    resampled means at Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z the normal quantile of the tail.

    Parameters
    ----------
    values
        Shape (n, m), n >= 2.
    means
        Their `bootstrap_means`, shape (r, m).
    influence
        Where whole groups were drawn: how far each moves the mean (`clusters.Clusters.influence`), which
        stands for x - mean.

    Returns
    -------
    low, high, shape (m,); the mean itself where a column, or the means of its groups, do not vary.
    """
    centres = column_sums(values) / len(values)
    apart = values - centres if influence is None else influence
    squares = column_sums(apart * apart)
    skew = column_sums(apart * apart * apart)
    ends = np.column_stack([centres, centres])
    for j in np.flatnonzero(np.ptp(apart, axis=0) > SAME):
        acceleration = float(skew[j]) / (6 * float(squares[j]) * sqrt(squares[j]))
        ends[j] = np.quantile(means[:, j], _bca_levels(means[:, j], centres[j], acceleration, level))
    return ends[:, 0], ends[:, 1]


def _bca_levels(means: Floats, centre: float, acceleration: float, level: float) -> list[float]:
    """Which quantiles of the resampled means are the ends."""
    r, apart = len(means), difference(means, centre)
    below = (np.count_nonzero(apart < 0) + np.count_nonzero(apart <= 0)) / (2 * r)
    bias, result = quantile(min(max(below, 1 / (2 * r)), 1 - 1 / (2 * r))), []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + quantile(tail)
        # With the skew of few values and a level near 1 there may be no such quantile: the last one then.
        stretch = 1 - acceleration * z
        result.append(share_below(bias + z / stretch) if stretch > 0 else float(z > 0))
    return result


def resampled_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, Floats]]:
    """How often each of n >= 1 rows is drawn, by blocks of resamples.

    Yields slices of 0 to ``n_resamples``, in order and without gaps, each with an array of whole numbers of
    shape (resamples of the block, n); each row of it sums to n. ``rng`` is asked for 32-bit draws, row after
    row: the same n and seed give the same on every machine, whatever the size of the blocks.
    """
    size = max(BLOCK_ROWS, BLOCK_CELLS // n)
    for first in range(0, n_resamples, size):
        rows = slice(first, min(first + size, n_resamples))
        count = rows.stop - rows.start
        # 32-bit draws come three times as fast; the row's offset makes one count of all rows.
        drawn = rng.integers(0, n, (count, n), dtype=np.int32) + np.arange(count)[:, None] * n
        yield rows, np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(float)


# How sure is a rank correlation? Spearman's rho of many columns with one, under resampled rows or groups.

RANK_CELLS = 500_000
"""Weights held at once: what is done with them stays near the processor. Changes no result."""


def spearman_resamples(
    columns: Floats, target: Floats, groups: Offsets, *, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Spearman's rho of every column with the target, resample by resample.

    A resample weighs every row by how often it was drawn. The rank of a row then is the weight of all rows
    below it, and half of what shares its level with one more half: ranks are those of the resample, not of
    the data. Rows are sorted once for each column, so that a resample needs sums over levels only. All sums
    are of whole numbers below 2^53, up to 100,000 rows, and so the same in every order.

    Parameters
    ----------
    columns, target
        Shape (n, m) and (n,), no NaN.
    groups
        Group of each row, shape (n,), numbered from 0 without gaps: whole groups are drawn. Rows by
        themselves: ``np.arange(n)``.
    n_resamples, rng
        Resamples, at least 1, and the source of the draws. All columns share the same resamples.

    Returns
    -------
    rho, shape (n_resamples, m)
        NaN where a column or the target does not vary in a resample.
    """
    m = columns.shape[1]
    of_target, of_columns = _Levels(target), [_Levels(columns[:, j]) for j in range(m)]
    rho = np.full((n_resamples, m), np.nan)
    for rows, weights in _weights(groups, n_resamples, rng):
        totals = weights.sum(axis=1)[:, np.newaxis]
        inside, ranks = of_target.centred(weights, totals)
        spread = (inside * ranks * ranks).sum(axis=1)
        weighed = weights * ranks[:, of_target.level]
        for j, column in enumerate(of_columns):
            inside, own = column.centred(weights, totals)
            product = (own * column.sums(weighed)).sum(axis=1)
            size = np.sqrt((inside * own * own).sum(axis=1) * spread)
            rho[rows, j] = np.divide(product, size, out=np.full(len(size), np.nan), where=size > 0)
    result: Floats = np.clip(rho, -1.0, 1.0)
    return result


def percentile_bounds(resampled: Floats, *, level: float) -> tuple[Floats, Floats]:
    """Lower and upper end, shape (m,) each, that hold the middle ``level`` of each column's resamples.

    Resamples without a value are left out; NaN for a column that has none at all.
    """
    tail = (1.0 - level) / 2.0
    ends = np.full((2, resampled.shape[1]), np.nan)
    for j in range(resampled.shape[1]):
        known = resampled[~np.isnan(resampled[:, j]), j]
        if len(known):
            ends[:, j] = np.quantile(known, [tail, 1.0 - tail])
    return ends[0], ends[1]


class _Levels:
    """The rows of one column in its order, and where each level begins."""

    def __init__(self, values: Floats) -> None:
        self.level = levels_of(values)
        self.order = np.argsort(self.level, kind="stable")
        self.starts = np.searchsorted(self.level[self.order], np.arange(int(self.level.max(initial=-1)) + 1))

    def sums(self, rows: Floats) -> Floats:
        """Sums over each level, shape (b, levels), of what each row has, shape (b, n)."""
        result: Floats = np.add.reduceat(rows[:, self.order], self.starts, axis=1)
        return result

    def centred(self, weights: Floats, totals: Floats) -> tuple[Floats, Floats]:
        """Weight of each level, and twice its rank less twice the mean rank: whole numbers, (b, levels)."""
        inside = self.sums(weights)
        ranks = 2 * np.cumsum(inside, axis=1) - inside - totals
        return inside, np.asarray(ranks, dtype=np.float64)


def _weights(groups: Offsets, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, Floats]]:
    """How often each row is drawn, shape (b, n), in small blocks of resamples."""
    size = max(1, RANK_CELLS // max(len(groups), 1))
    for rows, drawn in resampled_weights(int(groups.max(initial=-1)) + 1, n_resamples, rng):
        for first in range(0, len(drawn), size):
            part = drawn[first : first + size]
            start = rows.start + first
            yield slice(start, start + len(part)), part[:, groups]
