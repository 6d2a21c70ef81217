"""Hierarchical average precision: are the more relevant images found, and found before the others?

    H-rank(k) = sum over j <= k of min(rel(k), rel(j))
    H-AP      = sum over k of H-rank(k) / k,  divided by the sum of rel over all candidates

Ramzi et al. 2022 (HAPPIER), arXiv 2207.04873. A result counts in full where all before it are at least as
relevant; ranks without relevance add nothing. With relevance 0 or 1 it is the average precision.

Ties. In a random order of m tied results on ranks s+1..s+m each takes every place with probability 1/m, and
each other one is before it at place p with probability (p-1)/(m-1). With B what min adds over the results
before the group and C over the others in it, the expected term of a result is therefore

    (1/m) sum over p of [ B + rel + C (p-1)/(m-1) ] / (s + p)

which is exact, and for relevance 0 or 1 that of the average precision (see there).

Sums of minima come from a Fenwick tree over the different values of a list: n log n steps, not n^2.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats, Offsets, rows_of


def h_average_precision(ranked: RankedGains, ideal: Floats, *, cutoff: int | None = None) -> Floats:
    """H-AP of every list; what is not found counts 0.

    Parameters
    ----------
    ranked
        Relevance by rank of n lists, not negative.
    ideal
        Relevance of all candidates of each query that have any, in any order, shape (n, m), filled with 0.
    cutoff
        Ranks beyond it do not count (the divisor stays); None for all.

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where nothing is relevant; 0 for an empty list.

    Examples
    --------
    >>> ranked = RankedGains(np.array([0, 3]), np.array([1.0, 0.0, 1.0]))
    >>> h_average_precision(ranked, np.ones((1, 2))).round(4)
    array([0.8333])
    """
    loops = import_module("evalcore.ranking.hierarchical.loops")  # numba takes a while to import
    places, sizes = _places(ranked)
    most = max(len(ranked.gains), 1) if cutoff is None else cutoff
    found = loops.h_ranks(ranked.indptr, ranked.parts, np.maximum(ranked.gains, 0.0), places, sizes, most)
    return share_of(found, column_sums(np.maximum(ideal, 0.0).T))


def _places(ranked: RankedGains) -> tuple[Offsets, Offsets]:
    """Place of each row among the different values of its list, from 1, and how many each list has."""
    lengths, of_list = np.diff(ranked.indptr), rows_of(ranked.indptr)
    order = np.lexsort((ranked.gains, of_list))
    values, lists = ranked.gains[order], of_list[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = lists[1:] != lists[:-1]
    rises = first.copy()
    rises[1:] |= values[1:] != values[:-1]
    counted = np.cumsum(rises)
    places = np.empty(len(order), np.int64)
    places[order] = counted - np.repeat(counted[first] - 1, lengths[lengths > 0])
    return places, np.bincount(lists[rises], minlength=len(ranked))
