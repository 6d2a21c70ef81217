"""Medians: their interval and the test that swaps, by a plain bootstrap and all patterns."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.stats.medians import median_interval, swap_test


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
