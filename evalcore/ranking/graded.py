"""Measures of lists whose results are more or less relevant, by question."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from importlib import import_module
from itertools import accumulate, repeat
from typing import Literal

import numpy as np

from evalcore.ranking.lists import RankedGains, share_of
from evalcore.stats.sums import column_sums, list_sums
from evalcore.values.arrays import Floats, Offsets, readonly
from evalcore.values.portable_math import exp2, log2


def gain_of(relevance: Floats, *, gain: Literal["linear", "exp"] = "linear") -> Floats:
    """Gain of a relevance: itself ("linear"), or 2^relevance - 1 ("exp").

    Any shape, in any range; 0 for a negative relevance, as a cosine can be, and NaN for NaN. The exponential
    form is that of Burges et al. 2005, doi:10.1145/1102351.1102363.
    """
    positive = np.maximum(relevance, 0.0)
    return exp2(positive) - 1.0 if gain == "exp" else positive


@lru_cache(maxsize=64)
def discounts(cutoff: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1..cutoff."""
    return readonly(1.0 / log2(np.arange(2, cutoff + 2)))


def dcg(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Discounted cumulative gain: sum of gain_i / log2(i + 1) over the ranks i = 1..``cutoff``.

    Shape (n,), a value per list; 0 for an empty list. Ranks beyond the end of a list add nothing. Järvelin &
    Kekäläinen 2002, doi:10.1145/582415.582418.
    """
    return discounted_sum(ranked.top(cutoff))


def ndcg(ranked: RankedGains, ideal: Floats, *, cutoff: int) -> Floats:
    """Which share of the best possible discounted gain did each list reach?

        DCG@K  = sum over i = 1..K of  gain_i / log2(i + 1)
        nDCG@K = DCG@K / IDCG@K,   IDCG@K: the same over the K largest gains among all candidates

    The ideal is what the whole collection offers, not what the system returned. With relevance IoU and
    linear gain this is CUI@K, with nn-IoU nn-CUI@K (arXiv 2506.13509, Algorithm 2). The gain is the
    relevance itself (linear), or 2^relevance - 1 (exp; Burges et al. 2005, doi:10.1145/1102351.1102363).
    Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418. Same as trec_eval's ndcg_cut when the gain is
    linear. Negative relevance (a cosine can be) gains nothing. By labels the gain is 1 for the query's label.

    | case | value |
    |---|---|
    | nothing relevant among the candidates (IDCG 0) | NaN |
    | empty list | 0 |
    | list or collection shorter than K | what exists, in DCG and IDCG |

    Parameters
    ----------
    ranked
        Gains by rank of n lists.
    ideal
        The largest gains any ranking could hold, descending, shape (n, at least ``cutoff``), padded
        with 0 where there are fewer candidates.
    cutoff
        Ranks that count, at least 1.

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where the ideal is 0: there was nothing to find.

    Examples
    --------
    >>> ndcg(RankedGains(np.array([0, 2]), np.array([0.0, 0.5])), np.array([[0.5, 0.0]]), cutoff=2).round(4)
    array([0.6309])
    """
    return share_of(discounted_sum(ranked.top(cutoff)), discounted_sum(ideal[:, :cutoff]))


def ideal_of_labels(n_relevant: Offsets, cutoff: int | None = None) -> Floats:
    """Gains of the ideal list where an image has gain 1 or none, shape (n, depth).

    ``n_relevant``: relevant images of each query, shape (n,), 0 or more. Row i has 1 at its first
    ``n_relevant[i]`` ranks and 0 after; depth is the largest of these numbers, ``cutoff`` at most, at least
    1.
    """
    longest = max(int(n_relevant.max(initial=0)), 1)
    depth = longest if cutoff is None else min(cutoff, longest)
    return (np.arange(depth) < n_relevant[:, np.newaxis]).astype(float)


def discounted_sum(gains: Floats) -> Floats:
    """The sum of the gains of each row over log2(rank + 1); shape (n, K) to (n,)."""
    return column_sums((gains * discounts(gains.shape[1])).T)


# Mean and best relevance of the top: how relevant is a result among the first K, and the best of them?


def mean_gain(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Mean gain of the first ``cutoff`` ranks.

        mean@K = (rel_1 + ... + rel_K) / K

    With graded relevance the counterpart of precision; no discount, no ideal. A shorter list is filled
    with relevance 0. The exponential gain does not touch it: a mean relevance is a mean of relevances.
    Linear, so ties are exact by expected gains.

    Returns shape (n,), in the range of the gains; 0 for an empty list.

    Examples
    --------
    >>> mean_gain(RankedGains(np.array([0, 1]), np.array([0.5])), cutoff=2)
    array([0.25])
    """
    return column_sums(ranked.top(cutoff).T) / cutoff


def best_gain(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Largest gain of the first ``cutoff`` ranks, in the order given: equal scores are not averaged over.

    Returns shape (n,); 0 for an empty list and where all gains are negative.
    """
    return np.asarray(ranked.top(cutoff).max(axis=1, initial=0.0), np.float64)


# Rank-biased precision: how much does a reader gain who goes on to the next result with chance p?


def rank_biased_precision(ranked: RankedGains, *, persistence: float, cutoff: int | None = None) -> Floats:
    """Expected gain per result seen by a reader of patience ``persistence`` (0 < p < 1).

        RBP = (1 - p) * sum over ranks i of  gain_i * p^(i-1)

    Moffat & Zobel 2008, doi:10.1145/1416950.1416952. Gains of 0 to 1 give 0 to 1; what lies beyond the
    returned list counts 0 (the residual p^n is not added). Linear, so ties are exact by expected gains.

    Ranks beyond ``cutoff`` do not count (None: all). Returns shape (n,); 0 for an empty list.

    Examples
    --------
    >>> rank_biased_precision(RankedGains(np.array([0, 2]), np.array([1.0, 0.5])), persistence=0.5)
    array([0.625])
    """
    rank = ranked.ranks
    deepest = int(rank.max(initial=1))
    terms = ranked.expected * chances(persistence, 1 << deepest.bit_length())[rank - 1]
    if cutoff is not None:
        terms = np.where(rank <= cutoff, terms, 0.0)
    return (1.0 - persistence) * list_sums(ranked.indptr, terms)


@lru_cache(maxsize=64)
def chances(persistence: float, n: int) -> Floats:
    """1, p, p^2, ..., p^(n - 1) for a persistence p, shape (n,), read-only.

    Computed in decimals of 40 digits and rounded once: powers of a processor differ from machine to machine.
    """
    times = repeat(Decimal(persistence), n - 1)
    powers = accumulate(times, Context(prec=40).multiply, initial=Decimal(1))
    return readonly(np.fromiter(map(float, powers), np.float64, n))


# Expected reciprocal rank: how soon is a reader satisfied who stops at the first good result?


def stop_chance(relevance: Floats, *, gain: Literal["linear", "exp"] = "linear", top: float = 1.0) -> Floats:
    """The chance that a result of this relevance satisfies the reader, 0 to 1. Any shape.

    The relevance clipped to 0..``top`` and divided by that ("linear"), or (2^relevance - 1) / 2^top of it
    ("exp": Chapelle et al. 2009, doi:10.1145/1645953.1646033). ``top``: the highest grade.
    """
    graded = np.clip(relevance, 0.0, top)
    return (exp2(graded) - 1.0) / 2.0**top if gain == "exp" else graded / top


def expected_reciprocal_rank(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Mean of 1 / rank at which the reader stops; who never stops within ``cutoff`` ranks adds 0.

        ERR@K = sum over i = 1..K of  (1/i) s_i * product over j < i of (1 - s_j)

    s_i is the chance that result i satisfies the reader: its relevance (linear), or (2^relevance - 1) / 2^1
    as in Chapelle et al. 2009, doi:10.1145/1645953.1646033, with 1 as the highest grade (exp). Negative
    relevance satisfies nobody, relevance above 1 always.

    Ties. Let q = 1 - s. In a random order of m tied results the chance to be still looking after j of them is
    the mean of the products of q over all choices of j of the m, so the expectation is exact (see
    `loops`).

    The gains of ``ranked`` are chances to stop (see `stop_chance`). Returns shape (n,), range 0 to 1; 0 for
    an empty list and for one without a relevant image.

    Examples
    --------
    >>> expected_reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.5, 1.0])), cutoff=2)
    array([0.75])
    """
    if ranked.groups is not None:
        loops = import_module("evalcore.ranking.loops")  # numba takes a while to import
        deepest = min(cutoff, int(np.diff(ranked.indptr).max(initial=0)))
        expected: Floats = loops.expected_stops(ranked.indptr, ranked.groups, ranked.gains, deepest)
        return expected
    stops = ranked.top(cutoff)
    return worth_of_stops(stops, stops)


def worth_of_stops(worth: Floats, stops: Floats) -> Floats:
    """Σ worth_k / k times the chance that the reader stopped at none of the ranks before k; shapes (n, K)."""
    looking = np.multiply.accumulate(1.0 - stops, axis=1)
    before = np.hstack([np.ones((len(stops), 1)), looking[:, :-1]])[:, : stops.shape[1]]
    return column_sums((worth * before / np.arange(1, stops.shape[1] + 1)).T)


# Context-aware gain: what is a result worth to somebody who has just seen better ones?

DivideBy = Literal["filled", "window"]
WINDOW = 10


def context_aware_gains(relevance: Floats, *, window: int = WINDOW, divide_by: DivideBy = "filled") -> Floats:
    """The gains of ranked results beside the best seen before them.

        r'_k = (r_k / o_k) r_k,   o_k = max(r_k, o_(k-1)),   o_(k-1) the largest original relevance before k
        g(k) = (r'_(k-w+1) + ... + r'_k) / w,   over the first k results while k < w

    Shao et al. 2019, doi:10.1145/3331184.3331343, formulas 3 and 4; w = 10 there. A result as good as any
    before keeps its relevance, a poorer one loses in the share by which it falls behind; then the last w
    results count together, since neighbours in a grid are seen together. While k < w the sum is divided by
    the k results there are ("filled"), or by w all the same ("window"), which the formula as printed allows
    too.

    Parameters
    ----------
    relevance
        Shape (n, K), best rank first, usually 0 to 1. A list that ends earlier is filled with 0: what stands
        there has no influence on the ranks before it, and is to be left out by the caller.
    window
        Results that count together, at least 1.
    divide_by
        What the sum is divided by while fewer than ``window`` results were seen.

    Returns
    -------
    gains, shape (n, K)
        In the range of the relevance; 0 where nothing relevant was seen yet. Negative relevance counts as 0.

    Examples
    --------
    >>> context_aware_gains(np.array([[0.8, 0.9, 0.3]]), window=2).round(2).tolist()
    [[0.8, 0.85, 0.5]]
    """
    values = np.maximum(relevance, 0.0)
    best = np.maximum.accumulate(values, axis=1)
    beside = np.divide(values * values, best, out=np.zeros_like(values), where=best > 0)
    beside = np.where(values == best, values, beside)  # a square that is too small for a float is not lost
    total = beside.copy()
    for back in range(1, min(window, values.shape[1])):
        total[:, back:] += beside[:, :-back]
    seen = np.arange(1, values.shape[1] + 1)
    gains: Floats = total / (np.minimum(seen, window) if divide_by == "filled" else window)
    return gains
