"""R-precision: precision where precision and recall are equal.

    Rprec = (relevant among the first R) / R

R is the number of relevant images among all candidates, as in trec_eval's Rprec: a list in which every
relevant image comes first reaches 1 whatever R is. Linear, so ties are exact by expected gains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats


def r_precision(ranked: RankedGains, n_relevant: npt.NDArray[np.integer[Any]]) -> Floats:
    """Precision of as many ranks as there are relevant images (gain above 0).

    ``n_relevant``: relevant images among all candidates of each query, shape (n,). Returns shape (n,),
    range 0 to 1; NaN where nothing is relevant, 0 for an empty list.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> r_precision(RankedGains(np.array([0, 3]), np.array([0.0, 1.0, 1.0])), np.array([2]))
    array([0.5])
    """
    within = ranked.ranks <= np.repeat(n_relevant, np.diff(ranked.indptr))
    found = list_sums(ranked.indptr, np.where(within, ranked.relevant.expected, 0.0))
    return share_of(found, n_relevant)
