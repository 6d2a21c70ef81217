"""Holm's correction by hand, Benjamini-Hochberg against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.correction import benjamini_hochberg, holm


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


def test_what_was_not_tested_does_not_count():
    assert holm(np.array([0.01, np.nan, 0.04])) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    corrected = benjamini_hochberg(np.array([0.01, np.nan, 0.04]))
    assert corrected == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert benjamini_hochberg(np.array([])).tolist() == []
