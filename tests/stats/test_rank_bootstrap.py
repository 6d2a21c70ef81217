"""Spearman's rho under resampled groups, against scipy on the resampled rows themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.stats import rank_bootstrap
from evalcore.stats.rank_bootstrap import middle_of, spearman_resamples


def data(n=60, m=3, seed=1):
    rng = np.random.default_rng(seed)
    target = rng.integers(1, 6, n).astype(float)
    columns = np.round(rng.random((n, m)) + 0.1 * target[:, None], 1)
    return columns, target, np.sort(rng.integers(0, 9, n))


@pytest.mark.parametrize("cells", [500_000, 130])
def test_as_scipy_on_the_drawn_rows(cells, monkeypatch):
    """Ranks are computed anew in every resample; small blocks change nothing."""
    monkeypatch.setattr(rank_bootstrap, "BLOCK_CELLS", cells)
    columns, target, groups = data()
    groups = np.unique(groups, return_inverse=True)[1]
    n = int(groups.max()) + 1
    found = spearman_resamples(columns, target, groups, n_resamples=40, rng=np.random.default_rng(5))
    drawn = np.random.default_rng(5).integers(0, n, (40, n), dtype=np.int32)
    for k in range(40):
        rows = np.concatenate([np.flatnonzero(groups == g) for g in drawn[k]])
        for j in range(columns.shape[1]):
            expected = stats.spearmanr(columns[rows, j], target[rows]).statistic
            assert found[k, j] == pytest.approx(expected, abs=1e-12)


def test_rows_by_themselves_are_groups_of_one():
    columns, target, _ = data()
    found = spearman_resamples(columns, target, np.arange(60), n_resamples=500, rng=np.random.default_rng(0))
    observed = [stats.spearmanr(columns[:, j], target).statistic for j in range(3)]
    low, high = middle_of(found, level=0.95)
    assert (low < observed).all() and (observed < high).all()
    assert found.mean(axis=0) == pytest.approx(observed, abs=0.05)


def test_no_value_where_nothing_varies():
    columns = np.column_stack([np.ones(10), np.arange(10.0)])
    found = spearman_resamples(
        columns, np.arange(10.0), np.arange(10), n_resamples=20, rng=np.random.default_rng(0)
    )
    assert np.isnan(found[:, 0]).all() and found[:, 1] == pytest.approx(1.0)
    low, high = middle_of(found, level=0.9)
    assert np.isnan(low[0]) and np.isnan(high[0]) and low[1] == pytest.approx(1.0)


def test_a_group_drawn_as_a_whole_widens_the_interval():
    """Ten people whose ratings hang together: 200 rows know less than 200 independent ones."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(10), 20)
    x = rng.normal(size=10)[person] + 0.3 * rng.normal(size=200)
    y = x + 1.5 * rng.normal(size=10)[person]
    widths = []
    for groups in (person, np.arange(200)):
        ends = middle_of(
            spearman_resamples(x[:, None], y, groups, n_resamples=400, rng=np.random.default_rng(0)),
            level=0.95,
        )
        widths.append(float(ends[1][0] - ends[0][0]))
    assert widths[0] > 1.5 * widths[1]
