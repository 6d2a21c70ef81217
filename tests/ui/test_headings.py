"""Headings of every page in order: one title, and no level is skipped on the way down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]
VIEWS: list[tuple[str, dict[str, str]]] = [
    ("app.py", {}),
    ("pages/5_Data.py", {}),
    ("pages/5_Data.py", {"part": "systems"}),
    ("app.py", {}),
    ("pages/1_Queries.py?q=q1", {"q": "q1", "why": "q2", "reader": "R1"}),
    ("pages/2_Robustness.py", {}),
    ("pages/2_Robustness.py?part=measures", {}),
    ("pages/3_Concepts.py", {}),
    ("pages/3_Concepts.py", {"about": "Distances"}),
    ("pages/6_Challenge.py", {}),
    ("pages/1_Queries.py", {}),
    ("pages/4_Readers.py", {}),
    ("pages/4_Readers.py", {"review": "practice", "read": "yes"}),
    ("pages/4_Readers.py?part=review", {}),
    ("pages/7_Generated_images.py", {}),
]


def levels(block: Any) -> Iterator[int]:
    """The levels of all headings below a block, in the order of the page; a dialog's title is one of two."""
    if getattr(block, "type", "") == "dialog":
        yield 2
    tag = getattr(block, "tag", None)
    if getattr(block, "type", "") == "heading" or tag in {"h1", "h2", "h3"}:
        yield int(str(tag)[1:])
    children = getattr(block, "children", {})
    for _, child in sorted(children.items()):
        yield from levels(child)


def test_levels_are_read_as_they_stand() -> None:
    def page() -> None:
        import streamlit as st

        st.title("a")
        with st.container():
            st.subheader("b")
        st.header("c")

    assert list(levels(AppTest.from_function(page).run().main)) == [1, 3, 2]


@pytest.mark.parametrize(("page", "link"), VIEWS)
def test_no_level_is_skipped(open_app: Open, study_folder: Path, page: str, link: dict[str, str]) -> None:
    app = open_app(page, study=study_folder, link=link)
    found = list(levels(app.main))
    assert not app.exception and found[0] == 1 and found.count(1) == 1
    with_dialog = list(levels(app._tree))
    assert ("why" in link) == (len(with_dialog) > len(found))
    steps = [after - before for before, after in pairwise(with_dialog)]
    assert max(steps, default=0) <= 1, with_dialog
