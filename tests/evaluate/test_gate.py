"""A decline below a bound: how often it is seen where there is none, and where there is one."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from evalcore.evaluate.comparison import FALSE_ALARMS, below
from tests.toy_values import scores_of

RUNS, QUERIES, FLIPS = 500, 80, 999
# So many false alarms of 500 are exceeded once in 1,000 times where each has a chance of 5%.
MOST = binom.ppf(0.999, RUNS, FALSE_ALARMS)


def p_below(*columns, groups=None, **how):
    """p of systems whose differences from a baseline of zeros these are."""
    pairs = [[scores_of("s", values, groups=groups) for values in (0 * column, column)] for column in columns]
    return below(pairs, **how)


def alarms(draw, *, bound, groups=None):
    """In how many of 500 runs a decline is established; `draw` gives differences."""
    rng = np.random.default_rng(7)
    each = (p_below(draw(rng), groups=groups, bound=bound, flips=FLIPS, seed=run)[0] for run in range(RUNS))
    return sum(p < FALSE_ALARMS for p in each)


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
    p = p_below(differences, bound=0.0, flips=2**10)
    assert p.tolist() == [(comb(10, 0) + comb(10, 1)) / 2**10]
    many = np.random.default_rng(1).normal(-0.03, 0.2, 400)
    t = ttest_1samp(many, -0.01, alternative="less").pvalue
    assert p_below(many, bound=-0.01, flips=20_000)[0] == pytest.approx(t, abs=0.005)


def test_what_nothing_can_be_said_of():
    p = p_below(np.zeros(0), np.zeros(20), np.full(3, -1.0), bound=0.0)
    assert np.isnan(p[0]) and p[1] == 1 and p[2] == 2 * (1 / 8), "the second of two by Holm"
