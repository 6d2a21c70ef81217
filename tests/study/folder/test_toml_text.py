"""What is written reads back as the same content."""

from __future__ import annotations

import datetime
import math
import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.study.folder.toml import toml_text

WORD = st.text(max_size=8)
PLAIN = WORD | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.dates() | st.times()
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3), max_leaves=8
)
CONTENT = st.dictionaries(WORD, VALUES, max_size=4)


def same(a: Any, b: Any) -> bool:
    """Equal, of the same kinds, not-a-number included."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and a == b


@settings(deadline=None)
@given(CONTENT)
def test_round_trip(content: dict[str, Any]) -> None:
    assert same(tomllib.loads(toml_text(content)), content)


def test_dates_with_a_zone() -> None:
    content = {"a": datetime.datetime(2024, 2, 3, 4, 5, tzinfo=datetime.UTC)}
    assert tomllib.loads(toml_text(content)) == content
