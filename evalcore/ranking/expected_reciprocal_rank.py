"""Expected reciprocal rank: how soon is a reader satisfied who stops at the first good result?

    ERR@K = sum over i = 1..K of  (1/i) s_i * product over j < i of (1 - s_j)

s_i is the chance that result i satisfies the reader: its relevance (linear), or (2^relevance - 1) / 2^1 as
in Chapelle et al. 2009, doi:10.1145/1645953.1646033, with 1 as the highest grade (exp). Negative relevance
satisfies nobody, relevance above 1 always.

Ties. Let q = 1 - s. In a random order of m tied results the chance to be still looking after j of them is the
mean of the products of q over all choices of j of the m, so the expectation is exact (see `loops_ties`).
"""

from __future__ import annotations

from importlib import import_module
from typing import Literal

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats
from evalcore.values.portable_math import exp2


def stop_chance(relevance: Floats, *, gain: Literal["linear", "exp"] = "linear") -> Floats:
    """The chance that a result of this relevance satisfies the reader, 0 to 1. Any shape."""
    graded = np.clip(relevance, 0.0, 1.0)
    return (exp2(graded) - 1.0) / 2.0 if gain == "exp" else graded


def expected_reciprocal_rank(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Mean of 1 / rank at which the reader stops; who never stops within ``cutoff`` ranks adds 0.

    The gains of ``ranked`` are chances to stop (see `stop_chance`). Returns shape (n,), range 0 to 1; 0 for
    an empty list and for one without a relevant image.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> expected_reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.5, 1.0])), cutoff=2)
    array([0.75])
    """
    if ranked.groups is not None:
        loops = import_module("evalcore.ranking.loops_ties")  # numba takes a while to import
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
