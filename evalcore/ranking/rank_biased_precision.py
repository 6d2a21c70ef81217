"""Rank-biased precision: how much does a reader gain who goes on to the next result with chance p?

    RBP = (1 - p) * sum over ranks i of  gain_i * p^(i-1)

Moffat & Zobel 2008, doi:10.1145/1416950.1416952. Gains of 0 to 1 give 0 to 1; what lies beyond the
returned list counts 0 (the residual p^n is not added). Linear, so ties are exact by expected gains.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from itertools import accumulate, repeat

import numpy as np

from evalcore.ranking.gains import RankedGains
from evalcore.stats.sums import list_sums
from evalcore.values.arrays import Floats, frozen


def rank_biased_precision(ranked: RankedGains, *, persistence: float, cutoff: int | None = None) -> Floats:
    """Expected gain per result seen by a reader of patience ``persistence`` (0 < p < 1).

    Ranks beyond ``cutoff`` do not count (None: all). Returns shape (n,); 0 for an empty list.

    Examples
    --------
    >>> import numpy as np
    >>> rank_biased_precision(RankedGains(np.array([0, 2]), np.array([1.0, 0.5])), persistence=0.5)
    array([0.625])
    """
    rank = ranked.ranks
    deepest = int(rank.max(initial=1))
    terms = ranked.expected * chances(persistence, 1 << deepest.bit_length())[rank - 1]
    if cutoff is not None:
        terms = np.where(rank <= cutoff, terms, 0.0)
    return (1.0 - persistence) * list_sums(ranked.indptr, terms)


@lru_cache(maxsize=64)
def chances(persistence: float, n: int) -> Floats:
    """1, p, p^2, ... each rounded once: a processor's own powers are not the same on every one."""
    times = repeat(Decimal(persistence), n - 1)
    powers = accumulate(times, Context(prec=40).multiply, initial=Decimal(1))
    return frozen(np.fromiter(map(float, powers), np.float64, n))
