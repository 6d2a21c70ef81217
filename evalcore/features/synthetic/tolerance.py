"""Tolerance of each feature over the archetype images, and which features an image has by it.

The interval of a feature goes from one quantile to another over the archetypes (0.05 and 0.95 unless said
otherwise; linear between neighbouring values, as NumPy does), or it is the mean over the archetypes, less and
more a share of it (5% to 50% in Brooks & Deshpande 2025). An image has a feature when its value is within,
ends included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tversky import Presence, presence
from evalcore.values.arrays import Bools, Floats, Ints, readonly
from evalcore.values.errors import SettingError

QUANTILES = (0.05, 0.95)
Missing = Literal["skip", "absent"]


@dataclass(frozen=True, slots=True, eq=False)
class Tolerances:
    """Intervals of features, all shape (m,): NaN where no archetype image has a value.

    n: archetype images with a value of the feature, of ``n_images``. constant: all of them have the same.
    within: where intervals are the mean less and more this share of it; then quantiles decide nothing.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    n: Ints
    n_images: int
    quantiles: tuple[float, float]
    constant: Bools
    within: float | None = None

    @property
    def usable(self) -> Bools:
        """Features with an interval, shape (m,)."""
        return self.n > 0

    @property
    def too_few(self) -> Bools:
        """Features whose interval rests on too few images for its quantiles, shape (m,)."""
        return self.n < (1 if self.within is not None else smallest_sample(self.quantiles))


def tolerances(
    archetypes: FeatureTable, *, quantiles: tuple[float, float] = QUANTILES, within: float | None = None
) -> Tolerances:
    """The interval of every feature over the archetype images that have a value of it.

    ``within``: the mean less and more this share of its size, such as 0.1, in place of quantiles.
    """
    check_quantiles(quantiles)
    check_within(within)
    values = np.where(np.isfinite(archetypes.values), archetypes.values, np.nan)
    n = np.isfinite(values).sum(0).astype(np.int32)
    low, high = np.full((2, len(archetypes.names)), np.nan)
    some = n > 0
    if some.any():
        low[some], high[some] = np.nanquantile(values[:, some], quantiles, axis=0)
        if within is not None:
            mean = np.nanmean(values[:, some], axis=0)
            low[some], high[some] = mean - within * np.abs(mean), mean + within * np.abs(mean)
    constant = np.zeros(len(n), bool)
    constant[some] = np.nanmin(values[:, some], axis=0) == np.nanmax(values[:, some], axis=0)
    return Tolerances(
        archetypes.names,
        readonly(low),
        readonly(high),
        readonly(n),
        len(archetypes),
        quantiles,
        readonly(constant),
        within,
    )


def binarise(images: FeatureTable, bounds: Tolerances, *, missing: Missing = "skip") -> Presence:
    """Which features the images have: 1 within tolerance.

    A feature that was not measured is unknown ("skip"), or absent; one that is undefined is absent; one
    without an interval is unknown of every image.
    """
    if images.names != bounds.names:
        raise ValueError("the table must have the features of the tolerances, in their order")
    with np.errstate(invalid="ignore"):
        within = (bounds.low <= images.values) & (images.values <= bounds.high)
    known = np.broadcast_to(bounds.usable, within.shape)
    return presence(within, known & ~images.missing if missing == "skip" else known)


def smallest_sample(quantiles: tuple[float, float]) -> int:
    """Images from which on neither quantile lies between the outermost value and the next.

    >>> smallest_sample((0.05, 0.95)), smallest_sample((0.25, 0.75)), smallest_sample((0, 1))
    (21, 5, 1)
    """
    tails = [tail for tail in (quantiles[0], 1 - quantiles[1]) if tail > 0]
    return 1 + math.ceil(round(1 / min(tails), 9)) if tails else 1


def check_quantiles(quantiles: tuple[float, float]) -> None:
    """Raise SettingError unless they go up and lie from 0 to 1."""
    if len(quantiles) != 2 or not 0 <= quantiles[0] < quantiles[1] <= 1:
        raise SettingError("quantiles", "two numbers from 0 to 1, the lower first", tuple(quantiles))


