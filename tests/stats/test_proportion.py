"""Wilson's interval against scipy, and what it promises against what a bootstrap keeps of few values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.bootstrap import bca_interval, bootstrap_means, percentile_interval
from evalcore.stats.proportion import wilson_interval


@pytest.mark.parametrize("n", [1, 2, 20, 160, 5000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_as_scipy(n, level):
    for k in {0, 1, n // 3, n - 1, n}:
        oracle = stats.binomtest(k, n).proportion_ci(level, method="wilson")
        assert wilson_interval(k, n, level=level) == pytest.approx((oracle.low, oracle.high), abs=1e-11)


def test_nothing_and_everything_reach_the_end():
    assert wilson_interval(0, 30, level=0.95)[0] == 0.0
    assert wilson_interval(30, 30, level=0.95)[1] == 1.0


def by_bootstrap(interval, k, n):
    values = (np.arange(n) < k).astype(float)[:, np.newaxis]
    means = bootstrap_means(values, n_resamples=2000, rng=np.random.default_rng(0))
    low, high = interval(values, means, level=0.95)
    return low[0], high[0]


def coverage(interval, *, n, chance):
    """How often an interval holds the chance, over all numbers of successes as the binomial weighs them."""
    ends = [interval(k, n) for k in range(n + 1)]
    return sum(stats.binom.pmf(k, n, chance) for k, (low, high) in enumerate(ends) if low <= chance <= high)


def test_what_the_sentence_about_few_queries_says_is_so():
    """Of 20 with a chance of 5% each, none succeeds in 36 of 100 cases; a bootstrap of zeros is [0, 0]."""
    for interval in (lambda _, means, level: percentile_interval(means, level=level), bca_interval):
        kept = coverage(lambda k, n, of=interval: by_bootstrap(of, k, n), n=20, chance=0.05)
        assert round(kept, 2) == 0.64
    promised = coverage(lambda k, n: wilson_interval(k, n, level=0.95), n=20, chance=0.05)
    assert round(promised, 2) == 0.92
