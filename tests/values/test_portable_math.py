"""Logarithms and powers against the C library and decimal arithmetic, and where they must be exact."""

import math
from decimal import Context, Decimal
from math import inf, isnan, nan

import numpy as np
import pytest
from scipy import stats

from evalcore.values.portable_math import exp, exp2, log, log2, quantile, share_below

RNG = np.random.default_rng(1)
MIXED = np.concatenate([RNG.random(500) * 10, 10.0 ** RNG.uniform(-300, 300, 500), np.arange(1, 500)])
EXACTLY = Context(prec=40)


def off_by(values, exactly):
    """The largest error in units of the last place."""
    pairs = zip(values.tolist(), exactly, strict=True)
    return max(float(abs(Decimal(a) - b)) / math.ulp(a) for a, b in pairs)


def test_logarithms_are_right_to_the_last_place():
    usual = MIXED[np.abs(np.log(MIXED)) > 0.5]
    assert off_by(log(usual), [Decimal(x).ln(EXACTLY) for x in usual.tolist()]) < 0.52
    near_1 = np.exp(RNG.uniform(-1, 1, 500) * 10.0 ** RNG.uniform(-9, -0.3, 500))
    assert off_by(log(near_1), [Decimal(x).ln(EXACTLY) for x in near_1.tolist()]) < 3


def test_logarithms_of_ranks_are_rounded_correctly():
    ranks = np.arange(2, 2000)
    two = Decimal(2).ln(EXACTLY)
    assert log2(ranks).tolist() == [float(Decimal(n).ln(EXACTLY) / two) for n in ranks.tolist()]


@pytest.mark.parametrize(("ours", "base"), [(exp, Decimal(1).exp(EXACTLY)), (exp2, Decimal(2))])
def test_powers_are_right_to_the_last_place(ours, base):
    powers = np.concatenate([RNG.random(500), RNG.uniform(-700, 700, 500)])
    assert off_by(ours(powers), [EXACTLY.power(base, Decimal(x)) for x in powers.tolist()]) < 0.52


def test_exact_values():
    whole = range(-1074, 1024)
    assert log2([2.0**k for k in whole]).tolist() == list(whole)
    assert exp2(list(whole)).tolist() == [2.0**k for k in whole]
    assert (float(log(1)), float(exp(0)), log2(np.ones((2, 3))).shape) == (0.0, 1.0, (2, 3))


def test_infinities_and_nan():
    assert log([0.0, inf]).tolist() == log2([0.0, inf]).tolist() == [-inf, inf]
    assert exp([-inf, -1e5]).tolist() == [0.0, 0.0]
    assert all(isnan(value) for value in (*log([-1.0, nan]), *log2([-1.0, nan]), *exp([nan]), *exp2([nan])))


# Normal quantiles and shares against scipy, to their twelve decimals.


@pytest.mark.parametrize("share", [1e-9, 0.025, 0.5, 0.8, 0.975, 1 - 1e-9])
def test_as_scipy(share):
    z = stats.norm.ppf(share)
    assert quantile(share) == pytest.approx(z, abs=6e-13, rel=1e-12)
    assert share_below(z) == pytest.approx(share, abs=6e-13)
    assert quantile(share) == round(quantile(share), 12)
