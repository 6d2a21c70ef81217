"""Rows of a run: columns with each id once, what counts as a rank, what they take in memory."""

from __future__ import annotations

import math

import pytest

from evalcore.study.runs.run_tables import RowsSoFar, rank_of
from evalcore.study.tables.limits import at_most
from evalcore.study.tables.problems import Problems


@pytest.mark.parametrize(
    ("word", "good"),
    [
        ("", True),
        ("1", True),
        ("0", True),
        ("-3", True),
        ("2.5", True),
        ("9007199254740992", True),
        ("9007199254740994", False),
        ("inf", False),
        ("nan", False),
        ("1e400", False),
        ("x", False),
        ("1_0", False),
    ],
)
def test_a_rank_is_empty_or_a_number_that_counts_exactly(word: str, good: bool) -> None:
    assert (rank_of(word) is not None) == good


def test_rows_are_columns_with_each_id_once() -> None:
    rows = RowsSoFar()
    rows.add("q", "b", 0.5, 1, 3)
    rows.add("q", "a", 0.25, math.nan, 4)
    rows.add("p", "b", 1, 2, 7)
    found = rows.coded("trec", "f", ranked=True)
    assert (found.query_ids, found.candidate_ids, found.file) == (("q", "p"), ("b", "a"), "f")
    assert (found.queries.tolist(), found.candidates.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert (found.scores.tolist(), found.lines.tolist()) == ([0.5, 0.25, 1], [3, 4, 7])
    assert str(found.ranks.tolist()) == "[1.0, nan, 2.0]"
    assert rows.coded("json", "f", ranked=False).ranks is None


def test_rows_count_against_the_cap() -> None:
    rows, problems = RowsSoFar(), Problems("f")
    for i in range(10):
        rows.add("q", f"c{i}", 0.5, 1, i)
    with at_most(10 * 64 + 11 * 160):
        assert rows.fit(problems)
    with at_most(10 * 64 + 11 * 160 - 1):
        assert not rows.fit(problems)
    assert [p.rule for p in problems.report().problems] == ["too-large"]
