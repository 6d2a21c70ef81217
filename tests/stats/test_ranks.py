"""Ranks of many rows at once, against scipy."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.ranks import critical_difference, friedman, row_ranks


@pytest.mark.parametrize("shape", [(200, 7), (1, 5), (30, 1), (0, 4)])
def test_as_scipy_ranks_every_row(shape):
    values = np.random.default_rng(1).integers(0, 5, shape) / 7
    expected = stats.rankdata(-values, axis=1) if shape[0] else np.empty(shape)
    assert np.array_equal(row_ranks(values), expected)


def test_values_that_differ_by_rounding_only_are_level():
    assert row_ranks(np.array([[0.1 + 0.2, 0.3, 0.1, 0.3 + 1e-8]])).tolist() == [[2.5, 2.5, 4.0, 1.0]]


# Friedman's test against scipy, Nemenyi's critical values against the published table.

DEMSAR = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""q_.05 by the number of classifiers: Demsar 2006, Table 5 (a)."""
DEMSAR_10 = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855, 10: 2.920}
"""The same for .10."""


@pytest.mark.parametrize("values", [7, 1000], ids=["many ties", "few ties"])
@pytest.mark.parametrize(("n", "k"), [(12, 3), (200, 7)])
def test_as_scipy(n, k, values):
    columns = np.random.default_rng(n + k).integers(0, values, (n, k)) + np.arange(k) / 2
    columns = np.floor(columns) / values
    found, oracle = friedman(columns), stats.friedmanchisquare(*columns.T)
    assert found.statistic == pytest.approx(oracle.statistic, rel=1e-10)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert found.mean_ranks == pytest.approx(stats.rankdata(-columns, axis=1).mean(axis=0))
    assert found.n == n


def test_by_hand():
    """Ranks 1 2 3, 1 2 3, 1 3 2: sums 3, 7, 8; 12 / (3 * 3 * 4) * (9 + 49 + 64) - 3 * 3 * 4 = 14 / 3."""
    found = friedman(np.array([[0.9, 0.5, 0.1], [0.8, 0.7, 0.2], [0.6, 0.1, 0.3]]))
    assert found.statistic == pytest.approx(14 / 3)
    assert found.mean_ranks.tolist() == pytest.approx([1, 7 / 3, 8 / 3])
    assert found.p == pytest.approx(np.exp(-7 / 3)), "chi-square of two degrees: exp(-x / 2)"


def test_no_difference_at_all_and_no_row():
    level = friedman(np.full((5, 4), 0.25))
    assert (level.statistic, level.p, level.mean_ranks.tolist()) == (0.0, 1.0, [2.5] * 4)
    none = friedman(np.empty((0, 3)))
    assert np.isnan([none.statistic, none.p, *none.mean_ranks]).all() and none.n == 0


@pytest.mark.parametrize(("level", "table"), [(0.05, DEMSAR), (0.10, DEMSAR_10)])
def test_published_critical_values(level, table):
    for k, q in table.items():
        # n = 1 and the root taken out: what is left is q. The table cuts 2.9483 to 2.949 and 2.3437 to 2.343.
        found = critical_difference(k, 1, level=level) / sqrt(k * (k + 1) / 6)
        assert found == pytest.approx(q, abs=1.1e-3)


def test_published_example():
    """Demsar 2006, section 3.2.2: four classifiers on 14 data sets, CD 1.25 at .05 and 1.12 at .10."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, level=0.10) == pytest.approx(1.12, abs=0.005)