def check_within(within: float | None) -> None:
    """Raise SettingError unless it is None or a share above 0 and up to 1."""
    if within is not None and not 0 < within <= 1:
        raise SettingError("within", "above 0 and at most 1 (100%)", within)


# Does a feature have more than one mode, so that one interval covers a gap where nothing lies?
#
# The bimodality coefficient (SAS; Pfister et al. 2013, doi:10.3389/fpsyg.2013.00700) of a sample with
# skewness g and excess kurtosis k, both corrected for bias:
#
#     (g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2)(n - 3)))
#
# It is 5/9 for a uniform distribution and 1 for two points. Above 5/9 a second mode is suspected; very
# skewed features exceed it with one mode too, so it is a reason to look, not a finding.

LIMIT = 5 / 9
FEWEST = 20
"""Values below which moments of this order say too little."""


def bimodality(values: Floats) -> Floats:
    """The coefficient of each column over its finite values, shape (m,); NaN for constants and below 4."""
    finite = np.isfinite(values)
    n = finite.sum(0).astype(float)
    held = np.where(finite, values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(finite, held - held.sum(0) / n, 0.0)
        second, third, fourth = ((apart**k).sum(0) / n for k in (2, 3, 4))
        flat = second <= 1e-24 * np.maximum(np.abs(held).max(0, initial=0.0), 1e-300) ** 2
        skewness = np.sqrt(n * (n - 1)) / (n - 2) * third / second**1.5
        kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourth / second**2 - 3) + 6)
        result = (skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    return np.where((n >= 4) & ~flat, result, np.nan)


def suspected(values: Floats) -> Bools:
    """Columns of at least ``FEWEST`` finite values whose coefficient is above ``LIMIT``."""
    result: Bools = (np.isfinite(values).sum(0) >= FEWEST) & (np.nan_to_num(bimodality(values)) > LIMIT)
    return result


# How sure are the ends of the tolerance intervals? Bootstrap over the archetype images.
#
# A quantile of a resample is read off the sorted values at the sorted places that were drawn, so one set of
# draws serves all features with equally many values.

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
    archetypes: FeatureTable,
    *,
    quantiles: tuple[float, float] = QUANTILES,
    within: float | None = None,
    level: float = LEVEL,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> BoundsIntervals:
    """Percentile bootstrap intervals of both ends of every feature; NaN where no image has a value."""
    check_quantiles(quantiles)
    check_within(within)
    values = np.sort(np.where(np.isfinite(archetypes.values), archetypes.values, np.nan), axis=0)
    sizes = np.isfinite(values).sum(0)
    ends = np.full((2, 2, len(archetypes.names)), np.nan)
    tails = ((1 - level) / 2, (1 + level) / 2)
    if within is not None:
        rng = np.random.default_rng(seed)
        for feature in np.flatnonzero(sizes):
            column = values[: sizes[feature], feature]
            means = rng.choice(column, (n_resamples, len(column))).mean(axis=1)
            both = means[:, None] + within * np.abs(means[:, None]) * np.array([-1, 1])
            ends[:, :, feature] = np.quantile(both, tails, axis=0).T
        return BoundsIntervals(readonly(ends[0].copy()), readonly(ends[1].copy()), level, n_resamples, seed)
    for n in np.unique(sizes[sizes > 0]):
        places = _places(int(n), quantiles, n_resamples, np.random.default_rng([seed, int(n)]))
        for feature in np.flatnonzero(sizes == n):
            below, above, share = places
            column = values[:, feature]
            drawn = column[below] + share[:, None] * (column[above] - column[below])
            ends[:, :, feature] = np.quantile(drawn, tails, axis=1).T
    return BoundsIntervals(readonly(ends[0].copy()), readonly(ends[1].copy()), level, n_resamples, seed)


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
