"""What tells studies apart, the digest of their content; ranges of settings."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.values.arrays import digest_of
from evalcore.values.errors import SettingError
from evalcore.values.settings import Settings

TEXTS = st.lists(st.text(st.sampled_from("ab\x1e\x1f\x00,[]'"), max_size=4), max_size=4)


@given(TEXTS, st.lists(st.integers(0, 16), max_size=3))
def test_the_digest_depends_on_where_texts_end(first: list[str], cuts: list[int]) -> None:
    text = "".join(first)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    other = [text[start:end] for start, end in pairwise(places)]
    assert (digest_of(first) == digest_of(other)) == (first == other)
    assert (digest_of(first, other) == digest_of(other, first)) == (first == other)


@given(TEXTS, TEXTS, TEXTS)
def test_the_digest_depends_on_where_parts_end(first: list[str], second: list[str], third: list[str]) -> None:
    if (first, second) != (first + second, third):
        assert digest_of(first, second) != digest_of(first + second, third)


def test_settings_at_the_ends_of_their_ranges_and_beyond():
    for choice in ({"alpha": 0}, {"alpha": 1}, {"threshold": 0}, {"threshold": 4}):
        assert Settings(**choice).as_dict().items() >= choice.items()
    for name, rule, values in (
        ("alpha", "a number from 0 to 1", (-0.001, 1.001, float("nan"))),
        ("threshold", "a whole number from 0 to 4", (-1, 5, 1.5)),
        ("ties", "one of id, expected", ("luck",)),
    ):
        for value in values:
            with pytest.raises(SettingError, match=rule):
                Settings(**{name: value})
