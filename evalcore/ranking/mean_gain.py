"""Mean and best relevance of the top: how relevant is a result among the first K, and the best of them?

    mean@K = (rel_1 + ... + rel_K) / K

With graded relevance the counterpart of precision; no discount, no ideal. A shorter list is filled
with relevance 0. Linear, so ties are exact by expected gains.
"""

from __future__ import annotations

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats


def mean_gain(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Mean gain of the first ``cutoff`` ranks.

    Returns shape (n,), in the range of the gains; 0 for an empty list.

    Examples
    --------
    >>> import numpy as np
    >>> mean_gain(RankedGains(np.array([0, 1]), np.array([0.5])), cutoff=2)
    array([0.25])
    """
    return column_sums(ranked.top(cutoff).T) / cutoff


def best_gain(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Largest gain of the first ``cutoff`` ranks, in the order given: equal scores are not averaged over.

    Returns shape (n,); 0 for an empty list and where all gains are negative.
    """
    return np.asarray(ranked.top(cutoff).max(axis=1, initial=0.0), np.float64)
