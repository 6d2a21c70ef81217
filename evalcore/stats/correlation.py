"""Do two lists of numbers agree in order? Spearman's rho and Kendall's tau-b, ties and all.

Spearman (1904) is the linear correlation of the ranks, equal values sharing their mean rank. Kendall's
tau-b (1945) counts pairs of rows: those both columns order alike minus those they order differently,
divided by the geometric mean of the pairs that each column orders at all:

    tau_b = (C - D) / sqrt((n0 - n1) (n0 - n2)),   n0 = n(n-1)/2, n1 and n2: pairs tied in x, in y

Values are equal when they are level (see `levels`). Everything up to the last quotient is counted in whole
numbers, so no order of the rows and no processor decides a digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import atanh, copysign, erfc, inf, isfinite, nan, sqrt
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtr

from evalcore.stats.levels import levels_of
from evalcore.values.arrays import Floats, Ints, Offsets

Correlation = Literal["spearman", "kendall"]


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, shape (n,); equal values share the mean of the ranks they cover. No NaN.

    >>> average_ranks(np.array([0.2, 0.9, 0.2])).tolist()
    [1.5, 3.0, 1.5]
    """
    level = levels_of(values)
    sizes = np.bincount(level)
    ranks: Floats = (np.cumsum(sizes) - (sizes - 1) / 2.0)[level]
    return ranks


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rho of two columns, -1 to 1: Pearson's correlation of their average ranks.

    ``x`` and ``y``: shape (n,) each, without NaN; values within `stats.levels.SAME` are tied and share their
    average rank. NaN when one of the columns does not vary, so for n < 2 as well. Spearman 1904.
    """
    # Twice the ranks less their mean: whole numbers.
    a, b = ((2 * average_ranks(column)).astype(np.int64) - len(x) - 1 for column in (x, y))
    size = sqrt(_product(a, a) * _product(b, b))
    return max(-1.0, min(_product(a, b) / size, 1.0)) if size > 0 else float("nan")


def spearman_p(rho: float, n: int) -> float:
    """Two-sided p of Spearman's rho over n rows, against no correlation.

    t = rho sqrt((n - 2) / (1 - rho^2)) with n - 2 degrees of freedom; rows count as independent. 0 for rho
    of 1 or -1; NaN where rho is NaN and for n < 3.
    """
    if n < 3 or not isfinite(rho):
        return nan
    return _t_sides(_over(rho, n - 2, 1 - rho * rho), n - 2)


def kendall(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two columns, shape (n,), -1 to 1; NaN when one of them does not vary. No NaN.

    n log^2 n steps: rows are ordered by x and then y, and the pairs that y orders the other way are
    counted bit by bit of y's levels.
    """
    of_x, of_y = levels_of(x), levels_of(y)
    n, width = len(x), int(of_y.max(initial=0)) + 1
    pairs = n * (n - 1) // 2
    tied_x, tied_y = _tied_pairs(of_x), _tied_pairs(of_y)
    if pairs in (tied_x, tied_y):
        return float("nan")
    joint = of_x * width + of_y
    ordered = pairs - tied_x - tied_y + _tied_pairs(np.unique(joint, return_inverse=True)[1])
    against = _inversions(of_y[np.argsort(joint, kind="stable")])
    return float((ordered - 2 * against) / np.sqrt(float(pairs - tied_x) * float(pairs - tied_y)))


