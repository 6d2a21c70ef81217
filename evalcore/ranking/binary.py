"""Measures of lists whose results are relevant or not, by question."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.ranking.graded import mean_gain
from evalcore.ranking.lists import RankedGains, share_of
from evalcore.stats.sums import column_sums, list_sums
from evalcore.values.arrays import Floats, Offsets, ranks_of


def precision(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Which share of the first ``cutoff`` ranks is relevant (gain above 0)?

        P@K = (relevant among the first K) / K

    A shorter list is filled with nothing: the divisor stays K, as in trec_eval. Of tied ranks the exact
    expectation is taken when the gains say so.

    Returns shape (n,), range 0 to 1; 0 for an empty list.

    Examples
    --------
    >>> precision(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), cutoff=2)
    array([0.5])
    """
    return mean_gain(ranked.relevant, cutoff=cutoff)


# Recall: how much of what is relevant is among the first K?


def recall(ranked: RankedGains, n_relevant: Offsets, *, cutoff: int) -> Floats:
    """Which share of the relevant images (gain above 0) stands among the first ``cutoff`` ranks?

        Recall@K = (relevant among the first K) / R

    R is the number of relevant images among all candidates, found or not, as in trec_eval's recall. Linear in
    the gains, so of tied ranks the exact expectation is taken when the gains say so.

    ``n_relevant``: relevant images among all candidates of each query, shape (n,). Returns shape (n,),
    range 0 to 1; NaN where nothing is relevant, 0 for an empty list.

    Examples
    --------
    >>> recall(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), np.array([4]), cutoff=2)
    array([0.25])
    """
    return share_of(column_sums(ranked.relevant.top(cutoff).T), n_relevant)


def f1(ranked: RankedGains, n_relevant: Offsets, *, cutoff: int) -> Floats:
    """The harmonic mean of precision and recall of the first ``cutoff`` ranks.

        F1@K = 2 P R / (P + R) = 2 (relevant among the first K) / (K + R)

    R is the number of relevant images among all candidates. The divisors stay K and R, so it is linear in the
    gains and ties are exact. A perfect list has less than 1 where R is not K.

    ``n_relevant``: as in `recall`. Returns shape (n,), range 0 to 1; NaN where nothing is relevant, 0 for an
    empty list.

    Examples
    --------
    >>> f1(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), np.array([4]), cutoff=2)
    array([0.33333333])
    """
    hits = column_sums(ranked.relevant.top(cutoff).T)
    return np.where(n_relevant > 0, 2.0 * hits / (cutoff + n_relevant), np.nan)


# R-precision: precision where precision and recall are equal.


def r_precision(ranked: RankedGains, n_relevant: Offsets) -> Floats:
    """Precision of as many ranks as there are relevant images (gain above 0).

        Rprec = (relevant among the first R) / R

    R is the number of relevant images among all candidates, as in trec_eval's Rprec: a list in which every
    relevant image comes first reaches 1 whatever R is. Linear, so ties are exact by expected gains.

    ``n_relevant``: relevant images among all candidates of each query, shape (n,). Returns shape (n,),
    range 0 to 1; NaN where nothing is relevant, 0 for an empty list.

    Examples
    --------
    >>> r_precision(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), np.array([2]))
    array([0.5])
    """
    within = ranked.ranks <= np.repeat(n_relevant, np.diff(ranked.indptr))
    result = list_sums(ranked.indptr, np.where(within, ranked.relevant.expected, 0.0))
    return share_of(result, n_relevant)


# Reciprocal rank: how soon does the first relevant image come?

PLACES = 256
"""Places of a group of ties that are looked at together."""


