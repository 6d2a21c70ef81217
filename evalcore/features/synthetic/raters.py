"""Several people who rated images: how far they agree, and where two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evalcore.stats.agreement import MOST_STEPS, Level, alpha, cohen, confusion, level_of
from evalcore.values.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class TwoRaters:
    """Two raters over the ``n`` images both rated: kappa (quadratic weights), the share rated the same, and,
    on a scale of few steps, how often each ``values`` of the first met each of the second (``counts``)."""

    a: str
    b: str
    n: int
    kappa: float
    same: float
    values: Floats | None
    counts: Ints | None


@dataclass(frozen=True, slots=True, eq=False)
class Raters:
    """Krippendorff's alpha over the ``shared`` images with two ratings or more, and every two raters."""

    names: tuple[str, ...]
    alpha: float
    level: Level
    shared: int
    pairs: tuple[TwoRaters, ...]


def raters(by_rater: Mapping[str, Mapping[str, float]]) -> Raters | None:
    """How far raters agree; None for fewer than two."""
    if len(by_rater) < 2:
        return None
    names = tuple(sorted(by_rater))
    images = sorted({image for own in by_rater.values() for image in own})
    table = np.array([[by_rater[name].get(image, np.nan) for image in images] for name in names])
    level = level_of(table)
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        both = ~(np.isnan(table[i]) | np.isnan(table[j]))
        values, counts = confusion(table[i], table[j])
        few = 0 < len(values) <= MOST_STEPS
        same = float((table[i][both] == table[j][both]).mean()) if both.any() else float("nan")
        pairs.append(
            TwoRaters(
                names[i],
                names[j],
                int(both.sum()),
                cohen(table[i], table[j]),
                same,
                values if few else None,
                counts if few else None,
            )
        )
    shared = int(((~np.isnan(table)).sum(axis=0) > 1).sum())
    return Raters(names, alpha(table, level), level, shared, tuple(pairs))
