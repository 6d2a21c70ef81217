"""What makes a value good or poor: a share of the best possible score, the middle value, or the quarters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats

GoodBy = Literal["fixed", "middle", "quarters"]
FIXED, MIDDLE, QUARTERS = WAYS = get_args(GoodBy)
GOOD_BY = {
    FIXED: "a share of the best possible score",
    MIDDLE: "the middle value or more",
    QUARTERS: "the best quarter",
}
"""What makes a query a good one, and how it is put; the first unless the reader chooses another. The best
possible score is 1, so that a share of it means the same on every page and for every choice of systems."""


def limits(values: Floats, *, by: str, fixed: float) -> tuple[float, float]:
    """From where on values are good, and below which they are poor. ``values``: the defined ones of all.

    By the middle value, good from it on and poor below; by quarters, good from the upper quartile on and poor
    up to the lower one, which is poor unless the two are equal; else ``fixed``, a share of 1, separates them.
    """
    if by == FIXED:
        return fixed, fixed
    if not len(values):
        return 0.0, 0.0
    if by == MIDDLE:
        middle = float(np.median(values))
        return middle, middle
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return high, float(np.nextafter(low, np.inf)) if low < high else low
