"""In which place does each column stand, row by row? Average ranks from 1, the highest value first.

Unlike `correlation.average_ranks`, which ranks one column, this ranks the few values of each of many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats


def row_ranks(values: Floats) -> Floats:
    """Ranks within each row, 1 for the highest; level values (see `levels`) share the mean of their places.

    Parameters
    ----------
    values
        Shape (n, k), no NaN.

    Returns
    -------
    shape (n, k), multiples of one half from 1 to k; each row adds up to k (k + 1) / 2.

    >>> row_ranks(np.array([[0.2, 0.9, 0.2], [0.1 + 0.2, 0.3, 0.3]])).tolist()
    [[2.5, 1.0, 2.5], [2.0, 2.0, 2.0]]
    """
    ranks = np.full(values.shape, 0.5)
    for j in range(values.shape[1]):
        ahead = values[:, j : j + 1] - values
        # A column is level with itself: that half and the one above make the first place.
        ranks += np.where(ahead > SAME, 1.0, np.where(ahead >= -SAME, 0.5, 0.0))
    return ranks


# Do several systems differ in rank at all, and by how much must two of them differ? Friedman and Nemenyi.


@dataclass(frozen=True, slots=True, eq=False)
class Friedman:
    """Mean rank of each column, shape (k,), and how surprising their spread is.

    ``statistic``: Q >= 0; ``p``: from 0 to 1; both NaN without a row. ``n``: rows.
    """

    mean_ranks: Floats
    statistic: float
    p: float
    n: int


def friedman(values: Floats) -> Friedman:
    """How surprising are the mean ranks of k columns, were all columns equally good?

    Every row (a query) ranks the k columns (the systems), equal values sharing their mean rank. With n rows
    and R_j the sum of the ranks of column j, Friedman's statistic corrected for ties is

        Q = (k - 1) sum_j (R_j - n (k + 1) / 2)^2 / sum_ij (r_ij - (k + 1) / 2)^2

    and about chi-square with k - 1 degrees of freedom if no system is better than another (Friedman 1937;
    Conover 1999, section 5.8). By Nemenyi (1963) two mean ranks differ if they are further apart than

        CD = q sqrt(k (k + 1) / 6 n),   q = quantile of the studentised range of k means, over sqrt(2)

    as Demsar 2006 (JMLR 7:1-30, section 3.2.2) put it for comparisons over many data sets. The rows have to
    be independent of each other; CD takes no account of ties.

    Parameters
    ----------
    values
        Shape (n, k), k >= 2, higher is better, no NaN; values that are level share a rank.

    Returns
    -------
    Friedman
        Statistic 0 and p 1 where every row ties all columns; NaN throughout when n is 0.
    """
    n, k = values.shape
    if n == 0:
        return Friedman(np.full(k, np.nan), np.nan, np.nan, 0)
    from scipy.special import chdtrc  # takes a tenth of a second to import

    ranks = row_ranks(values)
    apart = ranks - (k + 1) / 2  # multiples of one half: their sums and squares are exact
    squares = float((apart * apart).sum())
    statistic = (k - 1) * float((apart.sum(axis=0) ** 2).sum()) / squares if squares else 0.0
    return Friedman(ranks.mean(axis=0), statistic, float(chdtrc(k - 1, statistic)), n)


def critical_difference(k: int, n: int, *, level: float = 0.05) -> float:
    """How far apart must two mean ranks of ``k`` systems over ``n`` rows be? (Nemenyi)

    ``level``: chance of even one false alarm among all pairs, above 0 and below 1. ``n`` at least 1, ``k`` at
    least 2.

    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    return _range_quantile(k, level) * sqrt(k * (k + 1) / (6 * n))


def _range_quantile(k: int, level: float) -> float:
    """Quantile of the studentised range of k means with endless degrees of freedom, over sqrt(2)."""
    from scipy.stats import studentized_range  # takes a second to import

    return float(studentized_range.ppf(1 - level, k, inf)) / sqrt(2)
