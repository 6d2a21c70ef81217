"""Average set intersection: does each first part of a list hold what the best list's first part holds?

    SI(k) = sum over levels l of min(results of level l among the first k, those among the ideal first k) / k
    ASI   = mean of SI(k) over k = 1..R,  R the candidates of any level above 0

Ramzi et al. 2022, arXiv 2207.04873. Which result of a level it is, and where in the first part it stands,
does not matter. A list that ends earlier has found no more by then.
"""

from __future__ import annotations

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats


def average_set_intersection(ranked: RankedGains, ideal: Floats, *, cutoff: int | None = None) -> Floats:
    """ASI of every list; equal scores in the order given.

    Parameters
    ----------
    ranked
        Levels by rank of n lists.
    ideal
        Levels of the candidates of each query, descending, filled with 0, shape (n, m): all of them, or as
        many as ``cutoff``.
    cutoff
        The mean ends there where R is larger; None for R.

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where no candidate has a level above 0; 0 for an empty list.

    Examples
    --------
    >>> ranked = RankedGains(np.array([0, 5]), np.array([0.0, 1, 0, 1, 1]))
    >>> average_set_intersection(ranked, np.array([[1.0, 1, 1, 0, 0]])).round(4)
    array([0.2778])
    """
    depth = ideal.shape[1] if cutoff is None else min(ideal.shape[1], cutoff)
    best, found = ideal[:, :depth], np.zeros((len(ideal), depth))
    top = ranked.top(max(depth, 1))[:, :depth]
    found[:, : top.shape[1]] = top
    shared = np.zeros_like(found)
    for level in np.unique(best[best > 0]):
        shared += np.minimum(np.cumsum(found == level, axis=1), np.cumsum(best == level, axis=1))
    ranks = np.arange(1, depth + 1)
    n = np.count_nonzero(best > 0, axis=1)
    sums = column_sums(np.where(ranks <= n[:, np.newaxis], shared / ranks, 0.0).T)
    values: Floats = np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0)
    return values
