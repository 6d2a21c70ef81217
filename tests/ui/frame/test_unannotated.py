"""A study whose images nobody annotated: its systems are still compared by labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import said

Open = Callable[..., AppTest]


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("app.py", {}, "Which system finds the better images?"),
        ("app.py", {}, "alpha"),
        ("pages/1_Queries.py", {"how": "open"}, "alpha"),
        ("pages/1_Queries.py?q=q1", {"why": "q2"}, "alpha"),
    ],
)
def test_pages_say_so_and_go_on(
    open_app: Open, study_folder: Path, page: str, link: dict[str, str], shown: str
) -> None:
    (study_folder / "concepts.csv").unlink()
    app = open_app(page, study=study_folder, link=link)
    assert not app.exception
    assert "**No image has concepts yet.**" in said(app) and shown in said(app)
