"""Every two systems paired by query: against means, all sign patterns, and Holm's rule written out."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate.comparison import common_values, every_pair, in_order, matrix_of
from evalcore.values.settings import Settings
from tests.evaluate.test_comparison import scores_of

N = 7
METRIC = "CUI@3"


@pytest.fixture(scope="module")
def values():
    """Seven queries, so that all 128 sign patterns are tried; the best system stands last."""
    rng = np.random.default_rng(5)
    return {name: rng.beta(2 + 3 * i, 4, N).round(2) for i, name in enumerate("abcd")}


@pytest.fixture(scope="module")
def scores(values):
    return [scores_of(name, column.tolist()) for name, column in values.items()]


def exact_p(column):
    """Share of all sign patterns whose mean is at least as far from 0."""
    patterns = [abs(sum(s * x for s, x in zip(signs, column, strict=True))) for signs in all_signs()]
    return sum(far >= abs(column.sum()) - 1e-9 for far in patterns) / len(patterns)


def all_signs():
    return list(product((1, -1), repeat=N))


def held(p):
    """Holm's rule, word for word."""
    order, found, so_far = sorted(range(len(p)), key=lambda i: p[i]), [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - place) * p[i]))
        found[i] = so_far
    return found


def test_each_minus_each_below(values, scores):
    found = every_pair(scores)
    order = sorted(values, key=lambda name: -values[name].mean())
    assert [(one.system, one.baseline) for one in found] == list(combinations(order, 2))
    for one in found:
        assert one.difference == pytest.approx(values[one.system].mean() - values[one.baseline].mean())
        assert one.p == pytest.approx(exact_p(values[one.system] - values[one.baseline]))
        assert (one.n_pairs, one.correction, one.seed) == (N, "Holm", 0)
    raw = [one.p for one in found]
    assert [one.p_corrected for one in found] == pytest.approx(held(raw))
    bh = every_pair(scores, correction="bh")
    assert [one.p_corrected for one in bh] == pytest.approx(stats.false_discovery_control(raw))


def test_the_matrix_is_antisymmetric(values, scores):
    found = matrix_of(every_pair(scores))
    means = np.array([values[name].mean() for name in found.systems])
    expected = means[:, None] - means[None, :]
    np.fill_diagonal(expected, np.nan)
    assert found.differences == pytest.approx(expected, nan_ok=True)
    assert np.array_equal(found.differences, -found.differences.T, equal_nan=True)
    assert np.array_equal(found.p_corrected, found.p_corrected.T, equal_nan=True)
    for i, j in combinations(range(4), 2):
        names = {found.comparisons[i][j].system, found.comparisons[i][j].baseline}
        assert names == {found.systems[i], found.systems[j]}
        assert found.comparisons[i][j] is found.comparisons[j][i]
    assert [found.comparisons[i][i] for i in range(4)] == [None] * 4


def test_only_queries_both_have_a_value_for():
    scores = [scores_of("a", [0.5, None, 0.9, 0.1]), scores_of("b", [0.25, 0.75, None, 0.35])]
    (one,) = every_pair(scores)
    assert (one.system, one.n_pairs) == ("a", 2), "means over a system's own queries decide the order"
    assert one.difference == pytest.approx(((0.5 - 0.25) + (0.1 - 0.35)) / 2, abs=1e-15)
    common = common_values(scores)
    assert (common.queries.tolist(), common.left_out) == ([0, 3], 2)
    assert common.values.tolist() == [[0.5, 0.25], [0.1, 0.35]]
    zeroed = common_values(scores, Settings(undefined="zero"))
    assert (zeroed.values.tolist(), zeroed.left_out) == ([[0.5, 0.25], [0, 0.75], [0.9, 0], [0.1, 0.35]], 0)


def test_order_of_level_and_empty_systems():
    scores = [
        scores_of("none", [None, None]),
        scores_of("z", [0.1 + 0.2, 0.5]),
        scores_of("y", [0.3, 0.5]),
        scores_of("top", [1, 1]),
    ]
    assert [one.system for one in in_order(scores, METRIC, Settings())] == ["top", "y", "z", "none"]
    found = matrix_of(every_pair(scores))
    assert found.differences[1, 2] == 0.0 and np.isnan(found.differences[3]).all()
