"""Draws with known chances: estimates over all possible draws, and when judging stops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from evalcore.features.review.adaptive.course import (
    Course,
    Pool,
    Round,
    chances_of,
    follow,
    predicted,
    pull_of,
)

RNG = np.random.default_rng(5)


def pool(n: int, k: int, **given: object) -> Pool:
    """Two results of each system for a query, of which two systems share one now and then."""
    rng = np.random.default_rng(3)
    apart = rng.choice([0.5, 1.0], (n, k, k))
    apart = (apart + apart.transpose(0, 2, 1)) / 2 * (1 - np.eye(k))
    asked = np.tile(np.repeat(np.eye(k, dtype=bool), 2, axis=0), (n, 1))
    usual = {"claim": "best", "at_most": n * k * 2, "seed": 1}
    query_of = np.repeat(np.arange(n), 2 * k).astype(np.int32)
    return Pool(**{**usual, "apart": apart, "asked": asked, "query_of": query_of, **given})  # type: ignore[arg-type]


def every_draw(course: Course, truth: np.ndarray, sizes: list[int]) -> Iterator[tuple[float, Course]]:
    """Each way the rounds can be drawn, with its chance, after all of them are judged."""
    if not sizes:
        yield 1.0, course
        return

    def orders(pull: np.ndarray, left: np.ndarray, n: int) -> Iterator[tuple[list[int], list[float]]]:
        if not n:
            yield [], []
            return
        for query, chance in zip(*chances_of(pull, left), strict=True):
            fewer = left.copy()
            fewer[query] = False
            for queries, chances in orders(pull, fewer, n - 1):
                yield [int(query), *queries], [float(chance), *chances]

    left = np.ones(len(truth), bool)
    left[course.drawn] = False
    for queries, chances in orders(pull_of(course), left, sizes[0]):
        one = Round(np.array(queries), np.array(chances), course.active, predicted(course))
        after = Course(course.pool, [*course.rounds, one], beats=course.beats, critical=2.0)
        after.count([truth[part.queries] for part in after.rounds])
        for chance, last in every_draw(after, truth, sizes[1:]):
            yield float(np.prod(chances)) * chance, last


@pytest.mark.parametrize("claim", ["best", "value"])
def test_estimates_are_unbiased_over_all_possible_draws(claim: str) -> None:
    """Predictions and chances of the second round follow from the answers to the first."""
    truth = RNG.random((5, 3))
    some = pool(5, 3, claim=claim, prior=truth + RNG.normal(0, 0.3, truth.shape))
    start = Course(some, scores=np.full((5, 3), np.nan), beats=np.zeros((3, 3), bool))
    chances, means, gaps = zip(
        *(
            (chance, [one.mean(s).value for s in range(3)], one.difference(0, 2).value)
            for chance, one in every_draw(start, truth, [3, 1])
        ),
        strict=True,
    )
    assert len(chances) == 5 * 4 * 3 * 2 and sum(chances) == pytest.approx(1, abs=1e-12)
    assert np.array(chances) @ np.array(means) == pytest.approx(truth.mean(axis=0), abs=1e-12)
    assert np.dot(chances, gaps) == pytest.approx(float((truth[:, 0] - truth[:, 2]).mean()), abs=1e-12)
    assert np.std(gaps) > 0.01, "single draws differ from the truth"


def test_weights_are_unbiased_for_anything_that_is_known_of_drawn_queries() -> None:
    """Also of what no system scores: by enumeration, where plain averages over the drawn queries are not."""
    truth, other = np.random.default_rng(11).random((2, 5, 3))
    some = pool(5, 3, prior=truth)
    other = other[:, 0] + some.apart.sum(axis=(1, 2))  # more often drawn where it is large
    start = Course(some, scores=np.full((5, 3), np.nan), beats=np.zeros((3, 3), bool))
    chances, sums, totals, plain = zip(
        *(
            (chance, one.weights @ other[one.drawn], one.weights.sum(), other[one.drawn].mean())
            for chance, one in every_draw(start, truth, [2, 1])
        ),
        strict=True,
    )
    assert np.dot(chances, sums) == pytest.approx(other.mean(), abs=1e-12)
    assert np.dot(chances, totals) == pytest.approx(1, abs=1e-12)
    assert np.dot(chances, plain) - other.mean() > 0.01


def judge(some: Pool, truth: np.ndarray) -> Course:
    return follow(some, lambda rounds: [truth[part.queries] for part in rounds])


def test_a_clear_best_system_is_decided_early_and_a_beaten_one_is_asked_no_more() -> None:
    truth = np.clip(RNG.normal([0.7, 0.55, 0.2], 0.1, (80, 3)), 0, 1)
    course = judge(pool(80, 3, at_most=300), truth)
    assert (course.reason, course.leader, course.active) == ("decided", 0, (0,))
    assert course.used < 200 and course.rounds[-1].active == (0, 1)
    gap = course.difference(0, 1)
    assert gap.low > 0 and gap.low < 0.15 < gap.high + 0.05
    again = judge(pool(80, 3, at_most=300), truth)
    assert [one.queries.tolist() for one in again.rounds] == [one.queries.tolist() for one in course.rounds]
    other = judge(pool(80, 3, at_most=300, seed=2), truth)
    assert other.rounds[0].queries.tolist() != course.rounds[0].queries.tolist()


def test_equal_systems_use_up_the_budget_and_all_judged_is_the_plain_mean() -> None:
    truth = np.repeat(RNG.random((40, 1)), 2, axis=1) + RNG.normal(0, 0.1, (40, 2))
    course = judge(pool(40, 2, at_most=80), truth)
    assert (course.reason, course.left) == ("budget", 0) and 70 <= course.used <= 80
    whole = judge(pool(40, 2), truth)
    assert whole.reason in ("all judged", "decided")
    for system in range(2) if whole.reason == "all judged" else ():
        assert whole.mean(system).value == pytest.approx(float(truth[:, system].mean()), abs=0.01)


def test_values_are_known_to_the_width_that_was_asked_for() -> None:
    truth = np.clip(RNG.normal([0.7, 0.5], 0.15, (200, 2)), 0, 1)
    course = judge(pool(200, 2, claim="value", within=0.06, prior=truth), truth)
    assert course.reason == "decided" and course.used < 500
    for system in range(2):
        one = course.mean(system)
        assert (one.high - one.low) / 2 <= 0.06 and one.low < truth[:, system].mean() < one.high
