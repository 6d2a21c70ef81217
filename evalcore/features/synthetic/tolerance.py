"""Tolerance of each feature over the archetype images, and which features an image has by it.

The interval of a feature goes from one quantile to another over the archetypes (0.05 and 0.95 unless said
otherwise; linear between neighbouring values, as NumPy does). An image has a feature when its value is
within, ends included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tversky import Presence, presence
from evalcore.values.arrays import Bools, Floats, Ints, frozen
from evalcore.values.errors import SettingError

QUANTILES = (0.05, 0.95)
Missing = Literal["skip", "absent"]


@dataclass(frozen=True, slots=True, eq=False)
class Tolerances:
    """Intervals of features, all shape (m,): NaN where no archetype image has a value.

    n: archetype images with a value of the feature, of ``n_images``. constant: all of them have the same.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    n: Ints
    n_images: int
    quantiles: tuple[float, float]
    constant: Bools

    @property
    def usable(self) -> Bools:
        """Features with an interval, shape (m,)."""
        return self.n > 0

    @property
    def too_few(self) -> Bools:
        """Features whose interval rests on too few images for its quantiles, shape (m,)."""
        return self.n < smallest_sample(self.quantiles)


def tolerances(archetypes: FeatureTable, *, quantiles: tuple[float, float] = QUANTILES) -> Tolerances:
    """The interval of every feature over the archetype images that have a value of it."""
    check_quantiles(quantiles)
    values = np.where(np.isfinite(archetypes.values), archetypes.values, np.nan)
    n = np.isfinite(values).sum(0).astype(np.int32)
    low, high = np.full((2, len(archetypes.names)), np.nan)
    some = n > 0
    if some.any():
        low[some], high[some] = np.nanquantile(values[:, some], quantiles, axis=0)
    constant = np.zeros(len(n), bool)
    constant[some] = np.nanmin(values[:, some], axis=0) == np.nanmax(values[:, some], axis=0)
    return Tolerances(
        archetypes.names, frozen(low), frozen(high), frozen(n), len(archetypes), quantiles, frozen(constant)
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
