"""One grade per result out of those of several readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.arrays import Floats, Ints, frozen

if TYPE_CHECKING:
    from evalcore.agreement.ratings import Ratings

How = Literal["median", "mean"]


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """``values[i]`` of ``items[i]``, from ``n_readers[i]`` readers; ``cluster`` numbers the queries."""

    items: tuple[tuple[str, ...], ...]
    values: Floats
    n_readers: Ints
    cluster: Ints
    how: How


def consensus(ratings: Ratings, how: How = "median") -> Consensus:
    """The median (of an even number the mean of the middle two) or mean of the readers of each item.

    The median stays on the scale and one odd reader of three does not move it; the mean uses all.
    """
    of = np.nanmedian if how == "median" else np.nanmean
    values = of(ratings.values, axis=0) if ratings.items else np.empty(0)
    n = np.count_nonzero(~np.isnan(ratings.values), axis=0).astype(np.int32)
    return Consensus(ratings.items, frozen(values), frozen(n), ratings.cluster, how)
