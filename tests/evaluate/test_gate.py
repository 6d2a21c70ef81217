"""A decline below a bound: how often it is seen where there is none, and where there is one."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from evalcore.evaluate.comparison import FALSE_ALARMS, below
from evalcore.stats.permutation import sign_flip_below

RUNS, QUERIES, FLIPS = 500, 80, 999
# So many false alarms of 500 are exceeded once in 1,000 times where each has a chance of 5%.
MOST = binom.ppf(0.999, RUNS, FALSE_ALARMS)


def alarms(draw, *, bound, columns=1, groups=None):
    """In how many of 500 runs a decline of any column is established; `draw` gives differences."""
    rng, n = np.random.default_rng(7), 0
    for run in range(RUNS):
        of = draw(rng)
        each = [of[:, j] for j in range(columns)] if columns > 1 else [of]
        n += (below(each, [groups] * columns, bound=bound, n_resamples=FLIPS, seed=run) < FALSE_ALARMS).any()
    return n


def equal_systems(rng):
    """Precisions at 10 of two equal systems: most queries get the same, some differ, either way."""
    chance = rng.beta(2, 2, QUERIES)
    return (rng.binomial(10, chance) - rng.binomial(10, chance)) / 10


def test_false_alarms_of_equal_systems_are_under_the_level():
    assert 0 < alarms(equal_systems, bound=0.0) <= MOST
    # At the bound itself, which is as far as a system may fall.
    assert 0 < alarms(lambda rng: equal_systems(rng) - 0.01, bound=-0.01) <= MOST
    # Equal systems stay clear of a bound below 0.
    assert alarms(equal_systems, bound=-0.05) <= binom.ppf(0.999, RUNS, 0.01)


def test_false_alarms_are_under_the_level_where_queries_come_in_groups():
    """Eight images of each patient that rise and fall together: whole patients are flipped."""
    groups = np.repeat(np.arange(QUERIES // 8, dtype=np.int32), 8)

    def draw(rng):
        return np.repeat(rng.normal(size=QUERIES // 8), 8) / 10 + rng.normal(size=QUERIES) / 50

    assert alarms(draw, bound=0.0, groups=groups) <= MOST
    assert alarms(draw, bound=0.0) > 2 * MOST  # as if they were independent: the reason for groups


def test_a_decline_is_seen():
    """By 0.1 against 0, standard deviation about 0.2: the normal approximation gives a power of 99.8%."""
    assert alarms(lambda rng: rng.normal(-0.1, 0.2, QUERIES), bound=0.0) >= 490
    assert alarms(lambda rng: rng.normal(-0.1, 0.2, QUERIES), bound=-0.2) == 0


def test_p_is_that_of_all_sign_patterns_and_near_that_of_t():
    """Nine falls of one size and a rise of the same: 1 + 10 of 2^10 patterns lie as low."""
    differences = np.array([-0.1] * 9 + [0.1])
    found = below([differences], [None], bound=0.0, n_resamples=2**10)
    assert found.tolist() == [(comb(10, 0) + comb(10, 1)) / 2**10]
    rng = np.random.default_rng(1)
    many = rng.normal(-0.03, 0.2, 400)
    t = ttest_1samp(many, -0.01, alternative="less").pvalue
    assert below([many], [None], bound=-0.01, n_resamples=20_000)[0] == pytest.approx(t, abs=0.005)


def test_what_nothing_can_be_said_of():
    found = below([np.zeros(0), np.zeros(20), np.full(3, -1.0)], [None] * 3, bound=0.0)
    assert np.isnan(found[0]) and found[1] == 1 and found[2] == 2 * (1 / 8), "the second of two by Holm"
    nothing = sign_flip_below(np.zeros((0, 2)), n_resamples=9, rng=np.random.default_rng(0))
    assert np.isnan(nothing.p).all()
