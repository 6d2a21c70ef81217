"""How sure is a rank correlation? Spearman's rho of many columns with one, under resampled rows or groups.

A resample weighs every row by how often it was drawn. The rank of a row then is the weight of all rows below
it, and half of what shares its level with one more half: ranks are those of the resample, not of the data.
Rows are sorted once for each column, so that a resample needs sums over levels only. All sums are of whole
numbers below 2^53, up to 100,000 rows, and so the same in every order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.levels import levels_of
from evalcore.values.arrays import Floats, Offsets

BLOCK_CELLS = 500_000
"""Weights held at once: what is done with them stays near the processor. Changes no result."""


def spearman_resamples(
    columns: Floats, target: Floats, groups: Offsets, *, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Spearman's rho of every column with the target, resample by resample.

    Parameters
    ----------
    columns, target
        Shape (n, m) and (n,), no NaN.
    groups
        Group of each row, shape (n,), numbered from 0 without gaps: whole groups are drawn. Rows by
        themselves: ``np.arange(n)``.
    n_resamples, rng
        Resamples, at least 1, and the source of the draws. All columns share the same resamples.

    Returns
    -------
    rho, shape (n_resamples, m)
        NaN where a column or the target does not vary in a resample.
    """
    m = columns.shape[1]
    of_target, of_columns = _Levels(target), [_Levels(columns[:, j]) for j in range(m)]
    rho = np.full((n_resamples, m), np.nan)
    for rows, weights in _weights(groups, n_resamples, rng):
        totals = weights.sum(axis=1)[:, np.newaxis]
        ranks = of_target.centred(weights, totals)
        spread = (of_target.sums(weights) * ranks * ranks).sum(axis=1)
        weighed = weights * ranks[:, of_target.level]
        for j, column in enumerate(of_columns):
            own = column.centred(weights, totals)
            product = (own * column.sums(weighed)).sum(axis=1)
            size = np.sqrt((column.sums(weights) * own * own).sum(axis=1) * spread)
            rho[rows, j] = np.divide(product, size, out=np.full(len(size), np.nan), where=size > 0)
    found: Floats = np.clip(rho, -1.0, 1.0)
    return found


def middle_of(resampled: Floats, *, level: float) -> tuple[Floats, Floats]:
    """Lower and upper end, shape (m,) each, that hold the middle ``level`` of each column's resamples.

    Resamples without a value are left out; NaN for a column that has none at all.
    """
    tail = (1.0 - level) / 2.0
    ends = np.full((2, resampled.shape[1]), np.nan)
    for j in range(resampled.shape[1]):
        known = resampled[~np.isnan(resampled[:, j]), j]
        if len(known):
            ends[:, j] = np.quantile(known, [tail, 1.0 - tail])
    return ends[0], ends[1]


class _Levels:
    """The rows of one column in its order, and where each level begins."""

    def __init__(self, values: Floats) -> None:
        self.level = levels_of(values)
        self.order = np.argsort(self.level, kind="stable")
        self.starts = np.searchsorted(self.level[self.order], np.arange(int(self.level.max(initial=-1)) + 1))

    def sums(self, rows: Floats) -> Floats:
        """Sums over each level, shape (b, levels), of what each row has, shape (b, n)."""
        found: Floats = np.add.reduceat(rows[:, self.order], self.starts, axis=1)
        return found

    def centred(self, weights: Floats, totals: Floats) -> Floats:
        """Twice the rank of each level less twice the mean rank, shape (b, levels): whole numbers."""
        inside = self.sums(weights)
        ranks = 2 * np.cumsum(inside, axis=1) - inside - totals
        return np.asarray(ranks, dtype=np.float64)


def _weights(groups: Offsets, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, Floats]]:
    """How often each row is drawn, shape (b, n), in small blocks of resamples."""
    size = max(1, BLOCK_CELLS // max(len(groups), 1))
    for rows, drawn in resampled_weights(int(groups.max(initial=-1)) + 1, n_resamples, rng):
        for first in range(0, len(drawn), size):
            part = drawn[first : first + size]
            start = rows.start + first
            yield slice(start, start + len(part)), part[:, groups]
