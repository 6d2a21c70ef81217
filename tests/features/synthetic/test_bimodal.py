"""The bimodality coefficient against SciPy's moments and its values where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.synthetic.tolerance import bimodality, suspected


def test_the_coefficient_is_that_of_scipys_moments():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=50), rng.gamma(1, size=50), rng.uniform(size=50)])
    values[:7, 2] = np.nan
    for column, found in zip(values.T, bimodality(values), strict=True):
        some = column[np.isfinite(column)]
        n, g, k = len(some), stats.skew(some, bias=False), stats.kurtosis(some, bias=False)
        assert found == pytest.approx((g**2 + 1) / (k + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))))


def test_uniform_is_the_limit_and_two_points_are_1():
    n = 4_001
    uniform, points = np.linspace(0, 1, n), np.repeat([0.0, 1.0], [n // 2, n - n // 2])
    assert bimodality(np.column_stack([uniform, points])) == pytest.approx([5 / 9, 1], abs=2e-3)


def test_who_is_suspected():
    rng = np.random.default_rng(1)
    two = np.concatenate([rng.normal(0, 1, 60), rng.normal(8, 1, 60)])
    values = np.column_stack([rng.normal(size=120), two, np.full(120, 3.3), np.full(120, np.inf)])
    assert suspected(values).tolist() == [False, True, False, False]
    assert not suspected(two[[*range(8), *range(112, 120)], None]).any()  # 16 values say too little
    assert np.isnan(bimodality(values)[2:]).all()
