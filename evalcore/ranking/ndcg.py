"""Discounted cumulative gain, and its share of the ideal.

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
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.portable_math import exp2, log2


def gain_of(relevance: Floats, *, gain: Literal["linear", "exp"] = "linear") -> Floats:
    """Gain of a relevance: itself, or 2^relevance - 1; 0 for a negative relevance. Any shape."""
    positive = np.maximum(relevance, 0.0)
    return exp2(positive) - 1.0 if gain == "exp" else positive


def discounts(cutoff: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1..cutoff."""
    return 1.0 / log2(np.arange(2, cutoff + 2))


def dcg(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Gain of the first ``cutoff`` ranks, discounted by rank; shape (n,), 0 for an empty list."""
    return _discounted(ranked.top(cutoff))


def ndcg(ranked: RankedGains, ideal: Floats, *, cutoff: int) -> Floats:
    """Which share of the best possible discounted gain did each list reach?

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
    >>> import numpy as np
    >>> ndcg(RankedGains(np.array([0, 2]), np.array([0.0, 0.5])), np.array([[0.5, 0.0]]), cutoff=2).round(4)
    array([0.6309])
    """
    return share_of(dcg(ranked, cutoff=cutoff), _discounted(ideal[:, :cutoff]))


def ideal_of_labels(n_relevant: Offsets, cutoff: int) -> Floats:
    """The ideal where an image has gain 1 or none: 1 for as many ranks as images are relevant."""
    depth = min(cutoff, max(int(n_relevant.max(initial=0)), 1))
    return (np.arange(depth) < n_relevant[:, np.newaxis]).astype(float)


def _discounted(gains: Floats) -> Floats:
    return column_sums((gains * discounts(gains.shape[1])).T)
