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


def test_no_page_offers_steps_that_the_dictionary_does_not_cover(open_app: Open, without_graph: Path) -> None:
    app = open_app("app.py", study=without_graph, more=True, threshold="2")
    assert not app.exception
    slider = app.slider(key="threshold")
    assert (slider.max, slider.value) == (1, 1)
    assert "The link asks for threshold = 2, which is not possible here" in said(app)


def test_a_sweep_tries_the_steps_that_are_covered(open_app: Open, without_graph: Path) -> None:
    app = open_app("pages/2_Robustness.py", study=without_graph)
    assert not app.exception
    assert any("distances 0 and 1" in part.label for part in app.expander)
