"""A study with a neighbour dictionary in place of a graph: related findings count on every page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, said, write_study

Open = Callable[..., AppTest]


@pytest.fixture
def without_graph(tmp_path: Path) -> Path:
    folder = write_study(tmp_path / "dictionary", graph=False)
    rows = f"{NODULE},{MASS},1\n{HEAD},{CHEST},1\n"
    (folder / "neighbours.csv").write_text(f"cui,neighbour,distance\n{rows}")
    return folder


def test_related_findings_are_on_offer(open_app: Open, without_graph: Path) -> None:
    app = open_app("app.py", study=without_graph, more=True)
    assert not app.exception
    assert "neighbour dictionary" in said(app) and "no graph" not in said(app)
    assert not app.slider(key="alpha").disabled
    assert "@nn-iou" in str(app.multiselect(key="systems").options + app.selectbox(key="baseline").options)


def test_cards_count_them(open_app: Open, without_graph: Path) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=without_graph, q="q1", why="q2")
    assert not app.exception
    assert "closely related ones count in part" in said(app)
    assert [slider.key for slider in app.slider if slider.key == "what_if"]


def test_the_data_page_says_what_stands_in_for_the_graph(open_app: Open, without_graph: Path) -> None:
    app = open_app("pages/5_Data.py", study=without_graph, part="coverage")
    assert not app.exception
    assert "a neighbour dictionary in place of a concept graph" in said(app)
    assert "cannot be counted" not in said(app)
