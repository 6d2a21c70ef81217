"""Average precision: are the relevant images found, and found early?

    AP = (1 / R) * sum over the ranks i that hold a relevant image of P@i

R is the number of relevant images among all candidates, found or not, as in trec_eval's map.

Ties. Let a group of m equal scores cover ranks s+1..s+m, r of its images relevant, with b relevant
images ahead of it. In a random order rank s+j is relevant with probability r/m, and two ranks of the
group are with probability r(r-1) / (m(m-1)). The expected contribution of rank s+j is therefore

    [ (b + 1) * r/m + (j - 1) * r(r-1) / (m(m-1)) ] / (s + j)

which is exact (McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38), and for m = 1 the plain AP.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats


def average_precision(
    ranked: RankedGains, n_relevant: npt.NDArray[np.integer[Any]], *, cutoff: int | None = None
) -> Floats:
    """Mean of the precision at each relevant image; what is not found counts 0.

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
    >>> import numpy as np
    >>> average_precision(RankedGains(np.array([0, 3]), np.array([1.0, 0.0, 1.0])), np.array([2])).round(4)
    array([0.8333])
    """
    terms = _expected_terms(ranked)
    if cutoff is not None:
        terms = np.where(ranked.ranks <= cutoff, terms, 0.0)
    return share_of(list_sums(ranked.indptr, terms), n_relevant)


def _expected_terms(ranked: RankedGains) -> Floats:
    """Expected precision-if-relevant of every rank, by the formula above; plain AP without ties."""
    relevant = (ranked.gains > 0).astype(float)
    if not len(relevant):
        return relevant
    rank = ranked.ranks
    if ranked.groups is None:
        plain: Floats = relevant * ranked.found / rank
        return plain
    starts, sizes = ranked.groups[:-1], np.diff(ranked.groups)
    in_group = np.add.reduceat(relevant, starts)
    ahead, _ = ranked.ahead(in_group)
    m, r = sizes.astype(float), in_group
    both = r * (r - 1) / np.maximum(m * (m - 1), 1)
    place = rank - np.repeat(rank[starts], sizes)  # j - 1
    terms: Floats = (np.repeat((ahead + 1) * r / m, sizes) + place * np.repeat(both, sizes)) / rank
    return terms
