"""Bootstrap intervals against scipy, on the same resamples."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.bootstrap import (
    bca_interval,
    bootstrap_means,
    percentile_bounds,
    percentile_interval,
    spearman_resamples,
)
from evalcore.stats.clusters import cluster_means, clusters_of


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_are_scipys_of_the_same_resamples(level):
    rng = np.random.default_rng(8)
    values = np.column_stack([rng.beta(0.5, 4, 40), rng.normal(size=40), rng.random(40) < 0.1]).astype(float)
    means = bootstrap_means(values, n_resamples=3000, rng=rng)
    intervals = {
        "percentile": percentile_interval(means, level=level),
        "BCa": bca_interval(values, means, level=level),
    }
    for method, (low, high) in intervals.items():
        for j in range(3):
            known = SimpleNamespace(bootstrap_distribution=means[:, j])
            how = {"n_resamples": 0, "bootstrap_result": known, "confidence_level": level, "method": method}
            oracle = stats.bootstrap((values[:, j],), np.mean, **how).confidence_interval
            assert (low[j], high[j]) == pytest.approx((oracle.low, oracle.high), abs=1e-9)


def test_bca_of_values_that_do_not_vary_and_of_extreme_levels():
    values = np.column_stack([np.full(5, 0.3), [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], [0, 0, 0, 0, 1]])
    means = bootstrap_means(values, n_resamples=200, rng=np.random.default_rng(0))
    low, high = bca_interval(values, means, level=0.95)
    assert low[:2] == pytest.approx([0.3, 0.3]) and high[:2] == pytest.approx([0.3, 0.3])
    low, high = bca_interval(values, means, level=1 - 1e-12)
    assert 0 <= low[2] <= 0.2 <= high[2] <= means[:, 2].max()


def test_bca_of_groups_whose_means_do_not_vary():
    """Their values do, but no group moves the mean: every resample has the same one."""
    values = np.array([[0.0], [1.0], [1.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    clusters = clusters_of(values, np.array([3, 3, 5, 5, 8, 8, 8, 8]))
    means = cluster_means(clusters, n_resamples=200, rng=np.random.default_rng(0))
    low, high = bca_interval(values, means, level=0.95, influence=clusters.influence)
    assert (low[0], high[0]) == (0.5, 0.5)


def test_columns_share_the_draws_and_blocks_change_nothing():
    """So many that they are drawn in several blocks."""
    values = np.random.default_rng(5).random((900, 4))
    together = bootstrap_means(values, n_resamples=300, rng=np.random.default_rng(9))
    alone = bootstrap_means(values[:, 2:3], n_resamples=300, rng=np.random.default_rng(9))
    assert (together[:, 2] == alone[:, 0]).all()
    drawn = np.random.default_rng(9).integers(0, 900, (300, 900), dtype=np.int32)
    assert together == pytest.approx(values[drawn].mean(axis=1), abs=1e-12)


# Spearman's rho under resampled groups, against scipy on the resampled rows themselves.


def data(n=60, m=3, seed=1):
    rng = np.random.default_rng(seed)
    target = rng.integers(1, 6, n).astype(float)
    columns = np.round(rng.random((n, m)) + 0.1 * target[:, None], 1)
    return columns, target, np.sort(rng.integers(0, 9, n))


def test_as_scipy_on_the_drawn_rows():
    """Ranks are computed anew in every resample, in two blocks of these."""
    columns, target, groups = data()
    groups = np.unique(groups, return_inverse=True)[1]
    n = int(groups.max()) + 1
    rho = spearman_resamples(columns, target, groups, n_resamples=9_000, rng=np.random.default_rng(5))
    drawn = np.random.default_rng(5).integers(0, n, (9_000, n), dtype=np.int32)
    for k in [*range(20), *range(8_320, 8_340), 8_999]:
        rows = np.concatenate([np.flatnonzero(groups == g) for g in drawn[k]])
        for j in range(columns.shape[1]):
            expected = stats.spearmanr(columns[rows, j], target[rows]).statistic
            assert rho[k, j] == pytest.approx(expected, abs=1e-12)


def test_no_value_where_nothing_varies():
    columns = np.column_stack([np.ones(10), np.arange(10.0)])
    rho = spearman_resamples(
        columns, np.arange(10.0), np.arange(10), n_resamples=20, rng=np.random.default_rng(0)
    )
    assert np.isnan(rho[:, 0]).all() and rho[:, 1] == pytest.approx(1.0)
    low, high = percentile_bounds(rho, level=0.9)
    assert np.isnan(low[0]) and np.isnan(high[0]) and low[1] == pytest.approx(1.0)
