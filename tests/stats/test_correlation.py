"""Rank correlations against scipy.stats, on random columns with few and with many levels."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.correlation import average_ranks, correlations, kendall, spearman


def columns(n, levels, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels, n) / 7.0
    return x, np.where(rng.random(n) < 0.5, x, rng.integers(0, levels, n) / 7.0)


@pytest.mark.parametrize("levels", [2, 5, 100, 10**6])
@pytest.mark.parametrize("n", [3, 10, 64, 1000])
def test_as_scipy(n, levels):
    for seed in range(5):
        x, y = columns(n, levels, seed)
        if len(set(x)) == 1 or len(set(y)) == 1:
            continue
        assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
        assert kendall(x, -y) == pytest.approx(stats.kendalltau(x, -y).statistic, abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_ranks_as_scipy():
    x = np.random.default_rng(0).integers(0, 9, 200).astype(float)
    assert average_ranks(x) == pytest.approx(stats.rankdata(x))


def test_by_hand():
    """1 2 3 4 against 1 3 2 4: five pairs in order, one against; rho = 1 - 6 * 2 / (4 * 15)."""
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])
    assert kendall(x, y) == pytest.approx(4 / 6) and spearman(x, y) == pytest.approx(0.8)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_nothing_to_order_is_undefined(n):
    same = np.full(n, 0.5)
    assert isnan(kendall(same, np.arange(n))) and isnan(spearman(np.arange(n) * 1.0, same))


def test_matrix_leaves_out_rows_with_a_gap():
    rng = np.random.default_rng(3)
    values = rng.random((40, 3))
    values[4, 1] = np.nan
    kept = np.delete(values, 4, axis=0)
    for method, oracle in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        found = correlations(values, method=method)
        assert found == pytest.approx(found.T) and np.diag(found) == pytest.approx(1.0)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert found[i, j] == pytest.approx(oracle(kept[:, i], kept[:, j]).statistic)


def test_golden_spearman(spec_golden):
    one = spec_golden["F_spearman"]
    assert spearman(np.array(one["x"]), np.array(one["y"])) == pytest.approx(one["rho"])
