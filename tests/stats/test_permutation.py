"""Sign-flip tests against exact enumeration, scipy and theory; p is never 0."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.stats import permutation
from evalcore.stats.permutation import EXACT, RANDOM, sign_flip_test


def test_few_pairs_are_enumerated_exactly_as_by_scipy():
    rng = np.random.default_rng(1)
    differences = np.round(rng.normal(0.3, 1, (9, 5)), 1)  # one decimal: sums tie
    test = sign_flip_test(differences, n_resamples=1000, rng=rng)
    assert (test.method, test.n_resamples) == (EXACT, 511)
    how = {"permutation_type": "samples", "n_resamples": np.inf, "alternative": "two-sided"}
    oracles = [stats.permutation_test((column,), np.mean, **how) for column in differences.T]
    assert test.p == pytest.approx([oracle.pvalue for oracle in oracles], rel=1e-12)


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
