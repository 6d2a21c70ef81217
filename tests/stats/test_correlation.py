"""Rank correlations against scipy.stats, on random columns with few and with many levels."""

import re
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalcore.stats.correlation import (
    TESTS,
    compare_correlations,
    correlations,
    kendall,
    spearman,
    spearman_p,
)


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
        matrix = correlations(values, method=method)
        assert matrix == pytest.approx(matrix.T) and np.diag(matrix) == pytest.approx(1.0)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert matrix[i, j] == pytest.approx(oracle(kept[:, i], kept[:, j]).statistic)


# Tests of two correlations with the same third variable: golden values and laws.


def test_golden(spec_golden):
    checked = 0
    for call, values in spec_golden["F_tests"].items():
        match = re.fullmatch(r"(\w+?)(?:_indep)?\(([^)]*)\)", call)
        if match is None or isinstance(values, str):
            continue
        numbers = [float(x) for x in match[2].split(",")]
        r1, r2, r12, n = numbers if len(numbers) == 4 else (*numbers[:2], 0.5, numbers[2])
        outcome = compare_correlations(r1, r2, r12, int(n), test=match[1])
        assert outcome == pytest.approx(values, rel=1e-9), call
        checked += 1
    assert checked == 18


def possible(r1, r2, r12):
    return 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12 > 1e-3


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(-0.9, 0.99), st.integers(5, 5000))
def test_exchanged_measures_give_the_opposite(r1, r2, r12, n):
    for test in TESTS:
        if not possible(r1, r2, r12):
            return
        ours, swapped = (compare_correlations(*pair, r12, n, test=test) for pair in ((r1, r2), (r2, r1)))
        assert ours.statistic == pytest.approx(-swapped.statistic) and ours.p == pytest.approx(swapped.p)
        assert 0 <= ours.p <= 1 and (ours.statistic > 0) == (r1 > r2)


@pytest.mark.parametrize("test", list(TESTS))
def test_nothing_to_test(test):
    assert isnan(compare_correlations(0.3, 0.2, 0.5, 3, test=test).p)
    assert isnan(compare_correlations(float("nan"), 0.2, 0.5, 50, test=test).p)
    assert compare_correlations(0.3, 0.3, 0.5, 50, test=test) == (0.0, 1.0)
    assert isnan(compare_correlations(0.3, 0.3, 1.0, 50, test=test).p) == (test != "fisher")


def test_perfect_agreement_is_no_error():
    for test in TESTS:
        assert 0 <= compare_correlations(1.0, 0.5, 0.5, 20, test=test).p < 0.05


@given(n=st.integers(3, 60), seed=st.integers(0, 2**32 - 1))
def test_p_of_spearman_as_scipy(n, seed):
    x, y = np.random.default_rng(seed).random((2, n))
    assert spearman_p(spearman(x, y), n) == pytest.approx(stats.spearmanr(x, y).pvalue, rel=1e-6, abs=1e-12)


def test_p_of_spearman_where_nothing_can_be_tested():
    assert isnan(spearman_p(0.5, 2)) and isnan(spearman_p(float("nan"), 10))
    assert spearman_p(1.0, 5) == spearman_p(-1.0, 5) == 0.0
    assert spearman_p(0.0, 5) == 1.0
