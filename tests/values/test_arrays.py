"""Offsets and runs against plain loops; what equal and different contents have for a digest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.values.arrays import expand_ranges, indptr_of

LENGTHS = st.lists(st.integers(0, 5), max_size=12)


@given(LENGTHS)
def test_rows_begin_where_those_before_end(lengths):
    expected = [sum(lengths[:k]) for k in range(len(lengths) + 1)]
    found = indptr_of(lengths)
    assert found.tolist() == expected and found.dtype == np.int64


def test_sums_of_small_types_do_not_overflow():
    assert indptr_of(np.full(3, 2**31 - 1, np.int32)).tolist() == [k * (2**31 - 1) for k in range(4)]
    assert indptr_of(np.ones(300, np.bool_))[-1] == 300


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 4)), max_size=12),
    st.sampled_from([np.int32, np.int64]),
)
def test_runs_one_after_the_other(runs, kind):
    expected = [at for start, length in runs for at in range(start, start + length)]
    starts, lengths = np.array([run[0] for run in runs], np.int64), np.array([run[1] for run in runs], kind)
    assert expand_ranges(starts, lengths).tolist() == expected


@pytest.mark.parametrize("empty", [np.empty(0, np.int64), np.zeros(3, np.int64)])
def test_no_runs(empty):
    assert expand_ranges(empty, empty).tolist() == []
