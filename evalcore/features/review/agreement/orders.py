"""Does a measure order results as readers grade them? Over all pairs of results, under resampled queries.

Kendall's tau-b and the area under the ROC curve are sums over pairs of results, and so are sums over pairs of
queries of what their results contribute. Counted once as such tables, every resample of queries with its
weights w is w' S w: pairs of a query that was drawn twice count with both of its copies. Results of one query
stand together, queries in the order of their numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.stats.correlation import kendall, spearman
from evalcore.stats.levels import SAME, levels_of
from evalcore.stats.sums import cut, weighted_sums
from evalcore.values.arrays import Bools, Floats, Ints

ROWS = 2_048
"""Results compared with all others at a time."""
CELLS = 2_000_000
"""Ranks held at once."""


class Pairs(NamedTuple):
    """Sums over the pairs of results of every two queries, shape (queries, queries) each."""

    above: Floats
    below: Floats


def tau_pairs(x: Floats, y: Floats, cluster: Ints, n: int) -> tuple[Floats, Floats, Floats]:
    """What tau-b is made of, by pairs of ``n`` queries: concordant less discordant, ordered by x, by y."""
    a, b = levels_of(x), levels_of(y)
    agree, by_x, by_y = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for first in range(0, len(x), ROWS):
        rows = slice(first, first + ROWS)
        of_x, of_y = np.sign(a[rows, None] - a), np.sign(b[rows, None] - b)
        for table, signs in ((agree, of_x * of_y), (by_x, np.abs(of_x)), (by_y, np.abs(of_y))):
            _add(table, signs, cluster[rows], cluster)
    return agree, by_x, by_y


def resampled_taus(pairs: tuple[Floats, Floats, Floats], weights: Floats) -> Floats:
    """Tau-b under the weights of queries, shape (resamples, queries).

    NaN where ``y`` does not vary; 0 where only ``x`` does not.
    """
    agree, by_x, by_y = (_sums(table, weights) for table in pairs)
    size = np.sqrt(by_x * by_y)
    return np.divide(agree, size, out=np.where(by_y > 0, 0.0, np.nan), where=size > 0)


def auc_pairs(x: Floats, relevant: Bools, cluster: Ints, n: int) -> Pairs:
    """Pairs of a relevant result and another one, by their queries: placed above (ties half), and all."""
    a, won, all_pairs = levels_of(x), np.zeros((n, n)), np.zeros((n, n))
    inside, outside = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    for first in range(0, len(inside), ROWS):
        rows = inside[first : first + ROWS]
        wins = (np.sign(a[rows, None] - a[outside]) + 1.0) / 2
        _add(won, wins, cluster[rows], cluster[outside])
        _add(all_pairs, np.ones_like(wins), cluster[rows], cluster[outside])
    return Pairs(won, all_pairs)


def resampled_aucs(pairs: Pairs, weights: Floats) -> Floats:
    """The area under the weights of queries; NaN where all or none are relevant."""
    won, all_pairs = (_sums(table, weights) for table in pairs)
    areas: Floats = np.divide(won, all_pairs, out=np.full(len(won), np.nan), where=all_pairs > 0)
    return areas


def resampled_rhos(x: Floats, y: Floats, cluster: Ints, weights: Floats) -> Floats:
    """Spearman's rho under the weights of queries, shape (resamples, queries); else as tau."""
    found = np.full(len(weights), np.nan)
    step = max(1, CELLS // max(len(x), 1))
    for first in range(0, len(weights) if len(x) else 0, step):
        some = slice(first, first + step)
        of_rows = weights[some][:, cluster]
        a, b = _centred_ranks(x, of_rows), _centred_ranks(y, of_rows)
        of_x, of_y = (of_rows * a * a).sum(axis=1), (of_rows * b * b).sum(axis=1)
        product, size = (of_rows * a * b).sum(axis=1), np.sqrt(of_x * of_y)
        nothing = np.where(of_y > SAME, 0.0, np.nan)
        found[some] = np.divide(product, size, out=nothing, where=size > SAME)
    return found


def within(values: Floats, grades: Floats, cluster: Ints, n: int, *, method: str) -> Floats:
    """The rank correlation of each query, shape (n,); NaN where the readers call all its results alike.

    0 where only the measure does: it orders nothing that readers order.
    """
    of_two = spearman if method == "spearman" else kendall
    found = np.full(n, np.nan)
    for query in range(n):
        rows = np.flatnonzero(cluster == query)
        y = grades[rows]
        if len(rows) > 1 and len(np.unique(levels_of(y))) > 1:
            found[query] = np.nan_to_num(of_two(values[rows], y), nan=0.0)
    return found


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Means of the values there are, shape (n,), under weights, shape (resamples, n); NaN where none is."""
    known = ~np.isnan(values)
    total = weights[:, known].sum(axis=1)
    sums = weighted_sums(weights[:, known], cut(values[known, np.newaxis]))[:, 0]
    means: Floats = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
    return means


def _centred_ranks(values: Floats, weights: Floats) -> Floats:
    """Mean ranks of rows that count as often as their weights say, less their mean, (resamples, rows)."""
    level = levels_of(values)
    order = np.argsort(level, kind="stable")
    starts = np.flatnonzero(np.diff(level[order], prepend=-1))
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = np.repeat(middle, np.diff(np.append(starts, len(values))), axis=1)
    total = weights.sum(axis=1, keepdims=True)
    centred: Floats = ranks - (weights * ranks).sum(axis=1, keepdims=True) / total
    return centred


def _add(table: Floats, cells: Floats, rows: Ints, columns: Ints) -> None:
    """Add the cells of a block to a table by the queries of its rows and columns, both ascending."""
    if not cells.size:
        return
    of_row, row_starts = np.unique(rows, return_index=True)
    of_column, column_starts = np.unique(columns, return_index=True)
    sums = np.add.reduceat(np.add.reduceat(cells, column_starts, axis=1), row_starts, axis=0)
    table[np.ix_(of_row, of_column)] += sums


def _sums(table: Floats, weights: Floats) -> Floats:
    sums: Floats = ((weights @ table) * weights).sum(axis=1)
    return sums
