"""How far a value, or a difference of two systems, may be from that of other readers and cases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import floor, nan, sqrt

import numpy as np

from evalcore.stats.correction import holm
from evalcore.stats.mrmc.moments import Sums
from evalcore.values.arrays import Floats

NORMAL_FROM = 50
"""Above so many degrees of freedom the normal distribution is used, as iMRMC does."""
CANCELLED = 1e-13
"""A variance of no more than this share of the parts it is the sum of is 0."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its variance over readers and cases, and what follows: NaN where it does not.

    ``df``: NaN where the variance is negative; then there is no interval and no p either. ``p``: that the
    value is ``null``, two-sided; NaN where that was not asked.
    """

    value: float
    variance: float
    df: float
    p: float
    low: float
    high: float

    @property
    def se(self) -> float:
        """Square root of the variance; NaN of a negative one."""
        return sqrt(self.variance) if self.variance >= 0 else nan


def estimate(value: float, variance: float, df: float, *, level: float, null: float = nan) -> Estimate:
    """The interval and p by Student's t.

    Degrees of freedom are rounded down, and above `NORMAL_FROM` the normal distribution is used, as iMRMC
    does. A variance of 0 gives an interval of no width, and p 1 where the value is the null, else 0.
    """
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    if not variance >= 0:
        return Estimate(value, variance, nan, nan, nan, nan)
    normal = df > NORMAL_FROM
    used = df if normal else floor(df)
    tail = (1 + level) / 2
    half = float(ndtri(tail) if normal else stdtrit(used, tail)) * sqrt(variance)
    away = abs(value - null)
    scaled = away / sqrt(variance) if variance else (0.0 if away == 0 else np.inf)
    p = nan if null != null else 2 * float(ndtr(-scaled) if normal else stdtr(used, -scaled))
    return Estimate(value, variance, df, p, value - half, value + half)


@dataclass(frozen=True, slots=True)
class Difference:
    """The value of system ``a`` minus that of ``b``; ``p_corrected`` by Holm over all pairs of systems."""

    a: str
    b: str
    estimate: Estimate
    p_corrected: float


def differences(systems: tuple[str, ...], estimates: list[Estimate]) -> tuple[Difference, ...]:
    """Estimates of all pairs of systems, in the order of `itertools.combinations`, with Holm's correction."""
    corrected = holm(np.array([estimate.p for estimate in estimates], float))
    pairs = combinations(systems, 2)
    return tuple(
        Difference(a, b, estimate, float(p))
        for (a, b), estimate, p in zip(pairs, estimates, corrected, strict=True)
    )


def covariances(sums: Sums) -> Floats:
    """Covariances of the values of the systems over readers and cases, shape (systems, systems).

    Unbiased, and sometimes negative.
    """
    parts = _flat(sums.coefficients) * _flat(sums.unbiased)
    return _rounded(parts.sum(axis=0), np.abs(parts).max(axis=0))


def _rounded(result: Floats, scale: Floats) -> Floats:
    """The same, and 0 for what is left of parts of that size that cancel."""
    rounded: Floats = np.where(np.abs(result) <= CANCELLED * scale, 0.0, result)
    return rounded


def _flat(part: Floats) -> Floats:
    return part.reshape(-1, *part.shape[-2:])


def random_effects(
    sums: Sums, systems: tuple[str, ...], *, level: float
) -> tuple[tuple[Estimate, ...], tuple[Difference, ...]]:
    """The value of each system, and all differences, readers and cases random.

    Degrees of freedom after Gallas: Satterthwaite's, of the components of the readers and of each
    kind of case, each with the degrees of freedom of its effective number, and not below the smallest of
    these (Gaylor & Hopper 1969, doi:10.1080/00401706.1969.10490732).
    """
    variance = covariances(sums)
    components = sums.components(sums.plugged_in)
    places = [tuple(int(i == j) for i in range(len(sums.factors))) for j in range(len(sums.factors))]
    single = np.stack([components[place] for place in places])
    weights = np.stack([np.diagonal(sums.weights()[place]) for place in places])
    each = np.round(1 / np.maximum(weights, np.finfo(float).tiny) - 1)
    rows = [
        estimate(
            float(sums.values[i]),
            float(variance[i, i]),
            _df(variance[i, i], single[:, i, i], each[:, i]),
            level=level,
        )
        for i in range(len(systems))
    ]
    apart = []
    for i, j in combinations(range(len(systems)), 2):
        own = variance[[i, j, i], [i, j, j]]
        spread = float(_rounded(own[0] + own[1] - 2 * own[2], np.abs(own).max()))
        parts = single[:, i, i] + single[:, j, j] - 2 * single[:, i, j]
        df = _df(spread, parts, np.minimum(each[:, i], each[:, j]))
        value = float(sums.values[i] - sums.values[j])
        apart.append(estimate(value, float(spread), df, level=level, null=0.0))
    return tuple(rows), differences(systems, apart)


def _df(variance: float, parts: Floats, each: Floats) -> float:
    """Satterthwaite's degrees of freedom, at least the smallest of the parts'."""
    if variance < 0:
        return nan
    spread = float((parts**2 / each**3).sum())
    return max(float(variance) ** 2 / spread, float(each.min())) if spread > 0 else float(each.min())
