"""Do two measures agree differently well with a third thing, when all three come from the same rows?

r1 and r2 are the correlations of the two with the third, r12 that of the two with each other. Measures that
are much alike differ less by chance, so r12 decides; a test for independent samples ignores it and sees
almost nothing. With |R| = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12 and z = artanh r:

| test | statistic | null distribution |
|---|---|---|
| Williams 1959 | t = (r1-r2) sqrt((n-1)(1+r12) / (2 (n-1)/(n-3) |R| + ((r1+r2)/2)^2 (1-r12)^3)) | t, n-3 |
| Hotelling 1940 | t = (r1-r2) sqrt((n-3)(1+r12) / (2 |R|)) | t, n-3 |
| Steiger 1980 | (z1-z2) sqrt((n-3) / (2-2s)), s the covariance of z1, z2 at the mean of r1, r2 | normal |
| Meng 1992 | (z1-z2) sqrt((n-3) / (2 (1-r12) h)), h from the mean of r1^2 and r2^2 | normal |
| Fisher 1921 | (z1-z2) / sqrt(2 / (n-3)): independent samples, for comparison only | normal |

Steiger, doi:10.1037/0033-2909.87.2.245; Meng, Rosenthal & Rubin, doi:10.1037/0033-2909.111.1.172. All are
two-sided and made for linear correlations; with rank correlations they hold approximately.

| case | value |
|---|---|
| n below 4, or a correlation that is undefined | NaN |
| the two measures order all rows alike (r12 = 1) | NaN: there is nothing to test |
| r1 = r2 | statistic 0, p 1 |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import atanh, copysign, erfc, inf, isfinite, nan, sqrt
from types import MappingProxyType
from typing import Literal, NamedTuple

from scipy.special import stdtr

DependentTest = Literal["williams", "steiger", "meng", "hotelling", "fisher"]
SAME = 1e-12


class Outcome(NamedTuple):
    """The statistic of a test, above 0 where the first correlation is higher, and its two-sided p."""

    statistic: float
    p: float


def compare_correlations(r1: float, r2: float, r12: float, n: int, *, test: DependentTest) -> Outcome:
    """Is r1 another correlation than r2?

    Parameters
    ----------
    r1, r2
        Of two measures with the same third variable, -1 to 1.
    r12
        Of the two measures with each other.
    n
        Rows they were all computed from.

    Examples
    --------
    >>> tuple(round(x, 4) for x in compare_correlations(0.5, 0.3, 0.6, 103, test="williams"))
    (2.5686, 0.0117)
    """
    if n < 4 or not all(map(isfinite, (r1, r2, r12))) or (r12 > 1 - SAME and test != "fisher"):
        return Outcome(nan, nan)
    if r1 == r2:
        return Outcome(0.0, 1.0)
    of_t, statistic = TESTS[test]
    found = statistic(r1, r2, r12, n)
    return Outcome(found, _t_sides(found, n - 3) if of_t else erfc(abs(found) / sqrt(2)))


def _determinant(r1: float, r2: float, r12: float) -> float:
    """Of the matrix of the three correlations; never below 0 in real data, but for rounding."""
    return max(0.0, 1 - r1 * r1 - r2 * r2 - r12 * r12 + 2 * r1 * r2 * r12)


def _williams(r1: float, r2: float, r12: float, n: int) -> float:
    mean = (r1 + r2) / 2
    below = 2 * (n - 1) / (n - 3) * _determinant(r1, r2, r12) + mean * mean * (1 - r12) ** 3
    return _over(r1 - r2, (n - 1) * (1 + r12), below)


def _hotelling(r1: float, r2: float, r12: float, n: int) -> float:
    return _over(r1 - r2, (n - 3) * (1 + r12), 2 * _determinant(r1, r2, r12))


def _steiger(r1: float, r2: float, r12: float, n: int) -> float:
    square = ((r1 + r2) / 2) ** 2
    covariance = r12 * (1 - 2 * square) - square * (1 - 2 * square - r12 * r12) / 2
    return _over(_apart(r1, r2), n - 3, 2 - 2 * covariance / (1 - square) ** 2)


def _meng(r1: float, r2: float, r12: float, n: int) -> float:
    square = (r1 * r1 + r2 * r2) / 2
    if square >= 1:
        return _over(r1 - r2, 1, 0)
    f = min(1.0, (1 - r12) / (2 * (1 - square)))
    return _over(_apart(r1, r2), n - 3, 2 * (1 - r12) * (1 - f * square) / (1 - square))


def _fisher(r1: float, r2: float, _: float, n: int) -> float:
    return _over(_apart(r1, r2), n - 3, 2)


def _apart(r1: float, r2: float) -> float:
    """Difference of Fisher's z; endless where a correlation is perfect."""
    z1, z2 = (atanh(r) if abs(r) < 1 else copysign(inf, r) for r in (r1, r2))
    return z1 - z2


def _over(difference: float, above: float, below: float) -> float:
    return difference * sqrt(above / below) if below > 0 else copysign(inf, difference)


def _t_sides(statistic: float, freedom: int) -> float:
    return 2 * float(stdtr(freedom, -abs(statistic)))


TESTS: Mapping[DependentTest, tuple[bool, Callable[[float, float, float, int], float]]] = MappingProxyType(
    {
        "williams": (True, _williams),
        "steiger": (False, _steiger),
        "meng": (False, _meng),
        "hotelling": (True, _hotelling),
        "fisher": (False, _fisher),
    }
)
"""Whether t is its null distribution (else the normal one), and the statistic."""
