"""Measures of graded results: of any relevance, and of the levels of a hierarchy of labels."""

from __future__ import annotations

from importlib import import_module
from typing import Literal

import numpy as np

from evalcore.ranking.lists import RankedGains, filled, share_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats, Offsets, rows_of

# Hierarchical average precision: are the more relevant images found, and found before the others?


def h_average_precision(ranked: RankedGains, ideal: Floats, *, cutoff: int | None = None) -> Floats:
    """H-AP of every list; what is not found counts 0.

        H-rank(k) = sum over j <= k of min(rel(k), rel(j))
        H-AP      = sum over k of H-rank(k) / k,  divided by the sum of rel over all candidates

    Ramzi et al. 2022 (HAPPIER), arXiv 2207.04873. A result counts in full where all before it are at least as
    relevant; ranks without relevance add nothing. With relevance 0 or 1 it is the average precision.

    Ties. In a random order of m tied results on ranks s+1..s+m each takes every place with probability 1/m,
    and each other one is before it at place p with probability (p-1)/(m-1). With B what min adds over the
    results before the group and C over the others in it, the expected term of a result is therefore

        (1/m) sum over p of [ B + rel + C (p-1)/(m-1) ] / (s + p)

    which is exact, and for relevance 0 or 1 that of the average precision (see there).

    Sums of minima come from a Fenwick tree over the different values of a list: n log n steps, not n^2.

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
    loops = import_module("evalcore.ranking.loops")  # numba takes a while to import
    places, sizes = _places(ranked)
    most = max(len(ranked.gains), 1) if cutoff is None else cutoff
    result = loops.h_ranks(ranked.indptr, ranked.parts, np.maximum(ranked.gains, 0.0), places, sizes, most)
    return share_of(result, column_sums(np.maximum(ideal, 0.0).T))


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


# Hierarchical precision: how relevant are the first results, compared with the best possible ones?

Area = Literal["mean", "trapezoid"]


def hierarchical_precision(ranked: RankedGains, ideal: Floats, *, cutoff: int) -> Floats:
    """HP@``cutoff`` of every list, shape (n,), 0 to 1; NaN where nothing is relevant.

        HP@K  = sum of sim over the first K / the largest such sum
        AHP@K = mean of HP@k over k = 1..K

    Barz & Denzler 2019, arXiv 1809.09924, with the similarity of classes as sim; any relevance may stand for
    it. Their published evaluation takes the area under HP@k by trapezoids and divides it by K, which gives
    even a perfect list (K-1)/K; that is ``trapezoid`` here. Both are linear in the relevance, so expected
    relevances give the exact expectation over ties.

    ``ideal``: the largest relevances any ranking could hold, descending, shape (n, m).

    >>> ranked = RankedGains(np.array([0, 2]), np.array([0.0, 1.0]))
    >>> hierarchical_precision(ranked, np.array([[2.0, 1]]), cutoff=2)
    array([0.33333333])
    """
    return share_of(column_sums(ranked.top(cutoff).T), column_sums(ideal[:, :cutoff].T))


def average_hierarchical_precision(
    ranked: RankedGains, ideal: Floats, *, cutoff: int, area: Area = "mean"
) -> Floats:
    """AHP@``cutoff`` of every list, shape (n,), 0 to 1; NaN where nothing is relevant.

    ``ideal`` as in `hierarchical_precision`; beyond the end of a list or of the collection nothing is gained.
    ``area`` as in the source above; by trapezoids a single rank has none: 0.
    """
    both = ranked.top(cutoff), ideal[:, :cutoff]
    shares = share_of(*(np.cumsum(filled(gains, cutoff), axis=1) for gains in both))
    if area == "trapezoid":
        shares[:, [0, -1]] *= 0.5 if cutoff > 1 else 0.0
    values: Floats = column_sums(shares.T) / cutoff
    return values


# Average set intersection: does each first part of a list hold what the best list's first part holds?


def average_set_intersection(ranked: RankedGains, ideal: Floats, *, cutoff: int | None = None) -> Floats:
    """ASI of every list; equal scores in the order given.

        SI(k) = sum over levels l of min(results of level l in the first k, those in the ideal first k) / k
        ASI   = mean of SI(k) over k = 1..R,  R the candidates of any level above 0

    Ramzi et al. 2022, arXiv 2207.04873. Which result of a level it is, and where in the first part it stands,
    does not matter. A list that ends earlier has found no more by then.

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
    best, result = ideal[:, :depth], filled(ranked.top(depth), depth)
    shared = np.zeros_like(result)
    for level in np.unique(best[best > 0]):
        shared += np.minimum(np.cumsum(result == level, axis=1), np.cumsum(best == level, axis=1))
    ranks = np.arange(1, depth + 1)
    n = np.count_nonzero(best > 0, axis=1)
    sums = column_sums(np.where(ranks <= n[:, np.newaxis], shared / ranks, 0.0).T)
    return share_of(sums, n)
