"""One grade per result out of those of several readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.values.arrays import Floats, Ints, frozen

if TYPE_CHECKING:
    from evalcore.features.review.agreement.ratings import Ratings

How = Literal["median", "mean"]


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """``values[i]`` of ``items[i]``; ``cluster`` numbers the queries."""

    items: tuple[tuple[str, ...], ...]
    values: Floats
    cluster: Ints
    how: How


def consensus(ratings: Ratings, how: How = "median") -> Consensus:
    """The median (of an even number the mean of the middle two) or mean of the readers of each item.

    The median stays on the scale and one odd reader of three does not move it; the mean uses all. What
    somebody adjudicated counts as it was settled.
    """
    values, settled = ratings.values, ratings.settled
    merged, judged = np.full(len(ratings.items), np.nan), ~np.isnan(values).all(axis=0)
    merged[judged] = (np.nanmedian if how == "median" else np.nanmean)(values[:, judged], axis=0)
    for place, item in enumerate(ratings.items):
        merged[place] = settled.get(item, merged[place])
    return Consensus(ratings.items, frozen(merged), ratings.cluster, how)
