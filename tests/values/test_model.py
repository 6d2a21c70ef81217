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
    ("one", "other"),
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
def test_where_one_text_ends_and_the_next_begins_counts(one: list[str], other: list[str]) -> None:
    assert digest_of(one) != digest_of(other)
    assert digest_of(one, other) != digest_of(other, one)


@given(TEXTS, TEXTS)
def test_lists_share_a_digest_only_when_they_are_equal(one: list[str], other: list[str]) -> None:
    assert (digest_of(one) == digest_of(other)) == (one == other)


@given(TEXTS, TEXTS, TEXTS)
def test_parts_do_not_run_into_each_other(one: list[str], two: list[str], three: list[str]) -> None:
    if (one, two) != (one + two, three):
        assert digest_of(one, two) != digest_of(one + two, three)


@pytest.mark.parametrize("given", [{"alpha": 0}, {"alpha": 1}, {"threshold": 0}, {"threshold": 4}])
def test_settings_at_the_ends_of_their_ranges(given):
    assert Settings(**given).as_dict().items() >= given.items()


@pytest.mark.parametrize(
    ("given", "rule"),
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
def test_settings_beyond_their_ranges(given, rule):
    with pytest.raises(SettingError, match=rule):
        Settings(**given)