def reciprocal_rank(ranked: RankedGains, *, cutoff: int | None = None) -> Floats:
    """One over the rank of the first relevant image (gain above 0).

        RR = 1 / (rank of the first relevant image),   0 when none is found

    Ties. In the first group of equal scores that holds a relevant image (m images at ranks s+1..s+m, r of
    them relevant) the first relevant one stands at rank s+j with probability C(m-j, r-1) / C(m, r), which is
    r/m for j = 1 and then (m-j-r+1) / (m-j) of the one before. The expectation over all orders is the sum
    over j of that probability / (s + j), which is exact.

    Ranks beyond ``cutoff`` do not count (None: all). Returns shape (n,), range 0 to 1; 0 for an empty
    list and for one without a relevant image. A relative error of about 1e-11 is possible in tie
    groups of tens of thousands, none without ties.

    Examples
    --------
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0])))
    array([0.5])
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0]), groups=np.array([0, 2])))
    array([0.75])
    """
    values = np.zeros(len(ranked))
    lists, first, m, r = first_relevant_groups(ranked)
    chance = np.ones(len(m))
    last = np.minimum(m - r + 1, np.inf if cutoff is None else cutoff - first + 1)
    deepest = int(last.max(initial=0))
    for start in range(0, deepest, PLACES):
        place = np.arange(start, min(start + PLACES, deepest))[:, np.newaxis]
        left = (m - place).clip(min=1)
        # The chance of each place as a share of that of the place before.
        shares = (left + 1 - r).clip(min=0) / left
        shares[0] = chance * shares[0] if start else r / m
        chances = np.multiply.accumulate(shares, axis=0)
        values[lists] += column_sums(np.where(place < last, chances / (first + place), 0.0))
        chance = chances[-1]
    return values


class RelevantGroups(NamedTuple):
    """The first tie group with a relevant image of each list that has one: which list, the rank the group
    begins at, how many images it holds, how many of them are relevant. A result without ties is a group."""

    lists: Offsets
    first: Offsets
    sizes: Offsets
    relevant: Floats


def first_relevant_groups(ranked: RankedGains) -> RelevantGroups:
    """Where the first relevant image (gain above 0) of each list stands, or may stand."""
    groups, in_group = ranked.parts, ranked.relevant_by_part
    hits = np.flatnonzero(in_group > 0)
    lists, first = np.unique(
        np.searchsorted(ranked.indptr, groups[hits], side="right") - 1, return_index=True
    )
    deciding = hits[first]
    starts = groups[:-1][deciding]
    return RelevantGroups(lists, ranked.ranks[starts], np.diff(groups)[deciding], in_group[deciding])


# First rank: at which place does the first relevant image come?


def first_rank(ranked: RankedGains, n_relevant: Offsets, n_others: Offsets) -> Floats:
    """The rank of the first relevant image (gain above 0), 1 for the best; lower is better.

    A list without one leaves its rank unknown: it counts as the last place there can be, n_others + 1, so
    that a mean or median of ranks is never lower than that of the whole ranking.

    Ties: the first of r relevant images in random order among m at ranks s+1..s+m has the expected rank
    s + (m + 1) / (r + 1), which is exact.

    ``n_relevant``, ``n_others``: candidates of each query that are relevant, and that are not, shape (n,).
    Returns shape (n,); NaN where nothing is relevant.

    Examples
    --------
    >>> lists = RankedGains(np.array([0, 2, 4]), np.array([0.0, 1.0, 0.0, 0.0]))
    >>> first_rank(lists, np.array([1, 1]), np.array([8, 8])).tolist()
    [2.0, 9.0]
    """
    values = (n_others + 1).astype(float)
    deciding = first_relevant_groups(ranked)
    values[deciding.lists] = deciding.first - 1 + (deciding.sizes + 1) / (deciding.relevant + 1)
    return np.where(n_relevant > 0, values, np.nan)


# Success: is anything relevant among the first K?


