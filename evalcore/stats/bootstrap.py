"""How sure is a mean? Percentile bootstrap intervals of many columns at once.

A resample draws n rows with replacement; drawing is the same as weighting every row by how often it
was drawn, so the means of all columns under all resamples are one matrix product (Efron 1979), exact in
whatever order it is computed (see `sums`). The weights depend on n, the number of resamples and the
generator only: columns of equal length share them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.sums import cut, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.model import Floats

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
    for rows, weights in _weights(n, n_resamples, rng):
        means[rows] = weighted_sums(weights, columns)
    return means / n


def percentile_interval(means: Floats, *, level: float) -> tuple[Floats, Floats]:
    """Lower and upper end, shape (m,) each, that hold the middle ``level`` of each column's means."""
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail], axis=0)
    return low, high


def _weights(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, Floats]]:
    """How often each of n rows is drawn, by blocks of resamples."""
    size = max(1, BLOCK_CELLS // n)
    for first in range(0, n_resamples, size):
        rows = slice(first, min(first + size, n_resamples))
        count = rows.stop - rows.start
        # 32-bit draws come three times as fast; the row's offset makes one count of all rows.
        drawn = rng.integers(0, n, (count, n), dtype=np.int32) + np.arange(count)[:, None] * n
        yield rows, np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(float)
