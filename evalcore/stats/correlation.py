"""Do two lists of numbers agree in order? Spearman's rho and Kendall's tau-b, ties and all.

Spearman (1904) is the linear correlation of the ranks, equal values sharing their mean rank. Kendall's
tau-b (1945) counts pairs of rows: those both columns order alike minus those they order differently,
divided by the geometric mean of the pairs that each column orders at all:

    tau_b = (C - D) / sqrt((n0 - n1) (n0 - n2)),   n0 = n(n-1)/2, n1 and n2: pairs tied in x, in y
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from evalcore.model import Floats, Offsets

Correlation = Literal["spearman", "kendall"]


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, shape (n,); equal values share the mean of the ranks they cover. No NaN.

    >>> average_ranks(np.array([0.2, 0.9, 0.2])).tolist()
    [1.5, 3.0, 1.5]
    """
    _, level, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: Floats = (last - (sizes - 1) / 2.0)[level]
    return ranks


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rho of two columns, shape (n,), -1 to 1; NaN when one of them does not vary. No NaN."""
    if not len(x):
        return float("nan")
    a, b = average_ranks(x), average_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip((a @ b) / size, -1.0, 1.0)) if size > 0 else float("nan")


def kendall(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two columns, shape (n,), -1 to 1; NaN when one of them does not vary. No NaN.

    n log^2 n steps: rows are ordered by x and then y, and the pairs that y orders the other way are
    counted bit by bit of y's levels.
    """
    _, of_x = np.unique(x, return_inverse=True)
    _, of_y = np.unique(y, return_inverse=True)
    n, width = len(x), int(of_y.max(initial=0)) + 1
    pairs = n * (n - 1) // 2
    tied_x, tied_y = _tied_pairs(of_x), _tied_pairs(of_y)
    if pairs in (tied_x, tied_y):
        return float("nan")
    joint = of_x.astype(np.int64) * width + of_y
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


def _tied_pairs(levels: Offsets) -> int:
    sizes = np.bincount(levels).astype(np.int64)
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