def success(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Whether one of the first ``cutoff`` ranks is relevant (gain above 0).

        Success@K = 1 when one of the first K is relevant, else 0

    As trec_eval's success, the hit rate of other fields, and what papers on image-text retrieval call R@K.

    Ties. In the first group of equal scores that holds a relevant image (m images from rank f on, r of them
    relevant) the first j = K - f + 1 are seen. In a random order none of them is relevant with probability
    C(m-r, j) / C(m, j), which is the product over i < j of (m-r-i) / (m-i); the expectation is 1 less that,
    which is exact.

    Returns shape (n,): 0 or 1, in between where ties decide; 0 for an empty list.

    Examples
    --------
    >>> success(RankedGains(np.array([0, 2, 3]), np.array([0.0, 1.0, 0.0])), cutoff=2).tolist()
    [1.0, 0.0]
    >>> success(RankedGains(np.array([0, 2]), np.array([0.0, 1.0]), groups=np.array([0, 2])), cutoff=1)
    array([0.5])
    """
    values = np.zeros(len(ranked))
    lists, first, m, r = first_relevant_groups(ranked)
    seen, missed = np.clip(cutoff - first + 1, 0, m), np.ones(len(m))
    for start in range(0, int(seen.max(initial=0)), PLACES):
        place = np.arange(start, start + PLACES)[:, np.newaxis]
        shares = (m - r - place).clip(min=0) / (m - place).clip(min=1)
        missed = np.multiply.reduce(np.where(place < seen, shares, 1.0), axis=0, initial=1.0) * missed
    values[lists] = 1.0 - missed
    return values


# Average precision: are the relevant images found, and found early?


def average_precision(ranked: RankedGains, n_relevant: Offsets, *, cutoff: int | None = None) -> Floats:
    """Mean of the precision at each relevant image; what is not found counts 0.

        AP = (1 / R) * sum over the ranks i that hold a relevant image of P@i

    R is the number of relevant images among all candidates, found or not, as in trec_eval's map.

    Ties. Let a group of m equal scores cover ranks s+1..s+m, r of its images relevant, with b relevant
    images ahead of it. In a random order rank s+j is relevant with probability r/m, and two ranks of the
    group are with probability r(r-1) / (m(m-1)). The expected contribution of rank s+j is therefore

        [ (b + 1) * r/m + (j - 1) * r(r-1) / (m(m-1)) ] / (s + j)

    which is exact (McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38), and for m = 1 the plain AP.

    Parameters
    ----------
    ranked
        Gains of n lists; an image is relevant when its gain is above 0.
    n_relevant
        Relevant images among all candidates of each query, shape (n,).
    cutoff
        Ranks beyond it do not count (the divisor stays R); None for all.

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where nothing is relevant; 0 for an empty list.

    Examples
    --------
    >>> average_precision(RankedGains(np.array([0, 3]), np.array([1.0, 0.0, 1.0])), np.array([2])).round(4)
    array([0.8333])
    """
    if ranked.groups is None:  # the relevant images alone, as lists of their own
        rows = np.flatnonzero(ranked.gains > 0)
        indptr = np.searchsorted(rows, ranked.indptr)
        rank = rows - np.repeat(ranked.indptr[:-1], np.diff(indptr)) + 1
        terms = ranks_of(indptr) / rank
    else:
        indptr, rank, r = ranked.indptr, ranked.ranks, ranked.relevant_by_part
        ahead, _ = ranked.ahead(r)
        starts, m = ranked.groups[:-1], np.diff(ranked.groups).astype(float)
        both = r * (r - 1) / np.maximum(m * (m - 1), 1)
        place = rank - ranked.by_row(rank[starts])  # j - 1
        terms = (ranked.by_row((ahead + 1) * r / m) + place * ranked.by_row(both)) / rank
    if cutoff is not None:
        terms = np.where(rank <= cutoff, terms, 0.0)
    return share_of(list_sums(indptr, terms), n_relevant)


# Binary preference: are relevant images placed before those judged not relevant?


def bpref(ranked: RankedGains, n_relevant: Offsets, n_others: Offsets) -> Floats:
    """How seldom an image judged not relevant stands before a relevant one.

        bpref = (1/R) * sum over the relevant images found of  1 - min(b, R) / min(N, R)

    R relevant and N not relevant images among the judged candidates, b of the latter placed before the image.
    Images nobody judged play no part: the lists hold judged images only. Buckley & Voorhees 2004,
    doi:10.1145/1008992.1009000, as trec_eval computes it (a denominator of 0 means that b is 0 too).

    Ties. Among m equal scores with r relevant images and n = m - r others, after b others, a relevant image
    has any number x = 0..n of them ahead of it with the same chance. The expectation of min(b + x, R) is the
    mean over these, which is exact.

    Parameters
    ----------
    ranked
        Gains of n lists of judged images; one is relevant when its gain is above 0.
    n_relevant, n_others
        Judged candidates of each query that are relevant, and that are not; shape (n,).

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where nothing is relevant; 0 for an empty list.

    Examples
    --------
    >>> bpref(RankedGains(np.array([0, 3]), np.array([1.0, 0.0, 1.0])), np.array([2]), np.array([5]))
    array([0.75])
    """
    sizes = np.diff(ranked.parts)
    others = sizes - ranked.relevant_by_part
    ahead, list_of = ranked.ahead(others)
    most = np.minimum(n_relevant, n_others)[list_of].clip(min=1)
    limit = n_relevant[list_of]
    below = np.clip(limit - ahead, 0, others + 1)  # so many of ahead + 0..others are less than the limit
    total = below * ahead + below * (below - 1) / 2 + (others + 1 - below) * limit
    terms = ranked.relevant.gains * ranked.by_row(1.0 - total / (others + 1) / most)
    return share_of(list_sums(ranked.indptr, terms), n_relevant)


# What is known of lists of which only some results were judged: gains below 0 are of results nobody judged,
# those of `IN_POOL` among the candidates that could have been judged.

IN_POOL = -1.0
_EPSILON = 0.00001


def inferred_average_precision(ranked: RankedGains, n_relevant: Offsets) -> Floats:
    """Average precision as it is expected where only a random part of the pool was judged.

    At a relevant image of rank k, after n images of the pool, r of them judged relevant and o judged not:

        1/k + (k-1)/k * n/(k-1) * (r + e) / (r + o + 2e),   e = 0.00001

    summed and divided by R, the images judged relevant. Images outside the pool count as not relevant. Yilmaz
    & Aslam 2006, doi:10.1145/1183614.1183633, as trec_eval's infAP computes it: n counts what was judged and
    what has a grade below 0 in the qrels.

    ``ranked``: gains above 0 relevant, 0 judged not relevant, `IN_POOL` not judged, below that outside the
    pool. Returns shape (n,), range 0 to 1; NaN where nothing is relevant, 0 for an empty list.

    Examples
    --------
    >>> lists = RankedGains(np.array([0, 3]), np.array([1.0, -1.0, 1.0]))
    >>> inferred_average_precision(lists, np.array([2])).round(4)
    array([1.])
    """
    gains, before = ranked.gains, ranked.ranks - 1
    in_order = RankedGains(ranked.indptr, gains)
    kinds = (gains > 0, gains == 0, gains == IN_POOL)
    relevant, others, pooled = (in_order.ahead(kind.astype(float))[0] for kind in kinds)
    share = (relevant + _EPSILON) / (relevant + others + 2 * _EPSILON)
    terms = np.where(before == 0, 1.0, (1 + (relevant + others + pooled) * share) / (before + 1))
    return share_of(list_sums(ranked.indptr, np.where(gains > 0, terms, 0.0)), n_relevant)


def judged_share(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Of the first ``cutoff`` ranks, the share that hold a judged image; ranks beyond the list hold none.

    ``ranked``: gains as of `inferred_average_precision`. Shape (n,), range 0 to 1; 0 for an empty list.
    """
    return precision(RankedGains(ranked.indptr, (ranked.gains >= 0).astype(float)), cutoff=cutoff)
