"""Recall: how much of what is relevant is among the first K?

    Recall@K = (relevant among the first K) / R

R is the number of relevant images among all candidates, found or not, as in trec_eval's recall. Linear in the
gains, so of tied ranks the exact expectation is taken when the gains say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats


def recall(ranked: RankedGains, n_relevant: npt.NDArray[np.integer[Any]], *, cutoff: int) -> Floats:
    """Which share of the relevant images (gain above 0) stands among the first ``cutoff`` ranks?

    ``n_relevant``: relevant images among all candidates of each query, shape (n,). Returns shape (n,),
    range 0 to 1; NaN where nothing is relevant, 0 for an empty list.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> recall(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), np.array([4]), cutoff=2)
    array([0.25])
    """
    return share_of(column_sums(ranked.relevant.top(cutoff).T), n_relevant)
