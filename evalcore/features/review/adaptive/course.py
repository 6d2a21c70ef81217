"""The course of a task that asks only what decides: rounds of drawn queries, and a look after each.

On a table queries x systems of scores, of which only those of drawn queries are known. See the package's
docstring for the method. Nothing here knows readers, results or files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import ndtr, stdtrit

from evalcore.features.review.adaptive.boundaries import Looks, spent

if TYPE_CHECKING:
    from evalcore.values.arrays import Bools, Floats, Ints

Claim = Literal["best", "order", "value"]
CLAIMS: tuple[Claim, ...] = get_args(Claim)
Reason = Literal["decided", "budget", "all judged"]

EQUAL = 0.2
"""Share of the chances of a draw that all queries have equally."""
LOOKS = 8
"""Rounds into which the most that is judged is divided."""
FEWEST = 10
"""Draws before anything can be decided: the spread of fewer is hardly known."""
LEAST_SPREAD = 0.05
"""Standard deviation of a difference that is assumed at least: a few answers that are alike prove nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """What there is to judge, and what for.

    prior
        Scores by an automatic measure, shape (queries, systems), on any scale; None without one.
    apart
        How much of the lists of two systems differs, 0 to 1, shape (queries, systems, systems).
    asked, query_of
        Items: which systems each is asked for, shape (items, systems), and the place of its query.
    at_most
        Items judged at most.
    within
        Of the claim "value": half the width of the intervals that is enough.
    middle
        A score where nothing is known: the middle of the scale.
    seed
        Of the draws.
    """

    claim: Claim
    apart: Floats
    asked: Bools
    query_of: Ints
    at_most: int
    seed: int
    prior: Floats | None = None
    within: float = 0.05
    level: float = 0.95
    middle: float = 0.5

    @property
    def n(self) -> int:
        """Queries."""
        return len(self.apart)

    @property
    def n_systems(self) -> int:
        return int(self.apart.shape[1])

    def items(self, active: tuple[int, ...]) -> Ints:
        """How many items each query has for these systems, shape (queries,)."""
        wanted = self.asked[:, list(active)].any(axis=1)
        return np.bincount(self.query_of[wanted], minlength=self.n).astype(np.int32)

    @property
    def alpha(self) -> float:
        """The level of one test of those the claim needs.

        The best system must be apart from every other one, so that each pair has the whole level: a wrong
        claim is most likely where two are equal and all others far below (Gutmann & Maymin 1987,
        doi:10.1214/aos/1176350389). An order is wrong with any of its pairs.
        """
        k = self.n_systems
        tests = {"best": 1, "order": k * (k - 1) // 2, "value": k}[self.claim]
        return (1 - self.level) / max(tests, 1)


class Round(NamedTuple):
    """Queries drawn, in the order of the draws, each with its chance among those left before it.

    ``active``: the systems that are asked about. ``predicted``: scores as they were expected before, shape
    (queries of the pool, systems).
    """

    queries: Ints
    chances: Floats
    active: tuple[int, ...]
    predicted: Floats


class Estimate(NamedTuple):
    """A mean over all queries, or a difference of two; the interval holds at all looks together."""

    value: float
    se: float
    low: float
    high: float
    n: int


class _Draws(NamedTuple):
    """The draws of a round: what each says of the means and the scores, both (draws, systems), its chance;
    and the systems that were asked about."""

    estimates: Floats
    scores: Floats
    chances: Floats
    asked: Bools


def _before(values: Floats) -> Floats:
    """The sum of the rows before each."""
    return np.cumsum(values, axis=0) - values


def _of_draws(n: int, draws: int) -> Floats:
    """How much the estimate of each draw counts among those of all: fixed before anything is judged."""
    shares = 1.0 / (n - np.arange(draws)) ** 2
    return np.asarray(shares / shares.sum())


@dataclass(slots=True, eq=False)
class Course:
    """What was drawn, what is known, and whether it is enough.

    ``rounds``: also the open one, which is the last unless judging stopped. ``scores``: of the rounds that
    are over, NaN elsewhere. ``beats[a, b]``: that a is better than b is decided. ``reason``: why judging
    stopped, None while it goes on. ``left``: about how many items are still to be judged. ``critical``:
    standard errors to each side of the intervals at the last look.
    """

    pool: Pool
    rounds: list[Round] = field(default_factory=list)
    over: int = 0
    scores: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    beats: Bools = field(default_factory=lambda: np.zeros((0, 0), bool))
    reason: Reason | None = None
    left: int = 0
    looks: Looks = field(default_factory=Looks)
    critical: float = float("inf")
    _draws: list[_Draws] = field(default_factory=list)

    @property
    def used(self) -> int:
        """Items of all rounds."""
        return sum(int(self.pool.items(one.active)[one.queries].sum()) for one in self.rounds)

    @property
    def drawn(self) -> Ints:
        """Queries of the rounds that are over, in the order of the draws."""
        done = [one.queries for one in self.rounds[: self.over]]
        return np.concatenate(done) if done else np.zeros(0, np.int64)

    @property
    def active(self) -> tuple[int, ...]:
        """The systems that the claim is still about."""
        k = self.pool.n_systems
        if self.pool.claim == "value":
            return tuple(range(k))
        if self.pool.claim == "best":
            return tuple(int(one) for one in np.flatnonzero(~self.beats.any(axis=0)))
        known = self.beats | self.beats.T | np.eye(k, dtype=bool)
        return tuple(int(one) for one in np.flatnonzero(~known.all(axis=1)))

    def count(self, scores: list[Floats]) -> None:
        """Take in the scores of the first rounds, in place of what was known: the estimate of every draw."""
        pool, k = self.pool, self.pool.n_systems
        self.scores = np.full((pool.n, k), np.nan)
        self.over, self._draws = len(scores), []
        for one, given in zip(self.rounds, scores, strict=False):
            expected = one.predicted[one.queries]
            asked = np.isin(np.arange(k), one.active)
            values = np.where(np.isnan(given) | ~asked, expected, given)
            done = ~np.isnan(self.scores[:, 0])
            # what is judged before each draw, and what is predicted of the rest
            known = self.scores[done].sum(axis=0) + _before(values)
            rest = one.predicted[~done].sum(axis=0) - _before(expected)
            estimates = (known + rest + (values - expected) / one.chances[:, None]) / pool.n
            self._draws.append(_Draws(estimates, values, one.chances, asked))
            self.scores[one.queries] = values

    @property
    def weights(self) -> Floats:
        """How much each of the `drawn` queries counts in a mean over all, shape (drawn,).

        The sum of weights times values is the estimate of `mean` without a prediction: unbiased for the mean
        of anything that is known of a query once it is drawn. Their sum is 1 on average, so that divided by
        it they give a ratio estimate (Hajek). Of each draw: its share by the inverse of its chance, and the
        shares of the later draws, to which it is known.
        """
        drawn = self.drawn
        shares = _of_draws(self.pool.n, len(drawn))
        chances = np.concatenate([one.chances for one in self.rounds[: self.over]] or [np.zeros(0)])
        later = shares[::-1].cumsum()[::-1] - shares
        return np.asarray((shares / chances + later) / self.pool.n)

    def mean(self, system: int) -> Estimate:
        """The mean score of a system over all queries, from the rounds in which it was asked about."""
        return self._estimate(np.eye(self.pool.n_systems)[system])

    def difference(self, a: int, b: int) -> Estimate:
        """By how much a scores more than b, from the rounds in which both were asked about."""
        eye = np.eye(self.pool.n_systems)
        return self._estimate(eye[a] - eye[b])

    def _estimate(self, contrast: Floats) -> Estimate:
        """Of a weighted sum of systems, from the draws in which all of them were asked about."""
        some = contrast != 0
        parts = [one for one in self._draws if one.asked[some].all()]
        if not parts:
            return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
        n = self.pool.n
        z = np.concatenate([one.estimates[:, some] for one in parts]) @ contrast[some]
        score = np.concatenate([one.scores[:, some] for one in parts]) @ contrast[some]
        chances = np.concatenate([one.chances for one in parts])
        left = n - np.arange(len(z))
        weights = _of_draws(n, len(z))
        value = float(weights @ z)
        if len(z) < 2:
            return Estimate(value, np.nan, np.nan, np.nan, len(z))
        free = 1 - weights
        of_draws = float(np.sum((weights * (z - value))[free > 1e-9] ** 2 / free[free > 1e-9]))
        like = 1 / (chances * left)
        like /= like.sum()
        spread = float(like @ (score - like @ score) ** 2) * len(z) / (len(z) - 1)
        least = LEAST_SPREAD**2 / len(z)
        se = sqrt(max(of_draws + spread / n, least))
        half = self.critical * se
        return Estimate(value, se, value - half, value + half, len(z))

    @property
    def leader(self) -> int:
        """The system with the highest mean of those in contention; the first of equal ones."""
        means = {one: self.mean(one).value for one in range(self.pool.n_systems)}
        among = [one for one in self.active if means[one] == means[one]] or list(means)
        return max(among, key=lambda one: (np.nan_to_num(means[one], nan=-np.inf), -one))


ScoresOf = Callable[[list[Round]], "list[Floats] | None"]
"""The scores of all rounds, each by its queries and all systems, shape (its queries, systems); None while the
last is not over. A score that no reader could give is NaN."""


def follow(pool: Pool, scores_of: ScoresOf) -> Course:
    """The course as far as there are answers. A score that no reader could give counts as predicted."""
    k = pool.n_systems
    course = Course(pool, scores=np.full((pool.n, k), np.nan), beats=np.zeros((k, k), bool))
    while course.reason is None:
        course.rounds.append(_deal(course))
        scores = scores_of(course.rounds)
        if scores is None:
            break
        course.count(scores)
        _look(course)
    course.left = _left(course)
    return course


def _deal(course: Course) -> Round:
    """The next round; the pool has a query left, and room for it."""
    pool, active = course.pool, course.active
    left = np.ones(pool.n, bool)
    left[course.drawn] = False
    per_round = max(
        1, round(pool.at_most / np.maximum(pool.items(tuple(range(pool.n_systems))), 1).mean() / LOOKS)
    )
    size = min(per_round, int(left.sum()), max(1, _room(course, left)))
    pull = pull_of(course)
    stream = np.random.PCG64([pool.seed, len(course.rounds)])
    queries, chances = np.zeros(size, np.int64), np.zeros(size)
    for place in range(size):
        rest, chance = chances_of(pull, left)
        at = (int(stream.random_raw()) >> 11) * 2.0**-53
        chosen = min(int(np.searchsorted(np.cumsum(chance), at, side="right")), len(rest) - 1)
        queries[place], chances[place] = rest[chosen], chance[chosen]
        left[rest[chosen]] = False
    return Round(queries, chances, active, predicted(course))


def pull_of(course: Course) -> Floats:
    """How much each query would tell for what it takes, shape (queries,), on any scale: the spread to be
    expected of the answer, by the root of its items."""
    return np.sqrt(_doubt(course) / np.maximum(course.pool.items(course.active), 1))


def chances_of(pull: Floats, left: Bools) -> tuple[Ints, Floats]:
    """The queries that are left, and the chance of each to be drawn next."""
    rest = np.flatnonzero(left)
    total = pull[rest].sum()
    share = np.full(len(rest), 1 / len(rest))
    return rest.astype(np.int32), EQUAL * share + (1 - EQUAL) * (pull[rest] / total if total > 0 else share)


def _room(course: Course, left: Bools) -> int:
    """For how many more queries there is room, whichever they are."""
    items = np.maximum(course.pool.items(course.active), 1)
    return int((course.pool.at_most - course.used) // items[left].max()) if left.any() else 0


def _doubt(course: Course) -> Floats:
    """How uncertain the score of each query is that the claim needs: the shares of the lists that differ,
    of the pairs of systems in contention; the pairs that are nearest to a decision count most."""
    pool = course.pool
    if pool.claim == "value":
        return np.ones(pool.n)
    pairs = [pair for pair in combinations(course.active, 2) if not course.beats[pair] | course.beats.T[pair]]
    leader = course.leader
    if pool.claim == "best" and course.over:
        pairs = [pair for pair in pairs if leader in pair]
    weights = []
    for a, b in pairs:
        one = course.difference(a, b)
        z = abs(one.value) / one.se if one.se > 0 else 0.0
        weights.append(1 / max(z, 1.0) ** 2)
    whole = np.array(weights) / sum(weights)
    doubt: Floats = np.array([pool.apart[:, a, b] for a, b in pairs]).T @ whole
    return doubt


def predicted(course: Course) -> Floats:
    """Scores of all queries and systems as the answers so far and the prior let expect them.

    A line on the prior, one slope for the mean of a query and one for what a system has beyond it, with a
    level of each system; shrunken, as few answers say little.
    """
    pool, scores = course.pool, course.scores
    known = ~np.isnan(scores).any(axis=1)
    n = int(known.sum())
    if n < 3:
        return np.full(scores.shape, pool.middle)
    y = scores[known]
    level = y.mean(axis=0)
    level = level.mean() + (level - level.mean()) * n / (n + 5)
    result = np.broadcast_to(level, scores.shape)
    if pool.prior is None:
        return result.copy()
    x = pool.prior - pool.prior[known].mean(axis=0)
    own, mean = x - x.mean(axis=1, keepdims=True), x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=0)
    y_mean = y.mean(axis=1, keepdims=True)
    result = result + _slope(own[known], y - y_mean) * own + _slope(mean[known], y_mean) * mean
    return np.asarray(result)


def _slope(x: Floats, y: Floats) -> float:
    """Of least squares through 0, not below 0, drawn to 0 as if a tenth more had none."""
    squares = float((x * x).sum())
    n = len(x)
    return max(float((x * y).sum()), 0.0) / squares * n / (n + 5) if squares > 0 else 0.0


def _look(course: Course) -> None:
    """What is decided after a round, and whether another one follows."""
    pool = course.pool
    left = np.ones(pool.n, bool)
    left[course.drawn] = False
    last = not left.any() or _room(course, left) < 1
    share = 1.0 if last else course.used / pool.at_most
    n = len(course.drawn)
    bound = course.looks.next(spent(min(share, 1.0), pool.alpha), float(n))
    course.critical = float(-stdtrit(n - 1, max(float(ndtr(-bound)), 1e-300))) if n > 1 else float("inf")
    if n >= FEWEST or not left.any():
        _decide(course)
    done = not course.active if pool.claim == "order" else len(course.active) < 2
    if pool.claim == "value":
        done = len(course.drawn) >= FEWEST and all(_half(course, one) <= pool.within for one in course.active)
    if done:
        course.reason = "decided"
    elif last:
        course.reason = "budget" if left.any() else "all judged"


def _decide(course: Course) -> None:
    if course.pool.claim == "value":
        return
    for a, b in combinations(course.active, 2):
        if not (course.beats[a, b] or course.beats[b, a]):
            one = course.difference(a, b)
            course.beats[a, b], course.beats[b, a] = one.low > 0, one.high < 0
    if course.pool.claim == "order":  # what follows from two of them
        for b in range(course.pool.n_systems):
            course.beats |= np.outer(course.beats[:, b], course.beats[b])


def _half(course: Course, system: int) -> float:
    one = course.mean(system)
    return (one.high - one.low) / 2


def _left(course: Course) -> int:
    """About how many items are still to be judged, if differences and spreads stay as they are."""
    pool, used = course.pool, course.used
    if course.reason is not None:
        return 0
    now = course.rounds[-1]
    own = int(pool.items(now.active)[now.queries].sum())
    most, before = pool.at_most - used + own, used - own
    if len(course.drawn) < FEWEST:
        return most
    share, need = max(before / pool.at_most, 1e-9), 1.0
    if pool.claim == "value":
        half = max(_half(course, one) for one in course.active)
        need = share * (half / pool.within) ** 2
    else:
        last = -stdtrit(max(len(course.drawn) - 1, 1), pool.alpha / 2)
        pairs = [
            pair for pair in combinations(course.active, 2) if not course.beats[pair] | course.beats.T[pair]
        ]
        if pool.claim == "best":
            pairs = [pair for pair in pairs if course.leader in pair]
        each = [course.difference(a, b) for a, b in pairs]
        need = max(last * sqrt(share) * one.se / max(abs(one.value), 1e-12) for one in each)
    return int(min(max(need * pool.at_most - before, own), most))
