"""Reciprocal rank: how soon does the first relevant image come?

    RR = 1 / (rank of the first relevant image),   0 when none is found

Ties. In the first group of equal scores that holds a relevant image (m images at ranks s+1..s+m, r of
them relevant) the first relevant one stands at rank s+j with probability C(m-j, r-1) / C(m, r); the
expectation over all orders is the sum over j of that probability / (s + j), which is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.gains import RankedGains, list_sums

if TYPE_CHECKING:
    from evalcore.model import Floats, Offsets


def reciprocal_rank(ranked: RankedGains, *, cutoff: int | None = None) -> Floats:
    """One over the rank of the first relevant image (gain above 0).

    Ranks beyond ``cutoff`` do not count (None: all). Returns shape (n,), range 0 to 1; 0 for an empty
    list and for one without a relevant image. A relative error of about 1e-11 is possible in tie
    groups of thousands (log-factorials), none without ties.

    Examples
    --------
    >>> import numpy as np
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0])))
    array([0.5])
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0]), groups=np.array([0, 2])))
    array([0.75])
    """
    relevant = (ranked.gains > 0).astype(float)
    if not len(relevant):
        return np.zeros(len(ranked))
    groups = np.arange(len(relevant) + 1) if ranked.groups is None else ranked.groups
    in_group = np.add.reduceat(relevant, groups[:-1])
    deciding = _first_per_list(ranked.indptr, groups, in_group)
    m, r = np.diff(groups)[deciding], in_group[deciding]
    j = np.arange(m.sum()) - np.repeat(np.cumsum(m) - m, m) + 1
    rank = ranked.ranks[np.repeat(groups[:-1][deciding], m)] + j - 1
    terms = _chance_of_first_at(j, np.repeat(m, m), np.repeat(r, m)) / rank
    if cutoff is not None:
        terms = np.where(rank <= cutoff, terms, 0.0)
    values = np.zeros(len(ranked))
    lists = np.searchsorted(ranked.indptr, groups[:-1][deciding], side="right") - 1
    values[lists] = list_sums(np.append(0, np.cumsum(m)), terms)
    return values


def _first_per_list(indptr: Offsets, groups: Offsets, in_group: Floats) -> Offsets:
    """The first group with a relevant image of each list that has one."""
    hits = np.flatnonzero(in_group > 0)
    lists = np.searchsorted(indptr, groups[hits], side="right") - 1
    return hits[np.unique(lists, return_index=True)[1]]


def _chance_of_first_at(j: Offsets, m: Offsets, r: Floats) -> Floats:
    """C(m-j, r-1) / C(m, r): the chance that the first of r relevant among m stands at place j."""
    from scipy.special import gammaln  # takes a fifth of a second to import

    possible = m - j >= r - 1
    rest = np.where(possible, m - j, r - 1)
    log_ways = gammaln(rest + 1) - gammaln(r) - gammaln(rest - r + 2)
    log_all = gammaln(m + 1) - gammaln(r + 1) - gammaln(m - r + 1)
    return np.where(possible, np.exp(log_ways - log_all), 0.0)
