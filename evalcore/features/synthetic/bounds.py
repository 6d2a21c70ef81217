"""How sure are the ends of the tolerance intervals? Bootstrap over the archetype images.

A quantile of a resample is read off the sorted values at the sorted places that were drawn, so one set of
draws serves all features with equally many values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import QUANTILES, check_quantiles
from evalcore.values.arrays import Floats, frozen

N_RESAMPLES = 1_000
LEVEL = 0.95
_BLOCK = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class BoundsIntervals:
    """Percentile intervals of the lower and of the upper end; rows: from, to; shape (2, m) each."""

    low: Floats
    high: Floats
    level: float
    n_resamples: int
    seed: int


def bootstrap_bounds(
    archetypes: FeatureTable, *, quantiles: tuple[float, float] = QUANTILES, level: float = LEVEL,
    n_resamples: int = N_RESAMPLES, seed: int = 0,
) -> BoundsIntervals:  # fmt: skip
    """Percentile bootstrap intervals of both ends of every feature; NaN where no image has a value."""
    check_quantiles(quantiles)
    values = np.sort(np.where(np.isfinite(archetypes.values), archetypes.values, np.nan), axis=0)
    sizes = np.isfinite(values).sum(0)
    ends = np.full((2, 2, len(archetypes.names)), np.nan)
    tails = ((1 - level) / 2, (1 + level) / 2)
    for n in np.unique(sizes[sizes > 0]):
        places = _places(int(n), quantiles, n_resamples, np.random.default_rng([seed, int(n)]))
        for feature in np.flatnonzero(sizes == n):
            below, above, share = places
            column = values[:, feature]
            drawn = column[below] + share[:, None] * (column[above] - column[below])
            ends[:, :, feature] = np.quantile(drawn, tails, axis=1).T
    return BoundsIntervals(frozen(ends[0].copy()), frozen(ends[1].copy()), level, n_resamples, seed)


def _places(
    n: int, quantiles: tuple[float, float], n_resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Between which two values each resampled quantile lies, and how far; shapes (2, resamples), (2,)."""
    at = np.array(quantiles) * (n - 1)
    first = np.floor(at).astype(int)
    second = np.minimum(first + 1, n - 1)
    below, above = np.empty((2, 2, n_resamples), int)
    size = max(1, _BLOCK // n)
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        drawn = np.sort(rng.integers(0, n, (rows.stop - rows.start, n), dtype=np.int32), axis=1)
        below[:, rows], above[:, rows] = drawn[:, first].T, drawn[:, second].T
    return below, above, at - first
