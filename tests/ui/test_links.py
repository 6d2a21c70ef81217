"""A link opens its view, and the address keeps what it was given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import sent

Open = Callable[..., AppTest]
VIEWS: list[tuple[str, dict[str, str], str]] = [
    ("app.py", {"closer": "open", "look": "recall"}, "Precision and recall by"),
    ("pages/5_Data.py", {"part": "coverage"}, "How much of the study has each kind"),
    ("app.py", {"a": "texture", "b": "pixel-pca"}, "texture − pixel-pca"),
    ("pages/1_Queries.py", {"kind": "good"}, "Good for all"),
    ("pages/1_Queries.py?q=q1", {"q": "SYN_011", "n": "20"}, "query 11 of 160"),
    (
        "pages/1_Queries.py?q=q1",
        {"q": "SYN_011", "a": "texture", "b": "pixel-pca", "also": "hog"},
        "3 of 5 systems shown",
    ),
    (
        "pages/4_Readers.py",
        {"review": "practice", "read": "yes", "reader": "R7"},
        "How useful is this result",
    ),
    ("pages/2_Robustness.py?part=measures", {"view": "definitions"}, "CSV of these measures"),
    (
        "pages/3_Concepts.py",
        {"from": "C0039985", "to": "C0040405"},
        "From Plain chest x-ray to X-ray computed",
    ),
]
"""An address deep into a page, and words that only its view shows."""


@pytest.mark.parametrize(("page", "link", "words"), VIEWS)
def test_a_link_opens_its_view_and_stays(open_app: Open, page: str, link: dict[str, str], words: str) -> None:
    app = open_app(page, link=link)
    assert not app.exception
    assert words in "\n".join(sent(app._tree))
    assert {key: app.query_params[key] for key in link} == link
