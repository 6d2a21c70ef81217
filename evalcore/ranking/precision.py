"""Precision: how much of what is seen first is relevant?

    P@K = (relevant among the first K) / K

A shorter list is filled with nothing: the divisor stays K, as in trec_eval. Of tied ranks the exact
expectation is taken when the gains say so.
"""

from __future__ import annotations

from evalcore.ranking.gains import RankedGains
from evalcore.ranking.mean_gain import mean_gain
from evalcore.values.arrays import Floats


def precision(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Which share of the first ``cutoff`` ranks is relevant (gain above 0)?

    Returns shape (n,), range 0 to 1; 0 for an empty list.

    Examples
    --------
    >>> import numpy as np
    >>> precision(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), cutoff=2)
    array([0.5])
    """
    return mean_gain(ranked.relevant, cutoff=cutoff)
