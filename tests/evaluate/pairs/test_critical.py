"""Mean ranks over queries: Friedman by scipy, Nemenyi's distance, groups by a naive look at every pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import inf, sqrt

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate.pairs.ranks import mean_ranks, near_groups
from evalcore.values.errors import InputError
from tests.evaluate.test_comparison import random_scores, scores_of


def nemenyi(k, n, level=0.05):
    return stats.studentized_range.ppf(1 - level, k, inf) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))


def test_as_scipy_and_by_definition():
    scores = random_scores(n=60, systems=5, metrics=("CUI@3",))
    found = mean_ranks(scores)
    table = np.column_stack([one.values for one in scores])
    oracle = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p) == pytest.approx((oracle.statistic, oracle.pvalue))
    ranks = dict(zip("01234", stats.rankdata(-table, axis=1).mean(axis=0), strict=True))
    assert found.systems == tuple(f"s{j}" for j in sorted(ranks, key=ranks.__getitem__))
    assert found.mean_ranks == pytest.approx(sorted(ranks.values()))
    assert found.distance == pytest.approx(nemenyi(5, 60))
    assert (found.n, found.n_blocks, found.left_out, found.grouped_by) == (60, 60, 0, "")


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_largest_stretches_within_the_distance(seed):
    rng = np.random.default_rng(seed)
    ranks, distance = np.sort(rng.uniform(1, 6, 7)).tolist(), 1.1
    near = [set(range(i, j + 1)) for i, j in combinations(range(7), 2) if ranks[j] - ranks[i] <= distance]
    largest = [one for one in near if not any(one < other for other in near)]
    assert [set(one) for one in near_groups(ranks, distance)] == largest


def test_a_group_of_queries_counts_once():
    """Of the four queries three are one patient's, whose mean is ranked."""
    table = np.array([[0.9, 0.2, 0.4], [0.1, 0.6, 0.5], [0.5, 0.5, 0.2], [0.3, 0.8, 0.1]])
    groups = np.array([3, 3, 3, -1], np.int32)
    scores = [
        replace(scores_of(name, column.tolist()), groups=groups, grouped_by="patient")
        for name, column in zip("abc", table.T, strict=True)
    ]
    found = mean_ranks(scores)
    oracle = stats.friedmanchisquare(*np.array([table[:3].mean(axis=0), table[3]]).T)
    assert found.statistic == pytest.approx(oracle.statistic)
    assert (found.n, found.n_blocks, found.grouped_by) == (4, 2, "patient")
    assert found.distance == pytest.approx(nemenyi(3, 2))


def test_queries_without_a_value_under_one_system():
    scores = [scores_of("a", [0.9, 0.5, None]), scores_of("b", [0.1, 0.7, 0.3]), scores_of("c", [0, 0.1, 0])]
    found = mean_ranks(scores)
    assert (found.n, found.left_out, found.mean_ranks) == (2, 1, (1.5, 1.5, 3.0))
    none = mean_ranks([scores_of(name, [None]) for name in "abc"])
    assert none.n == 0 and np.isnan([none.p, none.distance, *none.mean_ranks]).all() and none.groups == ()


def test_two_systems_are_compared_by_their_pair():
    with pytest.raises(InputError, match="three systems"):
        mean_ranks(random_scores(systems=2, metrics=("CUI@3",)))
