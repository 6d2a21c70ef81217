"""Text from files is shown, never obeyed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.values.writing import md_escape, plain

ACTIVE = r"[\\`*_{}\[\]()<>#+\-!|~$:^=&\"'@/.]"


def shown(text: str) -> str:
    """What Markdown shows of escaped text: backslashes before signs go, the joiner has no width."""
    return re.sub(rf"\\({ACTIVE})", r"\1", text).replace("\u2060", "")


@given(st.text())
def test_every_sign_of_markdown_is_escaped(text: str) -> None:
    assert not re.search(ACTIVE, re.sub(rf"\\{ACTIVE}", "", md_escape(text)))


@pytest.mark.parametrize(
    "text",
    ["http://evil.example/x", "www.evil.example", "a@evil.example", ":smile:", ":material/home:", "a->b"],
)
def test_nothing_is_left_that_streamlit_replaces(text: str) -> None:
    # The patterns Streamlit's Markdown looks for in text after escapes are resolved.
    seen = re.sub(rf"\\({ACTIVE})", r"\1", md_escape(text))
    for pattern in (
        r"https?://",
        r"www\.",
        r"\w@[\w-]+\.",
        r":[\w+-]+:",
        r":material/",
        r"->|<-|--|>=|<=|~=",
    ):
        assert not re.search(pattern, seen)


def test_direction_changes_and_controls_are_dropped() -> None:
    assert plain("a\u202eb\x00c\u200bd\ne") == "abcd e"
