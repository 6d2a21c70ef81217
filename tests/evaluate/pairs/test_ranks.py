"""Ranks under resampled queries: against every possible resample, and naive draws of whole groups."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from evalcore.evaluate.ranks import rank_intervals
from tests.evaluate.test_comparison import scores_of

TABLE = np.array([[0.9, 0.2, 0.4], [0.1, 0.6, 0.6], [0.5, 0.5, 0.2], [0.3, 0.8, 0.1]])
"""Four queries, three systems."""


def scores(table, groups=None):
    found = [scores_of(f"s{j}", table[:, j].tolist()) for j in range(table.shape[1])]
    if groups is None:
        return found
    return [replace(one, groups=np.array(groups, np.int32), grouped_by="patient") for one in found]


def spread_of(found, ranks):
    """The summary of a table of ranks, one row a resample, as the intervals promise it."""
    n = len(ranks)
    for j, one in enumerate(found):
        error = 5 * ranks[:, j].std() / np.sqrt(one.n_resamples) + 1e-12
        assert one.expected == pytest.approx(ranks[:, j].mean(), abs=error)
        best = (ranks[:, j] == ranks.min(axis=1)).mean()
        assert one.first == pytest.approx(best, abs=5 * np.sqrt(best * (1 - best) / one.n_resamples) + 1e-12)
        column = np.sort(ranks[:, j])
        for end, tail in ((one.low, 0.025), (one.high, 0.975)):
            # The smallest rank that so many of the resamples do not exceed, give or take what draws miss.
            around = {column[min(n - 1, int(np.ceil((tail + d) * n)) - 1)] for d in (-0.004, 0, 0.004)}
            assert end in around


def test_every_resample():
    """All 4^4 resamples are equally likely."""
    found = rank_intervals(scores(TABLE), n_resamples=40_000, seed=2)
    resamples = np.array([TABLE[list(rows)].mean(axis=0) for rows in product(range(4), repeat=4)])
    ranks = stats.rankdata(-resamples.round(10), axis=1)
    assert len(np.unique(ranks)) > 3, "some tie"
    spread_of(found, ranks)
    assert [one.rank for one in found] == [2.0, 1.0, 3.0]
    assert [one.mean for one in found] == pytest.approx(TABLE.mean(axis=0))
    assert {(one.k, one.n, one.n_groups, one.level) for one in found} == {(3, 4, 0, 0.95)}


def test_whole_groups():
    """Queries 0 to 2 are one patient's: with query 3 there are two groups, and 2^2 resamples."""
    found = rank_intervals(scores(TABLE, [4, 4, 4, -1]), n_resamples=40_000)
    parts = [TABLE[:3], TABLE[3:]]
    resamples = np.array(
        [np.concatenate([parts[a], parts[b]]).mean(axis=0) for a, b in product((0, 1), repeat=2)]
    )
    ranks = stats.rankdata(-resamples.round(10), axis=1)
    spread_of(found, ranks)
    assert {(one.n_groups, one.method) for one in found} == {
        (2, "percentile bootstrap by patient (2 groups)")
    }


def test_level_systems_share_their_place():
    twins = np.column_stack([TABLE[:, 0], TABLE[:, 0] + 1e-14, TABLE[:, 0] + 0.5])
    a, b, c = rank_intervals(scores(twins))
    assert (a.rank, a.low, a.high, a.expected) == (b.rank, b.low, b.high, b.expected) == (2.5, 2.5, 2.5, 2.5)
    assert (c.rank, c.first, a.first) == (1.0, 1.0, 0.0)


def test_too_few_queries():
    (one, other) = rank_intervals(scores(TABLE[:1, :2]))
    assert (one.rank, other.rank, one.n) == (1.0, 2.0, 1)
    assert np.isnan([one.low, one.high, one.expected, one.first]).all()
    none = rank_intervals([scores_of("a", [None, None]), scores_of("b", [None, None])])[0]
    assert np.isnan([none.mean, none.rank, none.low]).all() and none.n == 0
    grouped = rank_intervals(scores(TABLE, [1, 1, 1, 1]))[0]
    assert np.isnan(grouped.low) and grouped.n_groups == 1, "one patient is one draw"


def test_only_common_queries_count():
    found = rank_intervals([scores_of("a", [0.5, 0.9, None]), scores_of("b", [0.6, None, 0.1])])
    assert [(one.n, one.left_out, one.rank) for one in found] == [(1, 2, 2.0), (1, 2, 1.0)]
