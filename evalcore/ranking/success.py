"""Success: is anything relevant among the first K?

    Success@K = 1 when one of the first K is relevant, else 0

As trec_eval's success, and the hit rate of other fields.

Ties. In the first group of equal scores that holds a relevant image (m images from rank f on, r of them
relevant) the first j = K - f + 1 are seen. In a random order none of them is relevant with probability
C(m-r, j) / C(m, j), which is the product over i < j of (m-r-i) / (m-i); the expectation is 1 less that,
which is exact.
"""

from __future__ import annotations

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.ranking.reciprocal_rank import PLACES, first_relevant_groups
from evalcore.values.arrays import Floats, Offsets


def success(ranked: RankedGains, *, cutoff: int) -> Floats:
    """Whether one of the first ``cutoff`` ranks is relevant (gain above 0).

    Returns shape (n,): 0 or 1, in between where ties decide; 0 for an empty list.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> success(RankedGains(np.array([0, 2, 3]), np.array([0.0, 1.0, 0.0])), cutoff=2).tolist()
    [1.0, 0.0]
    >>> success(RankedGains(np.array([0, 2]), np.array([0.0, 1.0]), groups=np.array([0, 2])), cutoff=1)
    array([0.5])
    """
    values = np.zeros(len(ranked))
    deciding = first_relevant_groups(ranked)
    seen = np.clip(cutoff - deciding.first + 1, 0, deciding.sizes)
    values[deciding.lists] = 1.0 - _missed(deciding.sizes, deciding.relevant, seen)
    return values


def _missed(m: Offsets, r: Floats, seen: Offsets) -> Floats:
    """The chance that the first ``seen`` of m images in random order hold none of the r relevant ones."""
    missed = np.ones(len(m))
    for start in range(0, int(seen.max(initial=0)), PLACES):
        place = np.arange(start, start + PLACES)[:, np.newaxis]
        shares = (m - r - place).clip(min=0) / (m - place).clip(min=1)
        missed = np.multiply.reduce(np.where(place < seen, shares, 1.0), axis=0, initial=1.0) * missed
    return missed
