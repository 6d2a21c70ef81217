"""Reciprocal rank: how soon does the first relevant image come?

    RR = 1 / (rank of the first relevant image),   0 when none is found

Ties. In the first group of equal scores that holds a relevant image (m images at ranks s+1..s+m, r of
them relevant) the first relevant one stands at rank s+j with probability C(m-j, r-1) / C(m, r), which is
r/m for j = 1 and then (m-j-r+1) / (m-j) of the one before. The expectation over all orders is the sum over
j of that probability / (s + j), which is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import Floats, Offsets

PLACES = 256
"""Places of a group of ties that are looked at together."""


def reciprocal_rank(ranked: RankedGains, *, cutoff: int | None = None) -> Floats:
    """One over the rank of the first relevant image (gain above 0).

    Ranks beyond ``cutoff`` do not count (None: all). Returns shape (n,), range 0 to 1; 0 for an empty
    list and for one without a relevant image. A relative error of about 1e-11 is possible in tie
    groups of tens of thousands, none without ties.

    Examples
    --------
    >>> import numpy as np
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0])))
    array([0.5])
    >>> reciprocal_rank(RankedGains(np.array([0, 2]), np.array([0.0, 1.0]), groups=np.array([0, 2])))
    array([0.75])
    """
    values = np.zeros(len(ranked))
    deciding = first_relevant_groups(ranked)
    values[deciding.lists] = _expected(deciding.first, deciding.sizes, deciding.relevant, cutoff)
    return values


class RelevantGroups(NamedTuple):
    """The first tie group with a relevant image of each list that has one: which list, the rank the group
    begins at, how many images it holds, how many of them are relevant. A result without ties is a group."""

    lists: Offsets
    first: Offsets
    sizes: Offsets
    relevant: Floats


def first_relevant_groups(ranked: RankedGains) -> RelevantGroups:
    """Where the first relevant image (gain above 0) of each list stands, or may stand."""
    relevant = (ranked.gains > 0).astype(float)
    if not len(relevant):
        none = np.empty(0, np.int64)
        return RelevantGroups(none, none, none, relevant)
    groups = ranked.parts
    in_group = np.add.reduceat(relevant, groups[:-1])
    hits = np.flatnonzero(in_group > 0)
    lists, first = np.unique(
        np.searchsorted(ranked.indptr, groups[hits], side="right") - 1, return_index=True
    )
    deciding = hits[first]
    starts = groups[:-1][deciding]
    return RelevantGroups(lists, ranked.ranks[starts], np.diff(groups)[deciding], in_group[deciding])


def _expected(first: Offsets, m: Offsets, r: Floats, cutoff: int | None) -> Floats:
    """Expected 1 / rank of the first of r relevant images among m in random order, from rank ``first`` on."""
    values, chance = np.zeros(len(m)), np.ones(len(m))
    last = np.minimum(m - r + 1, np.inf if cutoff is None else cutoff - first + 1)
    deepest = int(last.max(initial=0))
    for start in range(0, deepest, PLACES):
        place = np.arange(start, min(start + PLACES, deepest))[:, np.newaxis]
        left = (m - place).clip(min=1)
        # The chance of each place as a share of that of the place before.
        shares = (left + 1 - r).clip(min=0) / left
        shares[0] = chance * shares[0] if start else r / m
        chances = np.multiply.accumulate(shares, axis=0)
        values += column_sums(np.where(place < last, chances / (first + place), 0.0))
        chance = chances[-1]
    return values
