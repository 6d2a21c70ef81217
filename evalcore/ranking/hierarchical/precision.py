"""Hierarchical precision: how relevant are the first results, compared with the best possible ones?

    HP@K  = sum of sim over the first K / the largest such sum
    AHP@K = mean of HP@k over k = 1..K

Barz & Denzler 2019, arXiv 1809.09924, with the similarity of classes as sim; any relevance may stand for it.
Their published evaluation takes the area under HP@k by trapezoids and divides it by K, which gives even a
perfect list (K-1)/K; that is ``trapezoid`` here. Both are linear in the relevance, so expected relevances
give the exact expectation over ties.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats

Area = Literal["mean", "trapezoid"]


def positive(relevance: Floats, *, gain: str = "linear") -> Floats:  # noqa: ARG001
    """Relevance as it is, 0 for a negative one, whatever gain other measures take."""
    return np.maximum(relevance, 0.0)


def hierarchical_precision(ranked: RankedGains, ideal: Floats, *, cutoff: int) -> Floats:
    """HP@``cutoff`` of every list, shape (n,), 0 to 1; NaN where nothing is relevant.

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
    """
    best, found = (np.zeros((len(ranked), cutoff)) for _ in range(2))
    top, ideal = ranked.top(cutoff), ideal[:, :cutoff]
    found[:, : top.shape[1]] = top
    best[:, : ideal.shape[1]] = ideal
    found, best = np.cumsum(found, axis=1), np.cumsum(best, axis=1)
    shares = np.divide(found, best, out=np.full_like(found, np.nan), where=best > 0)
    if area == "trapezoid":
        shares[:, 0] /= 2
        shares[:, -1] /= 2
        if cutoff == 1:
            shares[:] *= 0
    values: Floats = column_sums(shares.T) / cutoff
    return values
