"""What tells studies apart, the digest of their content; what concept sets count; ranges of settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.values.arrays import digest_of
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings

TEXTS = st.lists(st.text(st.sampled_from("ab\x1e\x1f\x00,[]'"), max_size=4), max_size=4)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (["a\x1fb", "c"], ["a", "b\x1fc"]),
        (["a\x1fb"], ["a", "b"]),
        (["ab", ""], ["a", "b"]),
        (["", "ab"], ["ab", ""]),
        ([""], []),
        (["a\x1e"], ["a"]),
        (["é"], ["e", "́"]),
    ],
)
def test_where_one_text_ends_and_the_next_begins_counts(first: list[str], other: list[str]) -> None:
    assert digest_of(first) != digest_of(other)
    assert digest_of(first, other) != digest_of(other, first)


@given(TEXTS, TEXTS)
def test_lists_share_a_digest_only_when_they_are_equal(first: list[str], other: list[str]) -> None:
    assert (digest_of(first) == digest_of(other)) == (first == other)


@given(TEXTS, TEXTS, TEXTS)
def test_parts_do_not_run_into_each_other(first: list[str], second: list[str], third: list[str]) -> None:
    if (first, second) != (first + second, third):
        assert digest_of(first, second) != digest_of(first + second, third)


@pytest.mark.parametrize("choice", [{"alpha": 0}, {"alpha": 1}, {"threshold": 0}, {"threshold": 4}])
def test_settings_at_the_ends_of_their_ranges(choice):
    assert Settings(**choice).as_dict().items() >= choice.items()


@pytest.mark.parametrize(
    ("choice", "rule"),
    [
        ({"alpha": -0.001}, "a number from 0 to 1"),
        ({"alpha": 1.001}, "a number from 0 to 1"),
        ({"alpha": float("nan")}, "a number from 0 to 1"),
        ({"threshold": -1}, "a whole number from 0 to 4"),
        ({"threshold": 5}, "a whole number from 0 to 4"),
        ({"threshold": 1.5}, "a whole number from 0 to 4"),
        ({"ties": "luck"}, "one of id, expected"),
    ],
)
def test_settings_beyond_their_ranges(choice, rule):
    with pytest.raises(SettingError, match=rule):
        Settings(**choice)
