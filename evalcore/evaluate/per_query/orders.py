"""The orders in which queries are listed; level ones by id, those without a value last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalcore.stats.levels import levels_of

if TYPE_CHECKING:
    from evalcore.evaluate.per_query.departures import Departures
    from evalcore.evaluate.per_query.values import PerQuery
    from evalcore.values.arrays import Floats, Offsets

Order = Literal["hardest", "easiest", "spread", "departs", "id"]
ORDERS: tuple[Order, ...] = get_args(Order)


def in_order(of: PerQuery, by: Order, *, found: Departures) -> Offsets:
    """Places of all queries in an order, shape (queries,).

    "hardest": lowest mean over the systems first; "easiest": highest first; "spread": where highest and
    lowest system lie farthest apart; "departs": where a system departs, the farthest from the median first,
    then the hardest; "id": by id. Means no further apart than `stats.levels.SAME` are level.
    """
    if by == "id":
        return np.arange(len(of.queries), dtype=np.int64)
    if by == "departs":
        hardest = in_order(of, "hardest", found=found)
        return hardest[_ascending(-found.farthest[hardest])]
    if by == "spread":
        return _ascending(-of.spreads)
    return _ascending(of.means if by == "hardest" else -of.means)


def leading_first(differences: Floats) -> Offsets:
    """Places of the queries that have a difference, the highest first; level ones by id."""
    known = np.flatnonzero(np.isfinite(differences))
    return known[_ascending(-differences[known])]


def _ascending(values: Floats) -> Offsets:
    """Lowest first; level ones stay in their order, NaN come last."""
    return np.argsort(levels_of(values), kind="stable")
