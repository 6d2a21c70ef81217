"""Flips of signs, swaps for medians and corrections of p against exact enumeration and scipy."""

import numpy as np
import pytest
from scipy import stats

from evalcore.stats import permutation
from evalcore.stats.correction import benjamini_hochberg, holm
from evalcore.stats.medians import median_interval, swap_test
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


# Medians: their interval and the test that swaps, by a plain bootstrap and all patterns.


def test_medians_by_a_plain_bootstrap_and_all_swaps():
    rng = np.random.default_rng(0)
    values = rng.integers(1, 40, (30, 2)).astype(float)
    low, high = median_interval(values, groups=None, level=0.9, n_resamples=4_000, seed=1)
    drawn = np.random.default_rng(9).integers(0, 30, (4_000, 30))
    apart = [np.median(values[rows, 1]) - np.median(values[rows, 0]) for rows in drawn]
    assert (low, high) == pytest.approx(np.quantile(apart, [0.05, 0.95]), abs=1.01)
    few = values[:8]
    swaps = []
    for pattern in range(2**8):
        turned = few.copy()
        for row in range(8):
            if pattern >> row & 1:
                turned[row] = turned[row, ::-1]
        swaps.append(abs(np.median(turned[:, 1]) - np.median(turned[:, 0])))
    exact = np.mean(np.array(swaps) >= swaps[0])
    p = swap_test(few, groups=None, n_resamples=20_000, seed=2).p[0]
    assert p == pytest.approx(exact, abs=0.015)
    # A group of all rows has one value only: nothing is known of its spread, and p is 1.
    same_group = np.zeros(8, np.int32)
    assert np.isnan(median_interval(few, groups=same_group, level=0.9, n_resamples=10, seed=1)).all()
    assert swap_test(few, groups=same_group, n_resamples=50, seed=1).p[0] == 1.0


# Holm's correction by hand, Benjamini-Hochberg against scipy.


@pytest.mark.parametrize(
    ("p", "corrected"),
    [
        # Holm 1979's procedure by hand: sorted .005 .01 .02 .04 -> x4 x3 x2 x1, then never decreasing
        ([0.04, 0.01, 0.005, 0.02], [0.04, 0.03, 0.02, 0.04]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.6, 0.7, 0.9], [1.0, 1.0, 1.0]),
        ([0.03], [0.03]),
        ([], []),
    ],
)
def test_step_down(p, corrected):
    assert holm(np.array(p, float)) == pytest.approx(corrected)


@pytest.mark.parametrize("seed", range(5))
def test_step_up_is_scipys(seed):
    p = np.random.default_rng(seed).random(12).round(1 + seed % 3) / (1 + seed)
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p), rel=1e-14)


def test_missing_p_values_are_not_counted():
    assert holm(np.array([0.01, np.nan, 0.04])) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    corrected = benjamini_hochberg(np.array([0.01, np.nan, 0.04]))
    assert corrected == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert benjamini_hochberg(np.array([])).tolist() == []
