"""Links as arrays, against sets of pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph.csr import divided, firsts, linked, links_of

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@given(PAIRS, st.sampled_from([np.int32, np.int64]))
def test_each_link_once_in_order(pairs, kind):
    source, target = (np.array([pair[k] for pair in pairs], kind) for k in (0, 1))
    indptr, indices = links_of(source, target, 7)
    found = [indices[indptr[i] : indptr[i + 1]].tolist() for i in range(7)]
    assert found == [sorted({b for a, b in pairs if a == i}) for i in range(7)]
    assert indptr.dtype == np.int64 and indices.dtype == np.int32
    assert not indptr.flags.writeable and not indices.flags.writeable


def test_many_things_do_not_overflow():
    n = 3_000_000  # its square needs more than 32 bits
    indptr, indices = links_of(np.array([n - 1], np.int32), np.array([n - 2], np.int32), n)
    assert indptr[-2:].tolist() == [0, 1] and indices.tolist() == [n - 2]


def test_nothing_links_nothing():
    none = np.empty(0, np.int64)
    indptr, indices = links_of(none, none, 0)
    assert indptr.tolist() == [0] and indices.tolist() == []


@given(PAIRS, st.lists(st.integers(0, 6), max_size=9))
def test_all_links_that_leave_some(pairs, nodes):
    links = links_of(*(np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1)), 7)
    expected = [b for node in nodes for b in sorted({b for a, b in pairs if a == node})]
    assert linked(links, np.array(nodes, np.int64)).tolist() == expected


@given(st.lists(st.integers(0, 2**40), max_size=20), st.integers(1, 1000))
def test_division_and_first_places(values, size):
    keys = np.array(sorted(values), np.int64)
    assert [list(column) for column in divided(keys, size)] == [
        [value // size for value in sorted(values)],
        [value % size for value in sorted(values)],
    ]
    assert keys[firsts(keys)].tolist() == sorted(set(values))
