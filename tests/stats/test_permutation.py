"""Sign-flip tests against exact enumeration, scipy and theory; p is never 0."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from evalcore.stats import permutation
from evalcore.stats.correction import holm
from evalcore.stats.permutation import EXACT, RANDOM, max_t, sign_flip_test


def enumerated_p(differences) -> float:
    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return np.mean([s >= abs(sum(differences)) - 1e-12 for s in sums])


def test_few_pairs_are_enumerated_exactly():
    rng = np.random.default_rng(1)
    differences = np.round(rng.normal(0.3, 1, (9, 5)), 1)  # one decimal: sums tie
    test = sign_flip_test(differences, n_resamples=1000, rng=rng)
    assert (test.method, test.n_resamples) == (EXACT, 511)
    assert test.p == pytest.approx([enumerated_p(column) for column in differences.T], rel=1e-12)


def test_exact_p_is_scipys():
    differences = np.random.default_rng(2).normal(0.4, 1, 10)
    oracle = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    test = sign_flip_test(differences[:, None], n_resamples=1023, rng=np.random.default_rng(0))
    assert test.p[0] == pytest.approx(oracle.pvalue, rel=1e-12)


def test_random_flips_approach_the_exact_p():
    differences = np.random.default_rng(3).normal(0.4, 1, (15, 3))
    exact = sign_flip_test(differences, n_resamples=2**15, rng=np.random.default_rng(0))
    drawn = sign_flip_test(differences, n_resamples=30_000, rng=np.random.default_rng(0))
    assert (exact.method, drawn.method, drawn.n_resamples) == (EXACT, RANDOM, 30_000)
    for p, truth in zip(drawn.p, exact.p, strict=True):
        assert p == pytest.approx(truth, abs=5 * np.sqrt(truth * (1 - truth) / 30_000))


def test_p_is_never_zero_and_has_the_stated_form():
    test = sign_flip_test(np.full((100, 1), 0.5), n_resamples=99, rng=np.random.default_rng(0))
    assert test.p[0] == 1 / 100
    assert sign_flip_test(np.full((3, 1), 0.5), n_resamples=99, rng=np.random.default_rng(0)).p[0] == 2 / 8


def test_no_difference_no_pairs_one_pair():
    rng = np.random.default_rng(0)
    assert sign_flip_test(np.zeros((50, 2)), n_resamples=20, rng=rng).p.tolist() == [1, 1]
    assert np.isnan(sign_flip_test(np.empty((0, 2)), n_resamples=20, rng=rng).p).all()
    assert sign_flip_test(np.array([[0.7]]), n_resamples=20, rng=rng).p.tolist() == [1]


def test_addition_order_does_not_decide_a_tie():
    # +-0.1, +-0.2, +-0.3: |0.1 + 0.2 - 0.3| is 0 in the mind and 5e-17 in floats
    differences = np.array([[0.1], [0.2], [-0.3]])
    assert sign_flip_test(differences, n_resamples=7, rng=np.random.default_rng(0)).p.tolist() == [1]


def test_p_is_uniform_when_there_is_no_effect():
    differences = np.random.default_rng(6).normal(size=(40, 500))
    p = sign_flip_test(differences, n_resamples=2000, rng=np.random.default_rng(6)).p
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_same_seed_same_p_whatever_the_blocks_and_neighbours(monkeypatch):
    differences = np.random.default_rng(7).normal(0.1, 1, (60, 3))
    together = sign_flip_test(differences, n_resamples=500, rng=np.random.default_rng(5)).p
    alone = sign_flip_test(differences[:, 1:2], n_resamples=500, rng=np.random.default_rng(5)).p
    assert together[1] == alone[0]
    monkeypatch.setattr(permutation, "BLOCK_CELLS", 60 * 7)
    monkeypatch.setattr(permutation, "BLOCK_ROWS", 1)
    assert (
        sign_flip_test(differences, n_resamples=500, rng=np.random.default_rng(5)).p.tolist()
        == together.tolist()
    )


# --- MaxT (Westfall & Young 1993, Algorithm 4.1), one step and one sign pattern at a time


def naive_max_t(differences):
    """Step-down p by all sign patterns, with |sum| / root of the sum of squares."""
    n, m = differences.shape

    def statistics(signs):
        return [
            abs(np.dot(signs, differences[:, j])) / np.sqrt((differences[:, j] ** 2).sum()) for j in range(m)
        ]

    observed = statistics(np.ones(n))
    patterns = [statistics(np.array(signs)) for signs in product((1, -1), repeat=n)]
    order, corrected, before = sorted(range(m), key=lambda j: -observed[j]), [0.0] * m, 0.0
    for place, j in enumerate(order):
        left = order[place:]
        reached = np.mean([max(row[i] for i in left) >= observed[j] - 1e-12 for row in patterns])
        before = max(before, reached)
        corrected[j] = before
    return corrected


@pytest.mark.parametrize("seed", range(4))
def test_max_t_is_the_naive_step_down(seed):
    rng = np.random.default_rng(seed)
    differences = np.round(rng.normal([0.9, 0.5, 0.1, 0.5], 1, (8, 4)), 1)
    differences[:, 3] = differences[:, 1] + np.round(rng.normal(0, 0.2, 8), 1)  # two that go together
    found = max_t(differences, n_resamples=1000, rng=rng)
    assert found == pytest.approx(naive_max_t(differences), rel=1e-12)


def test_max_t_is_between_p_and_holm_and_costs_nothing_for_copies():
    rng = np.random.default_rng(5)
    columns = rng.normal([0.3, 0.2, 0.1, 0.0], 1, (80, 4))
    kept = {"n_resamples": 4000}
    p = sign_flip_test(columns, rng=np.random.default_rng(1), **kept).p
    corrected = max_t(columns, rng=np.random.default_rng(1), **kept)
    assert (corrected >= p).all()
    assert (corrected <= holm(p) + 3 * np.sqrt(0.25 / 4000)).all()
    copies = max_t(
        np.repeat(columns[:, :1], 5, axis=1) * [1, 2, 3, 4, 5], rng=np.random.default_rng(1), **kept
    )
    assert copies == pytest.approx(np.full(5, p[0]), rel=1e-12)


def test_max_t_of_differences_that_are_all_zero():
    columns = np.column_stack([np.full(30, 0.5), np.zeros(30)])
    assert max_t(columns, n_resamples=99, rng=np.random.default_rng(0)).tolist() == [0.01, 1.0]
