"""Which queries are hard, for whom, and where one system stands apart: all values, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalcore.evaluate.summary import counted
from evalcore.ranking.metrics import sign_of
from evalcore.stats.levels import SAME, difference, levels_of
from evalcore.stats.sums import column_sums
from evalcore.values.arrays import readonly
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Scores
    from evalcore.values.settings import Settings

# Every query under every system as one array, and what can be read off it.


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
    def sign(self) -> int:
        """What makes the highest value the best: -1 for measures of which lower is better, else 1."""
        return sign_of(self.metric)

    @property
    def known(self) -> Bools:
        """Queries with a value under every system, shape (queries,)."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @property
    def means(self) -> Floats:
        """Difficulty: the mean over the systems, worst where a query is hard; NaN where a value is missing.

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
        """Which systems have the best value of a query, or one level with it; shape of ``values``.

        None where a value is missing.
        """
        with np.errstate(invalid="ignore"):
            values = self.sign * self.values
            return np.asarray(values >= values.max(axis=1, keepdims=True) - SAME)

    def undefined(self) -> dict[str, int]:
        """{reason: queries} of the queries without a value, those outside the pool among them."""
        result = self.reasons[self.reasons != DEFINED]
        return {REASONS[code]: int(n) for code, n in zip(*np.unique(result, return_counts=True), strict=True)}


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
    assert all(np.array_equal(score.queries, first.queries) for score in scores), "of the same queries"
    values = np.full((len(first.queries), len(scores)), np.nan)
    for column, score in zip(values.T, scores, strict=True):
        queries, of_score = counted(score, settings)
        column[np.searchsorted(first.queries, queries)] = of_score
    reasons = np.max(np.stack([score.reasons for score in scores]), axis=0)
    names = tuple(score.system for score in scores)
    return PerQuery(first.metric, names, first.queries, readonly(values), readonly(reasons))


def hard_for_all(of: PerQuery, poor_below: float) -> Bools:
    """Queries that are poor under every system: each value worse than ``poor_below``. Shape (queries,).

    A query without a value under one of the systems is not poor for all.
    """
    return np.asarray((of.sign * of.values < of.sign * poor_below).all(axis=1))


def good_for_all(of: PerQuery, good_at: float) -> Bools:
    """Queries that are good under every system: each value ``good_at`` or better. Shape (queries,).

    A query without a value under one of the systems is not good for all.
    """
    return np.asarray((of.sign * of.values >= of.sign * good_at).all(axis=1))


def outside(of: PerQuery) -> int:
    """Queries the metric never asks, as they carry no such label."""
    return int(np.count_nonzero(of.reasons == OUTSIDE_POOL))


# On which queries does one system depart from the rest? The modified z-score of Iglewicz and Hoaglin.
#
# z = 0.6745 (x - median) / MAD, with the median of all systems on that query and the median absolute
# deviation from it; beyond 3.5 in size a value departs (Iglewicz & Hoaglin 1993, How to Detect and Handle
# Outliers, ASQC Quality Press, section 3.3). Where more than half of the systems are level the MAD is 0,
# and z = (x - median) / (1.253314 MeanAD) takes its place, with the mean absolute deviation from the
# median; 1.253314 is the square root of pi / 2, which makes it a standard deviation under a normal
# distribution, as 1 / 0.6745 does the MAD.
#
# It describes and does not test: of so few systems, chance alone makes some depart.

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
    """Which systems depart from the rest, query by query: by the modified z-score, beyond ``LIMIT``.

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
    return Departures(readonly(apart), readonly(z), readonly(departs & (m >= FEWEST)))


def _modified_z(apart: Floats) -> Floats:
    """z of each distance from the median: 0.6745 of it over the MAD, and 0 where all systems are level.

    Where the MAD is 0, over 1.2533 times the mean absolute deviation (Iglewicz & Hoaglin 1993).
    """
    sizes = np.abs(apart)
    mad = np.median(sizes, axis=1, keepdims=True)
    mean = (column_sums(sizes.T) / sizes.shape[1])[:, np.newaxis]
    scale = np.where(mad > 0, mad / _MAD, _MEAN * mean)
    z: Floats = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
    return z


# What makes a value good or poor: a share of the best possible score, the middle value, or the quarters.

GoodBy = Literal["fixed", "middle", "quarters"]
FIXED, MIDDLE, QUARTERS = WAYS = get_args(GoodBy)
GOOD_BY = {
    FIXED: "a share of the best possible score",
    MIDDLE: "the middle value or more",
    QUARTERS: "the best quarter",
}
"""What makes a query a good one, and how it is put; the first unless the reader chooses another. The best
possible score is 1, so that a share of it means the same on every page and for every choice of systems."""


def limits(values: Floats, *, by: str, fixed: float, lower_is_better: bool = False) -> tuple[float, float]:
    """From where on values are good, and below which they are poor. ``values``: the defined ones of all.

    By the middle value, good from it on and poor below; by quarters, good from the upper quartile on and poor
    up to the lower one, which is poor unless the two are equal; else ``fixed``, a share of 1, separates them.
    Where ``lower_is_better`` all of it is turned round: poor is above a limit, and ranks are held against
    ``fixed`` by one over the rank, so that 0.5 is rank 2 (0: any rank is good).
    """
    if lower_is_better and by == FIXED:
        return (1 / fixed,) * 2 if fixed else (float("inf"),) * 2
    if lower_is_better:
        high, low = limits(-values, by=by, fixed=fixed)
        return 0.0 - high, 0.0 - low
    if by == FIXED:
        return fixed, fixed
    if not len(values):
        return 0.0, 0.0
    if by == MIDDLE:
        middle = float(np.median(values))
        return middle, middle
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return high, float(np.nextafter(low, np.inf)) if low < high else low


