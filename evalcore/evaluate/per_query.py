"""Which queries are hard, for whom, and where does one system differ: all values, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalcore.evaluate.summary import scored_queries
from evalcore.ranking.metrics import sign_of
from evalcore.stats.levels import SAME, difference, levels_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import readonly
from evalcore.values.errors import SettingError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Scores

Kind = Literal["all", "hard", "good", "undefined"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Order = Literal["hardest", "easiest", "spread", "id"]
ORDERS: tuple[Order, ...] = get_args(Order)
GOOD_AT = 0.5
"""The share of the best possible score, 1, from which on a value is good, unless the reader names another: so
it means the same on every page and for every choice of systems."""


@dataclass(frozen=True, eq=False)
class PerQuery:
    """Every query under every system by one metric.

    ``queries``: image indices, ascending, and so in the order of ids. ``values``: shape (queries, systems),
    NaN where a query has none under a system. ``reasons``: why a query has no value under some system
    (positions in `model.REASONS`), DEFINED where it has one under all; with ``undefined="zero"`` a query with
    a reason counts as 0 all the same, unless it is outside the pool. ``good_at``: the value from which on a
    query is good; a worse one is poor.
    """

    metric: str
    systems: tuple[str, ...]
    queries: Ints
    values: Floats
    reasons: npt.NDArray[np.uint8]
    good_at: float = GOOD_AT

    @property
    def sign(self) -> int:
        """What makes the highest value the best: -1 for measures of which lower is better, else 1."""
        return sign_of(self.metric)

    @cached_property
    def known(self) -> Bools:
        """Queries with a value under every system, shape (queries,)."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @cached_property
    def means(self) -> Floats:
        """Difficulty: the mean over the systems, worst where a query is hard; NaN where a value is missing.

        Shape (queries,). Each sum is rounded once, so the order of the systems plays no part.
        """
        means = np.full(len(self.values), np.nan)
        means[self.known] = column_sums(self.values[self.known].T) / len(self.systems)
        return means

    @cached_property
    def spreads(self) -> Floats:
        """Highest minus lowest value of each query; NaN where a value is missing."""
        spreads: Floats = np.ptp(self.values, axis=1)
        return spreads

    @cached_property
    def best(self) -> Bools:
        """Which systems have the best value of a query, or one level with it; shape of ``values``.

        None where a value is missing.
        """
        with np.errstate(invalid="ignore"):
            values = self.sign * self.values
            return np.asarray(values >= values.max(axis=1, keepdims=True) - SAME)

    def kind(self, kind: Kind) -> Bools:
        """Queries that are poor, or good, under every system, or have no value under one: (queries,)."""
        values, good_at = self.sign * self.values, self.sign * self.good_at
        if kind == "hard":
            return np.asarray((values < good_at).all(axis=1))
        if kind == "good":
            return np.asarray((values >= good_at).all(axis=1))
        return ~self.known if kind == "undefined" else np.ones(len(self.queries), np.bool_)

    def count(self, kind: Kind) -> int:
        """How many queries are of a kind."""
        return int(np.count_nonzero(self.kind(kind)))

    @property
    def level_at_the_top(self) -> int:
        """Queries with a value on which two systems or more share the best one."""
        return int(np.count_nonzero(self.best.sum(axis=1) > 1))

    def best_alone(self) -> dict[str, int]:
        """{system: queries on which it alone has the best value}."""
        alone = self.best[self.best.sum(axis=1) == 1].sum(axis=0)
        return dict(zip(self.systems, alone.tolist(), strict=True))


def per_query(scores: Sequence[Scores], *, good_at: float = GOOD_AT) -> PerQuery:
    """The values of several systems under one metric, query by query, as they enter a mean.

    Parameters
    ----------
    scores
        One per system, of the same study and metric; at least one. Queries without a value stay NaN or count
        as 0, as ``undefined`` of their settings says.
    good_at
        Which share of the best possible score makes a value good; of ranks one over it, so that 0.5 is rank 2
        (0: any rank is good).

    A query that a run does not answer has the value 0, as everywhere.
    """
    first = scores[0]
    assert all(np.array_equal(score.queries, first.queries) for score in scores), "of the same queries"
    values = np.full((len(first.queries), len(scores)), np.nan)
    for column, score in zip(values.T, scores, strict=True):
        queries, of_score = scored_queries(score)
        column[np.searchsorted(first.queries, queries)] = of_score
    reasons = np.max(np.stack([score.reasons for score in scores]), axis=0)
    if sign_of(first.metric) < 0:
        good_at = 1 / good_at if good_at else float("inf")
    names = tuple(score.system for score in scores)
    return PerQuery(first.metric, names, first.queries, readonly(values), readonly(reasons), good_at)


def sort_queries(per_query: PerQuery, by: Order) -> Offsets:
    """Places of all queries in an order, shape (queries,); level ones by id, those without a value last.

    "hardest": worst mean over the systems first; "easiest": best first; "spread": where highest and lowest
    system lie farthest apart; "id": by id. Means no further apart than `stats.levels.SAME` are level.
    """
    if by == "id":
        return np.arange(len(per_query.queries), dtype=np.int64)
    keys = {
        "hardest": per_query.sign * per_query.means,
        "easiest": -per_query.sign * per_query.means,
        "spread": -per_query.spreads,
    }
    return _ascending(keys[by])


def against_rest(per_query: PerQuery, system: str) -> Floats:
    """The value of one system minus the mean of all others, query by query.

    Returns
    -------
    differences, shape (queries,)
        Exactly 0 where they are level; NaN where a query has no value under some system.

    Raises
    ------
    UnknownName
        The system is not among those compared.
    SettingError
        There is no other system.
    """
    if system not in per_query.systems:
        raise UnknownName("system", system, per_query.systems)
    if len(per_query.systems) < 2:
        raise SettingError("systems", "at least two, to compare one with the rest", list(per_query.systems))
    place = per_query.systems.index(system)
    result, values = np.full(len(per_query.values), np.nan), per_query.values[per_query.known]
    others = np.delete(values, place, axis=1)
    if len(values):
        means = column_sums(others.T) / others.shape[1]
        result[per_query.known] = difference(values[:, place], means)
    return result


def leading_first(differences: Floats, sign: int = 1) -> Offsets:
    """Places of the queries that have a difference, the largest lead first; level ones by id.

    ``sign``: that of `PerQuery`.
    """
    known = np.flatnonzero(np.isfinite(differences))
    return known[_ascending(-sign * differences[known])]


def _ascending(values: Floats) -> Offsets:
    """Lowest first; level ones stay in their order, NaN come last."""
    return np.argsort(levels_of(values), kind="stable")
