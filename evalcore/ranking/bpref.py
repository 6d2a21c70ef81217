"""Binary preference: are relevant images placed before those judged not relevant?

    bpref = (1/R) * sum over the relevant images found of  1 - min(b, R) / min(N, R)

R relevant and N not relevant images among the judged candidates, b of the latter placed before the image.
Images nobody judged play no part: the lists hold judged images only. Buckley & Voorhees 2004,
doi:10.1145/1008992.1009000, as trec_eval computes it (a denominator of 0 means that b is 0 too).

Ties. Among m equal scores with r relevant images and n = m - r others, after b others, a relevant image has
any number x = 0..n of them ahead of it with the same chance. The expectation of min(b + x, R) is the mean
over these, which is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.gains import RankedGains, share_of
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats

Counts = npt.NDArray[np.integer[Any]]


def bpref(ranked: RankedGains, n_relevant: Counts, n_others: Counts) -> Floats:
    """How seldom an image judged not relevant stands before a relevant one.

    Parameters
    ----------
    ranked
        Gains of n lists of judged images; one is relevant when its gain is above 0.
    n_relevant, n_others
        Judged candidates of each query that are relevant, and that are not; shape (n,).

    Returns
    -------
    values, shape (n,), range 0 to 1
        NaN where nothing is relevant; 0 for an empty list.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> bpref(RankedGains(np.array([0, 3]), np.array([1.0, 0.0, 1.0])), np.array([2]), np.array([5]))
    array([0.75])
    """
    return share_of(list_sums(ranked.indptr, _terms(ranked, n_relevant, n_others)), n_relevant)


def _terms(ranked: RankedGains, n_relevant: Counts, n_others: Counts) -> Floats:
    """What every rank adds, expected over the orders of equal scores."""
    relevant = (ranked.gains > 0).astype(float)
    if not len(relevant):
        return relevant
    starts, sizes = ranked.parts[:-1], np.diff(ranked.parts)
    others = sizes - np.add.reduceat(relevant, starts)
    ahead, list_of = ranked.ahead(others)
    most = np.minimum(n_relevant, n_others)[list_of].clip(min=1)
    limit = n_relevant[list_of]
    below = np.clip(limit - ahead, 0, others + 1)  # so many of ahead + 0..others are less than the limit
    total = below * ahead + below * (below - 1) / 2 + (others + 1 - below) * limit
    terms: Floats = relevant * np.repeat(1.0 - total / (others + 1) / most, sizes)
    return terms