# What is found query by query, put together: the same for the page, the command and their files.

Kind = Literal["all", "hard", "good", "departs", "undefined"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIXED_AT = 0.5
"""The share of the best possible score from which on a value is good, unless the reader names another."""
BETWEEN = "; "
"""Parts several systems in one cell of a file."""


@dataclass(frozen=True, slots=True, eq=False)
class PerQueryResult:
    """The values of all queries, what is good and poor, and which query is of which kind.

    ``means``: of all systems. Shapes (queries,) but for those of ``of`` and ``departures``.
    """

    of: PerQuery
    good_at: float
    poor_below: float
    means: Floats
    hard: Bools
    good: Bools
    departures: Departures

    def kind(self, kind: Kind) -> Bools:
        """Which queries are of a kind; "departs": one system or more departs from the rest."""
        if kind == "hard":
            return self.hard
        if kind == "good":
            return self.good
        if kind == "departs":
            return np.asarray(self.departures.departs.any(axis=1))
        if kind == "undefined":
            return ~self.of.known
        return np.ones(len(self.of.queries), np.bool_)

    def count(self, kind: Kind) -> int:
        """How many queries are of a kind."""
        return int(np.count_nonzero(self.kind(kind)))

    @property
    def level_at_the_top(self) -> int:
        """Queries with a value on which two systems or more share the best one."""
        return int(np.count_nonzero(self.of.best.sum(axis=1) > 1))

    def best_alone(self) -> dict[str, int]:
        """{system: queries on which it alone has the best value}."""
        best = self.of.best
        alone = best[best.sum(axis=1) == 1].sum(axis=0)
        return dict(zip(self.of.systems, alone.tolist(), strict=True))


def look(
    of: PerQuery, *, good_by: str = FIXED, good_at: float = FIXED_AT, at_least: float = 0.0
) -> PerQueryResult:
    """Look at every query under every system.

    Parameters
    ----------
    good_by, good_at
        What makes a value good or poor (see `limits`), over the values of all systems together.
    at_least
        The distance from the median below which no system departs (see `departures`).
    """
    known = of.values[np.isfinite(of.values)]
    high, low = limits(known, by=good_by, fixed=good_at, lower_is_better=of.sign < 0)
    return PerQueryResult(
        of,
        high,
        low,
        of.means,
        hard_for_all(of, low),
        good_for_all(of, high),
        departures(of, at_least=at_least),
    )


def named(systems: Sequence[str], chosen: Bools) -> list[list[str]]:
    """The names of the chosen systems of each row; ``chosen`` is of shape (rows, systems)."""
    names: list[list[str]] = [[] for _ in range(len(chosen))]
    for row, column in zip(*(places.tolist() for places in np.nonzero(chosen)), strict=True):
        names[row].append(systems[column])
    return names


# The orders in which queries are listed; level ones by id, those without a value last.

Order = Literal["hardest", "easiest", "spread", "departs", "id"]
ORDERS: tuple[Order, ...] = get_args(Order)


def in_order(of: PerQuery, by: Order, *, outliers: Departures) -> Offsets:
    """Places of all queries in an order, shape (queries,).

    "hardest": worst mean over the systems first; "easiest": best first; "spread": where highest and
    lowest system lie farthest apart; "departs": where a system departs, the farthest from the median first,
    then the hardest; "id": by id. Means no further apart than `stats.levels.SAME` are level.
    """
    if by == "id":
        return np.arange(len(of.queries), dtype=np.int64)
    if by == "departs":
        hardest = in_order(of, "hardest", outliers=outliers)
        return hardest[_ascending(-outliers.farthest[hardest])]
    if by == "spread":
        return _ascending(-of.spreads)
    return _ascending(of.sign * (of.means if by == "hardest" else -of.means))


def leading_first(differences: Floats, sign: int = 1) -> Offsets:
    """Places of the queries that have a difference, the largest lead first; level ones by id.

    ``sign``: that of `PerQuery`.
    """
    known = np.flatnonzero(np.isfinite(differences))
    return known[_ascending(-sign * differences[known])]


def _ascending(values: Floats) -> Offsets:
    """Lowest first; level ones stay in their order, NaN come last."""
    return np.argsort(levels_of(values), kind="stable")


# Where does one system lead the others, and where does it fall behind them?

Rest = Literal["mean", "best"]
RESTS: tuple[Rest, ...] = get_args(Rest)


def against_rest(of: PerQuery, system: str, rest: Rest = "mean") -> Floats:
    """The value of one system minus the mean, or the best, of all others, query by query.

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
    if system not in of.systems:
        raise UnknownName("system", system, of.systems)
    if len(of.systems) < 2:
        raise SettingError("systems", "at least two, to compare one with the rest", list(of.systems))
    place = of.systems.index(system)
    result = np.full(len(of.values), np.nan)
    known = of.known
    values = of.values[known]
    others = np.delete(values, place, axis=1)
    if len(values):
        best = of.sign * (of.sign * others).max(axis=1)
        level = best if rest == "best" else column_sums(others.T) / others.shape[1]
        result[known] = difference(values[:, place], level)
    return result
