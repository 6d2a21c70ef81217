"""Every query under every system as one array, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.policy import counted_or_nan
from evalcore.stats.levels import SAME
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import frozen
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evalcore.values.arrays import Bools, Floats, Ints
    from evalcore.values.model import Scores
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class PerQuery:
    """One metric: ``values`` of shape (queries, systems), NaN where a query has none under a system.

    ``queries``: image indices, ascending, and so in the order of ids. ``reasons``: why a query has no value
    under some system (positions in `model.REASONS`), DEFINED where it has one under all; with
    ``undefined="zero"`` a query with a reason counts as 0 all the same, unless it is outside the pool.
    """

    metric: str
    systems: tuple[str, ...]
    queries: Ints
    values: Floats
    reasons: npt.NDArray[np.uint8]

    @property
    def known(self) -> Bools:
        """Queries with a value under every system, shape (queries,)."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @property
    def means(self) -> Floats:
        """Difficulty: the mean over the systems, low where a query is hard; NaN where a value is missing.

        Shape (queries,). Each sum is rounded once, so the order of the systems plays no part.
        """
        means = np.full(len(self.values), np.nan)
        known = self.known
        means[known] = column_sums(self.values[known].T) / len(self.systems)
        return means

    @property
    def spreads(self) -> Floats:
        """Highest minus lowest value of each query; NaN where a value is missing."""
        spreads: Floats = np.ptp(self.values, axis=1)
        return spreads

    @property
    def best(self) -> Bools:
        """Which systems have the highest value of a query, or one level with it; shape of ``values``.

        None where a value is missing.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(self.values >= self.values.max(axis=1, keepdims=True) - SAME)

    def undefined(self) -> dict[str, int]:
        """{reason: queries} of the queries without a value, those outside the pool among them."""
        found = self.reasons[self.reasons != DEFINED]
        return {REASONS[code]: int(n) for code, n in zip(*np.unique(found, return_counts=True), strict=True)}


def per_query(scores: Sequence[Scores], *, settings: Settings) -> PerQuery:
    """The values of several systems under one metric, query by query, as they enter a mean.

    Parameters
    ----------
    scores
        One per system, of the same study and metric; at least one.
    settings
        ``undefined``: whether queries without a value stay NaN ("skip") or count as 0 ("zero").

    A query that a run does not answer has the value 0, as everywhere.
    """
    first = scores[0]
    assert all(np.array_equal(one.queries, first.queries) for one in scores), "of the same queries"
    values = np.column_stack([counted_or_nan(one, settings) for one in scores])
    reasons = np.max(np.stack([one.reasons for one in scores]), axis=0)
    names = tuple(one.system for one in scores)
    return PerQuery(first.metric, names, first.queries, frozen(values), frozen(reasons))


def hard_for_all(of: PerQuery, poor_below: float) -> Bools:
    """Queries that are poor under every system: each value below the limit; shape (queries,)."""
    return np.asarray((of.values < poor_below).all(axis=1))


def good_for_all(of: PerQuery, good_at: float) -> Bools:
    """Queries that are good under every system: each value at the limit or above it; shape (queries,)."""
    return np.asarray((of.values >= good_at).all(axis=1))


def outside(of: PerQuery) -> int:
    """Queries the metric never asks, as they carry no such label."""
    return int(np.count_nonzero(of.reasons == OUTSIDE_POOL))
