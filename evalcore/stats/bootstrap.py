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

from evalcore.stats.levels import SAME, difference
from evalcore.stats.normal import quantile, share_below
from evalcore.stats.sums import column_sums, cut, weighted_sums
from evalcore.values.arrays import Floats

BLOCK_CELLS = 4_000_000
"""Weights held at once; bounds memory and changes no result."""


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
    """Lower and upper end, shape (m,) each, that hold the middle ``level`` of each column's means."""
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
    low, high, shape (m,); the mean itself where a column does not vary.
    """
    centres = column_sums(values) / len(values)
    apart = values - centres if influence is None else influence
    squares = column_sums(apart * apart)
    skew = column_sums(apart * apart * apart)
    ends = np.column_stack([centres, centres])
    for j in np.flatnonzero(np.ptp(values, axis=0) > SAME):
        acceleration = float(skew[j]) / (6 * float(squares[j]) * sqrt(squares[j]))
        ends[j] = np.quantile(means[:, j], _bca_levels(means[:, j], centres[j], acceleration, level))
    return ends[:, 0], ends[:, 1]


def _bca_levels(means: Floats, centre: float, acceleration: float, level: float) -> list[float]:
    """Which quantiles of the resampled means are the ends."""
    r, apart = len(means), difference(means, centre)
    below = (np.count_nonzero(apart < 0) + np.count_nonzero(apart <= 0)) / (2 * r)
    bias, found = quantile(min(max(below, 1 / (2 * r)), 1 - 1 / (2 * r))), []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + quantile(tail)
        # With the skew of few values and a level near 1 there may be no such quantile: the last one then.
        stretch = 1 - acceleration * z
        found.append(share_below(bias + z / stretch) if stretch > 0 else float(z > 0))
    return found


def resampled_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, Floats]]:
    """How often each of n rows is drawn, by blocks of resamples."""
    size = max(1, BLOCK_CELLS // n)
    for first in range(0, n_resamples, size):
        rows = slice(first, min(first + size, n_resamples))
        count = rows.stop - rows.start
        # 32-bit draws come three times as fast; the row's offset makes one count of all rows.
        drawn = rng.integers(0, n, (count, n), dtype=np.int32) + np.arange(count)[:, None] * n
        yield rows, np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(float)
