"""Scores against each other and against people, by SciPy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.synthetic.distances import agreement, in_order, with_people


def test_as_scipy_over_the_images_with_all_scores():
    rng = np.random.default_rng(0)
    a, b = rng.random(30), rng.random(30)
    a[3] = np.nan
    found = agreement({"a": a, "b": b, "none": np.full(30, np.nan)})
    kept = np.isfinite(a)
    assert (found.names, found.n, found.left_out) == (("a", "b"), 29, 1)
    assert found.rho[0, 1] == pytest.approx(stats.spearmanr(a[kept], b[kept]).statistic)
    assert found.tau[1, 0] == pytest.approx(stats.kendalltau(a[kept], b[kept]).statistic)


def test_too_few_images_say_nothing():
    found = agreement({"a": np.arange(3.0), "b": np.arange(3.0)})
    assert np.isnan(found.rho).all() and agreement({}).n == 0
    (one,) = with_people({"a": np.arange(3.0)}, np.arange(3.0))
    assert np.isnan(one.rho) and one.n == 3


def test_people():
    people = in_order(["x", "y", "z", "u", "v", "w"], {"x": 6, "y": 5, "z": 4, "u": 2, "v": 1})
    same, against = with_people(
        {"same": np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.0]), "against": np.arange(6.0)}, people
    )
    assert (same.rho, same.high, against.rho, same.n) == (1.0, 1.0, -1.0, 5)
    assert same.low <= same.rho and against.low == -1.0
