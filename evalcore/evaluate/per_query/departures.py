"""On which queries does one system depart from the rest? The modified z-score of Iglewicz and Hoaglin.

z = 0.6745 (x - median) / MAD, with the median of all systems on that query and the median absolute deviation
from it; beyond 3.5 in size a value departs (Iglewicz & Hoaglin 1993, How to Detect and Handle Outliers, ASQC
Quality Press, section 3.3). Where more than half of the systems are level the MAD is 0, and
z = (x - median) / (1.253314 MeanAD) takes its place, with the mean absolute deviation from the median;
1.253314 is the square root of pi / 2, which makes it a standard deviation under a normal distribution, as
1 / 0.6745 does the MAD.

It describes and does not test: of so few systems, chance alone makes some depart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.levels import SAME, difference
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import frozen

if TYPE_CHECKING:
    from evalcore.evaluate.per_query.values import PerQuery
    from evalcore.values.arrays import Bools, Floats

LIMIT = 3.5
"""Size of z beyond which a value departs."""
FEWEST = 4
"""Systems that are needed: the rest of a smaller number says too little."""
_MAD, _MEAN = 0.6745, 1.253314


@dataclass(frozen=True, slots=True, eq=False)
class Departures:
    """``apart``: each value minus the median of its query; ``z``; ``departs``: whether z is beyond the limit.

    All of shape (queries, systems); NaN (not departing) where a query has no value under some system.
    """

    apart: Floats
    z: Floats
    departs: Bools

    @property
    def farthest(self) -> Floats:
        """Distance from the median of the farthest value that departs, shape (queries,); 0 for none."""
        far: Floats = np.where(self.departs, np.abs(self.apart), 0.0).max(axis=1, initial=0.0)
        return far


def departures(of: PerQuery, *, at_least: float = 0.0) -> Departures:
    """Which systems depart from the rest, query by query.

    Parameters
    ----------
    of
        Fewer than ``FEWEST`` systems: none departs.
    at_least
        A value nearer to the median than this does not depart, however close the others lie together.
    """
    n, m = of.values.shape
    apart, z = np.full((n, m), np.nan), np.full((n, m), np.nan)
    known = of.known
    values = of.values[known]
    if m and len(values):
        from_median = difference(values, np.median(values, axis=1, keepdims=True))
        apart[known], z[known] = from_median, _modified_z(from_median)
    with np.errstate(invalid="ignore"):
        departs = (np.abs(z) > LIMIT) & (np.abs(apart) >= at_least - SAME)
    return Departures(frozen(apart), frozen(z), frozen(departs & (m >= FEWEST)))


def _modified_z(apart: Floats) -> Floats:
    """z of each distance from the median; 0 where all systems are level."""
    sizes = np.abs(apart)
    mad = np.median(sizes, axis=1, keepdims=True)
    mean = (column_sums(sizes.T) / sizes.shape[1])[:, np.newaxis]
    scale = np.where(mad > 0, mad / _MAD, _MEAN * mean)
    z: Floats = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
    return z
