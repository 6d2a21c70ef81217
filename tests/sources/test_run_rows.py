"""What a number is: held against the C library, as trec_eval reads its files with it."""

from __future__ import annotations

import ctypes
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.sources.limits import at_most
from evalcore.sources.problems import Problems
from evalcore.sources.run_rows import RowsSoFar, number, parsed, rank_of

C = ctypes.CDLL(None)
C.strtod.restype = ctypes.c_double
C.strtod.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]


def strtod(word: str) -> float | None:
    """The number C reads when it reads the whole word; None when it stops before its end."""
    text = ctypes.c_char_p(word.encode())
    end = ctypes.c_char_p()
    value = C.strtod(text, ctypes.byref(end))
    return value if word and not word[0].isspace() and end.value == b"" else None


WORDS = (
    st.text("0123456789+-.eE_", min_size=1, max_size=8)
    | st.sampled_from(
        [
            "inf",
            "-inf",
            "+INF",
            "infinity",
            "nan",
            "-nan",
            "NaN",
            "1e400",
            "-1e400",
            "1e-400",
            "1_000",
            "infin",
            "in",
            "na",
        ]
    )
    | st.floats().map(repr)
)


@given(WORDS)
def test_a_number_is_what_strtod_reads_to_its_end(word: str) -> None:
    expected = strtod(word)
    assert (parsed(word) is not None) == (expected is not None)
    found = number(word)
    if expected is None or math.isnan(expected):
        assert math.isnan(found)
    else:
        assert found == expected


@given(st.text(max_size=6))
def test_no_other_text_is_a_number(word: str) -> None:
    """Digits of other scripts, spaces and signs that Python's own float() takes are none."""
    if re.fullmatch("[ -~]*", word) is None or word != word.strip():
        assert parsed(word) is None


@pytest.mark.parametrize(
    ("word", "good"),
    [
        ("", True), ("1", True), ("0", True), ("-3", True), ("2.5", True), ("9007199254740992", True),
        ("9007199254740994", False), ("inf", False), ("nan", False), ("1e400", False), ("x", False),
        ("1_0", False),
    ],
)  # fmt: skip
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
    rows, told = RowsSoFar(), Problems("f")
    for i in range(10):
        rows.add("q", f"c{i}", 0.5, 1, i)
    with at_most(10 * 64 + 11 * 160):
        assert rows.fit(told)
    with at_most(10 * 64 + 11 * 160 - 1):
        assert not rows.fit(told)
    assert [p.rule for p in told.report().problems] == ["too-large"]