def within_groups(values: Floats, grades: Floats, groups: Ints | Offsets, n: int) -> Floats:
    """Kendall's tau-b of values and grades within each of n groups, shape (n,).

    ``groups``: the number of each row's, from 0. NaN where all grades of a group are level; 0 where only its
    values are: they order nothing that the grades order.
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=n))
    result = np.full(n, np.nan)
    for group, rows in enumerate(np.split(order, ends[:-1]) if n else ()):
        if len(rows) > 1 and levels_of(grades[rows]).any():
            result[group] = np.nan_to_num(kendall(values[rows], grades[rows]), nan=0.0)
    return result


def correlations(columns: Floats, *, method: Correlation) -> Floats:
    """Correlation of every two columns.

    Parameters
    ----------
    columns
        Shape (n, m). Rows with a NaN in any column are left out, so that all cells are about the same
        rows.
    method
        "spearman" or "kendall".

    Returns
    -------
    shape (m, m), symmetric, 1 on the diagonal; NaN in the row and column of one that does not vary.
    """
    rows = columns[~np.isnan(columns).any(axis=1)]
    m, of_two = rows.shape[1], spearman if method == "spearman" else kendall
    result = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(i + 1):
            result[i, j] = result[j, i] = of_two(rows[:, i], rows[:, j])
    return result


def _product(a: Offsets, b: Offsets) -> int:
    """Sum of the products of whole numbers below 2^24, in parts that stay below 2^63."""
    parts = range(0, len(a), 1 << 14)
    return sum(int((a[start : start + (1 << 14)] * b[start : start + (1 << 14)]).sum()) for start in parts)


def _tied_pairs(levels: Offsets) -> int:
    sizes = np.bincount(levels)
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(levels: Offsets) -> int:
    """Pairs of places whose earlier one holds the larger level.

    Two levels differ first at some bit: with all higher bits equal, an inversion is a 1 before a 0. The
    places are kept sorted by the higher bits, stably, so that such places lie together in their order.
    """
    count, rest = 0, levels
    for bit in reversed(range(int(levels.max(initial=0)).bit_length())):
        above, odd = rest >> (bit + 1), rest >> bit & 1
        counted = np.cumsum(odd)
        first = np.flatnonzero(np.append(True, above[1:] != above[:-1]))
        before = np.repeat(counted[first] - odd[first], np.diff(np.append(first, len(rest))))
        count += int((counted - before)[odd == 0].sum())
        rest = rest[np.argsort(rest >> bit, kind="stable")]
    return count


# Do two measures agree differently well with a third thing, when all three come from the same rows?

DependentTest = Literal["williams", "steiger", "meng", "hotelling", "fisher"]
SAME = 1e-12


class Outcome(NamedTuple):
    """The statistic of a test, above 0 where the first correlation is higher, and its two-sided p."""

    statistic: float
    p: float


def compare_correlations(r1: float, r2: float, r12: float, n: int, *, test: DependentTest) -> Outcome:
    """Is r1 another correlation than r2?

    r1 and r2 are the correlations of the two with the third, r12 that of the two with each other. Measures
    that are much alike differ less by chance, so r12 decides; a test for independent samples ignores it and
    sees almost nothing. With |R| = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12 and z = artanh r:

    | test | statistic | null distribution | |---|---|---| | Williams 1959 | t = (r1-r2) sqrt((n-1)(1+r12) /
    (2 (n-1)/(n-3) |R| + ((r1+r2)/2)^2 (1-r12)^3)) | t, n-3 | | Hotelling 1940 | t = (r1-r2) sqrt((n-3)(1+r12)
    / (2 |R|)) | t, n-3 | | Steiger 1980 | (z1-z2) sqrt((n-3) / (2-2s)), s the covariance of z1, z2 at the
    mean of r1, r2 | normal | | Meng 1992 | (z1-z2) sqrt((n-3) / (2 (1-r12) h)), h from the mean of r1^2 and
    r2^2 | normal | | Fisher 1921 | (z1-z2) / sqrt(2 / (n-3)): independent samples, for comparison only |
    normal |

    Steiger, doi:10.1037/0033-2909.87.2.245; Meng, Rosenthal & Rubin, doi:10.1037/0033-2909.111.1.172. All are
    two-sided and made for linear correlations; with rank correlations they hold approximately.

    | case | value |
    |---|---|
    | n below 4, or a correlation that is undefined | NaN |
    | the two measures order all rows alike (r12 = 1) | NaN: there is nothing to test |
    | r1 = r2 | statistic 0, p 1 |

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
    column = statistic(r1, r2, r12, n)
    return Outcome(column, _t_sides(column, n - 3) if of_t else erfc(abs(column) / sqrt(2)))


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
    return _over(_fisher_z_difference(r1, r2), n - 3, 2 - 2 * covariance / (1 - square) ** 2)


def _meng(r1: float, r2: float, r12: float, n: int) -> float:
    square = (r1 * r1 + r2 * r2) / 2
    if square >= 1:
        return _over(r1 - r2, 1, 0)
    f = min(1.0, (1 - r12) / (2 * (1 - square)))
    return _over(_fisher_z_difference(r1, r2), n - 3, 2 * (1 - r12) * (1 - f * square) / (1 - square))


def _fisher(r1: float, r2: float, _: float, n: int) -> float:
    return _over(_fisher_z_difference(r1, r2), n - 3, 2)


def _fisher_z_difference(r1: float, r2: float) -> float:
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
