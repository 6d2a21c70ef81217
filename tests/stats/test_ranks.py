"""Ranks of many rows at once, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.stats.ranks import row_ranks


@pytest.mark.parametrize("shape", [(200, 7), (1, 5), (30, 1), (0, 4)])
def test_as_scipy_ranks_every_row(shape):
    values = np.random.default_rng(1).integers(0, 5, shape) / 7
    expected = stats.rankdata(-values, axis=1) if shape[0] else np.empty(shape)
    assert np.array_equal(row_ranks(values), expected)


def test_values_that_differ_by_rounding_only_are_level():
    assert row_ranks(np.array([[0.1 + 0.2, 0.3, 0.1, 0.3 + 1e-8]])).tolist() == [[2.5, 2.5, 4.0, 1.0]]
