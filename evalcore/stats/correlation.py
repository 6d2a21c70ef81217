"""Do two lists of numbers agree in order? Spearman's rho and Kendall's tau-b, ties and all.

Spearman (1904) is the linear correlation of the ranks, equal values sharing their mean rank. Kendall's
tau-b (1945) counts pairs of rows: those both columns order alike minus those they order differently,
divided by the geometric mean of the pairs that each column orders at all:

    tau_b = (C - D) / sqrt((n0 - n1) (n0 - n2)),   n0 = n(n-1)/2, n1 and n2: pairs tied in x, in y

Values are equal when they are level (see `levels`). Everything up to the last quotient is counted in whole
numbers, so no order of the rows and no processor decides a digit.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

import numpy as np

from evalcore.stats.levels import levels_of
from evalcore.values.arrays import Floats, Offsets

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
    """Spearman's rho of two columns, shape (n,), -1 to 1; NaN when one of them does not vary. No NaN."""
    # Twice the ranks less their mean: whole numbers.
    a, b = ((2 * average_ranks(column)).astype(np.int64) - len(x) - 1 for column in (x, y))
    size = sqrt(_product(a, a) * _product(b, b))
    return max(-1.0, min(_product(a, b) / size, 1.0)) if size > 0 else float("nan")


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
    found = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(i + 1):
            found[i, j] = found[j, i] = of_two(rows[:, i], rows[:, j])
    return found


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
        above, one = rest >> (bit + 1), rest >> bit & 1
        ones = np.cumsum(one)
        first = np.flatnonzero(np.append(True, above[1:] != above[:-1]))
        before = np.repeat(ones[first] - one[first], np.diff(np.append(first, len(rest))))
        count += int((ones - before)[one == 0].sum())
        rest = rest[np.argsort(rest >> bit, kind="stable")]
    return count
