"""Exact sums against fractions and math.fsum, which no order of adding changes."""

import math
from fractions import Fraction
from math import fsum, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.stats.sums import FEW, column_sums, cut, list_sums, mean_of, sum_of, weighted_sums

NUMBERS = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-250)


def columns(n, m, seed):
    """Quotients as scores are, and a column of each size from 1e-9 to 1e9."""
    rng = np.random.default_rng(seed)
    return rng.integers(-30, 30, (n, m)) / rng.integers(1, 30, (n, m)) * 10.0 ** (np.arange(m) * 6 - 9)


@given(st.lists(NUMBERS, max_size=40))
def test_a_sum_is_that_of_fsum(values):
    # of the values as far as they are kept: to multiples of 2^-78 of a power of two above them all
    unit = Fraction(2) ** (math.frexp(max(map(abs, values), default=0.0))[1] - 78)
    kept = [float(round(Fraction(value) / unit) * unit) for value in values]
    assert sum_of(np.array(values)) == fsum(kept)


@pytest.mark.parametrize(("n", "bits"), [(1, 39), (2, 39), (1000, 39), (FEW + 1, 26)])
def test_columns_lists_and_means_are_those_of_fsum(n, bits):
    """In two pieces a number, and in three where there are many."""
    values = columns(n, 4, n)
    assert cut(values).bits == bits
    assert column_sums(values).tolist() == [fsum(column) for column in values.T.tolist()]
    assert list_sums(np.arange(5) * n, values.T.ravel()).tolist() == column_sums(values).tolist()
    assert [mean_of(column) for column in values.T] == [fsum(column) / n for column in values.T.tolist()]


def test_weighted_sums_are_those_of_fractions():
    rng = np.random.default_rng(3)
    values, weights = columns(50, 4, 1), rng.multinomial(50, [0.02] * 50, 20).astype(float)
    exact = [
        [
            float(sum(int(w) * Fraction(x) for w, x in zip(row, column, strict=True)))
            for column in values.T.tolist()
        ]
        for row in weights
    ]
    assert weighted_sums(weights, cut(values)).tolist() == exact


def test_nothing_and_extremes():
    assert column_sums(np.empty((0, 2))).tolist() == [0, 0]
    assert list_sums(np.array([0, 0, 2, 2]), np.array([0.5, 0.25])).tolist() == [0, 0.75, 0]
    assert list_sums(np.array([0]), np.empty(0)).tolist() == []
    assert np.isnan(mean_of(np.empty(0)))
    assert np.isnan(column_sums(np.array([[nan, 1.0], [1.0, 1.0]]))).tolist() == [True, False]
    assert column_sums(np.array([[1e308, 5e-324], [5e307, 5e-324]])).tolist() == [1.5e308, 0.0]
