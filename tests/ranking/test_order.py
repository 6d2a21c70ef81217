"""The one tie rule: score descending, image index ascending, queries ascending."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.ranking.order import offsets_of, ranked_order, tie_groups


def test_score_descending_then_candidate_ascending_within_each_query():
    queries = np.array([1, 0, 1, 0, 1], np.int32)
    scores = np.array([0.5, 0.1, 0.9, 0.7, 0.5])
    candidates = np.array([9, 3, 4, 8, 2], np.int32)
    order = ranked_order(queries, scores, candidates)
    # by hand: query 0 -> 8 (.7), 3 (.1); query 1 -> 4 (.9), 2 (.5), 9 (.5)
    assert order.tolist() == [3, 1, 2, 4, 0]


def test_rows_in_order_are_left_alone_and_almost_ordered_rows_are_not():
    queries = np.array([0, 0, 1, 1], np.int32)
    scores = np.array([0.5, 0.5, 0.5, 0.2])
    assert ranked_order(queries, scores, np.array([1, 2, 0, 3], np.int32)).tolist() == [0, 1, 2, 3]
    assert ranked_order(queries, scores, np.array([2, 1, 0, 3], np.int32)).tolist() == [1, 0, 2, 3]


def test_infinite_and_negative_scores_and_an_empty_run():
    queries = np.zeros(3, np.int32)
    assert ranked_order(
        queries, np.array([-1.0, np.inf, -np.inf]), np.arange(3, dtype=np.int32)
    ).tolist() == [1, 0, 2]
    empty = np.empty(0, np.int32)
    assert len(ranked_order(empty, np.empty(0), empty)) == 0


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"equally long. Got \[1, 2, 1\]"):
        ranked_order(np.zeros(1, np.int32), np.zeros(2), np.zeros(1, np.int32))


def test_offsets_name_each_query_once_and_where_it_begins():
    queries, indptr = offsets_of(np.array([0, 0, 3, 7, 7, 7], np.int32))
    assert queries.tolist() == [0, 3, 7]
    assert indptr.tolist() == [0, 2, 3, 6]
    queries, indptr = offsets_of(np.empty(0, np.int32))
    assert queries.tolist() == [] and indptr.tolist() == [0]


def test_tie_groups_end_with_their_list():
    # two lists: [5 5 2] and [2 2]; the 2 at the end of the first is not tied with the second's
    indptr = np.array([0, 3, 3, 5])
    assert tie_groups(indptr, np.array([5.0, 5.0, 2.0, 2.0, 2.0])).tolist() == [0, 2, 3, 5]
    assert tie_groups(np.array([0, 0]), np.empty(0)).tolist() == [0]
