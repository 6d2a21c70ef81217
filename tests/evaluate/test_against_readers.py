"""Measures against readers: the same as scipy says; and that it behaves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau

from evalcore.evaluate.against_readers import Votes, best_first, measure_agreement
from evalcore.evaluate.readers import grades
from tests import simulated_readers as simulated


def some(seed: int = 3, n: int = 40, n_queries: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values with ties, grades of five steps, and the query of each."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 5, n) / 4
    value = np.round(np.clip(grade + rng.normal(0, 0.4, n), 0, 1), 1)
    return value, grade, np.sort(rng.integers(0, n_queries, n)).astype(np.int32)


def test_every_statistic_of_two_measures():
    x, y, cluster = some()
    level = np.zeros_like(x)
    found = measure_agreement(("good", "level"), y, np.stack([x, level], 1), cluster, n_resamples=50)
    good, nothing = found
    taus = [kendalltau(x[cluster == q], y[cluster == q]).statistic for q in range(6)]
    assert good.within.mean == pytest.approx(np.mean(taus))
    assert nothing.within.mean == 0.0
    assert good.against is None and nothing.against.reference == "good"
    assert nothing.against.difference == pytest.approx(-good.within.mean)
    assert nothing.against.low < nothing.against.high < 0
    flipped = [abs(np.dot(signs, taus)) for signs in product((-1, 1), repeat=6)]
    p = np.mean(np.array(flipped) >= abs(np.sum(taus)) - 1e-9)
    assert nothing.against.p == pytest.approx(p) == nothing.against.p_corrected
    assert [one.measure for one in best_first(found[::-1])] == ["good", "level"]


def test_a_query_that_readers_call_all_alike_plays_no_part_within():
    x, y = np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.5, 0.5, 0.0, 1.0])
    (found,) = measure_agreement(("m",), y, x[:, None], np.array([0, 0, 1, 1], np.int32))
    assert (found.within.mean, found.within.n) == (1.0, 1)


def test_differences_are_corrected_by_holm():
    x, y, cluster = some(n=200, n_queries=8)
    rng = np.random.default_rng(1)
    columns = np.stack([x, x + rng.normal(0, 0.3, 200), rng.random(200)], 1)
    found = measure_agreement(("a", "b", "c"), y, columns, cluster, n_resamples=50)
    against = [one.against for one in found if one.against is not None]
    p, corrected = sorted(one.p for one in against), sorted(one.p_corrected for one in against)
    assert corrected == pytest.approx([min(2 * p[0], 1), max(2 * p[0], p[1])])


def test_votes_won_lost_level_and_undefined():
    scores = np.array([[[0.1, 0.5]], [[0.5, 0.1]], [[0.3, 0.3]], [[np.nan, 0.2]]])
    voted = Votes(np.array([1.0, 1.0, -1.0, 1.0]), scores, np.array([0, 0, 1, 1], np.int32), 2)
    judged = ("m",), np.array([0.0, 1.0]), np.array([[0.0], [1.0]]), np.zeros(2, np.int32)
    (found,) = measure_agreement(*judged, voted, n_resamples=100)
    assert (found.votes.mean, found.votes.n, found.votes.n_groups) == (0.5, 4, 2)


def latent(n_queries: int = 12, n: int = 8, seed: int = 0) -> dict[tuple[str, str], float]:
    rng = np.random.default_rng(seed)
    return {(f"q{q:02}", f"r{r}"): float(rng.random()) for q in range(n_queries) for r in range(n)}


def test_the_measure_that_readers_follow_comes_first():
    truth = latent(20)
    table = grades(simulated.grades(truth, readers="abc", noise=0.1))
    own = np.array([truth[item] for item in table.items])
    rng = np.random.default_rng(2)
    columns = np.stack([rng.random(len(own)), own, own + rng.normal(0, 0.5, len(own))], 1)
    names, medians = ("chance", "truth", "rough"), np.median(table.values, axis=0)
    found = measure_agreement(names, medians, columns, table.cluster, n_resamples=200)
    assert [one.measure for one in best_first(found)] == ["truth", "rough", "chance"]
    assert found[0].within.low < 0 < found[0].within.high and found[0].against.p_corrected < 0.01


@pytest.mark.nightly
def test_intervals_hold_the_true_value_about_as_often_as_they_say():
    """The true tau is that of many queries; 95 % intervals of 30 queries should hold it nearly so often."""
    rng = np.random.default_rng(5)

    def study(n_queries: int):
        truth = rng.random((n_queries, 6))
        seen = simulated.step_of(truth + rng.normal(0, 0.25, truth.shape))
        cluster = np.repeat(np.arange(n_queries, dtype=np.int32), 6)
        return ("m",), seen.ravel(), truth.reshape(-1, 1), cluster

    true = measure_agreement(*study(600), n_resamples=1)[0].within.mean
    ends = [measure_agreement(*study(30), n_resamples=300)[0].within for _ in range(100)]
    held = sum(one.low <= true <= one.high for one in ends)
    # 88 to 99 of 100: 95 % by the binomial, a little less as few queries make bootstrap intervals narrow.
    assert 88 <= held <= 99
