"""Bootstrap intervals against exact enumeration, scipy, theory, and themselves."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from evalcore.stats import bootstrap
from evalcore.stats.bootstrap import bca_interval, bootstrap_means, percentile_interval


def test_the_distribution_of_means_is_that_of_all_resamples():
    values = np.array([0.0, 1.0, 5.0])
    exact, weight = np.unique([np.mean(c) for c in product(values, repeat=3)], return_counts=True)
    means = bootstrap_means(values[:, None], n_resamples=200_000, rng=np.random.default_rng(1))[:, 0]
    for mean, share in zip(exact, weight / 27, strict=True):
        # a share of 200,000 draws: five standard errors
        error = 5 * np.sqrt(share * (1 - share) / 200_000)
        assert np.mean(np.isclose(means, mean)) == pytest.approx(share, abs=error)


def test_intervals_agree_with_scipy():
    rng = np.random.default_rng(2)
    values = rng.beta(2, 5, (150, 3))
    low, high = percentile_interval(bootstrap_means(values, n_resamples=20_000, rng=rng), level=0.9)
    for column in range(3):
        oracle = stats.bootstrap(
            (values[:, column],),
            np.mean,
            n_resamples=20_000,
            confidence_level=0.9,
            method="percentile",
            rng=np.random.default_rng(3),
        ).confidence_interval
        width = oracle.high - oracle.low
        assert low[column] == pytest.approx(oracle.low, abs=0.03 * width)
        assert high[column] == pytest.approx(oracle.high, abs=0.03 * width)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_bca_is_scipys_of_the_same_resamples(level):
    rng = np.random.default_rng(8)
    values = np.column_stack([rng.beta(0.5, 4, 40), rng.normal(size=40), rng.random(40) < 0.1]).astype(float)
    means = bootstrap_means(values, n_resamples=3000, rng=rng)
    low, high = bca_interval(values, means, level=level)
    for j in range(3):
        known = SimpleNamespace(bootstrap_distribution=means[:, j])
        oracle = stats.bootstrap(
            (values[:, j],),
            np.mean,
            n_resamples=0,
            bootstrap_result=known,
            confidence_level=level,
            method="BCa",
        ).confidence_interval
        assert (low[j], high[j]) == pytest.approx((oracle.low, oracle.high), abs=1e-9)
    assert (low[0], high[0]) != tuple(ends[0] for ends in percentile_interval(means, level=level))


def test_bca_of_values_that_do_not_vary_and_of_extreme_levels():
    values = np.column_stack([np.full(5, 0.3), [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], [0, 0, 0, 0, 1]])
    means = bootstrap_means(values, n_resamples=200, rng=np.random.default_rng(0))
    low, high = bca_interval(values, means, level=0.95)
    assert low[:2] == pytest.approx([0.3, 0.3]) and high[:2] == pytest.approx([0.3, 0.3])
    low, high = bca_interval(values, means, level=1 - 1e-12)
    assert 0 <= low[2] <= 0.2 <= high[2] <= means[:, 2].max()


def test_width_is_that_of_the_normal_interval_for_many_rows():
    values = np.random.default_rng(4).normal(size=(4000, 1))
    low, high = percentile_interval(
        bootstrap_means(values, n_resamples=4000, rng=np.random.default_rng(0)), level=0.95
    )
    theory = 2 * 1.959964 * values.std() / np.sqrt(4000)
    assert (high - low)[0] == pytest.approx(theory, rel=0.05)


def test_a_constant_column_has_an_interval_without_width():
    low, high = percentile_interval(
        bootstrap_means(np.full((7, 1), 0.25), n_resamples=50, rng=np.random.default_rng(0)), level=0.95
    )
    assert low == pytest.approx(0.25) and high == pytest.approx(0.25)


def test_columns_share_the_draws_and_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(5).random((40, 4))
    together = bootstrap_means(values, n_resamples=100, rng=np.random.default_rng(9))
    alone = bootstrap_means(values[:, 2:3], n_resamples=100, rng=np.random.default_rng(9))
    assert (together[:, 2] == alone[:, 0]).all()
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", 7 * 40)
    blocked = bootstrap_means(values, n_resamples=100, rng=np.random.default_rng(9))
    assert (blocked == together).all()
