"""The concepts page as a whole: it opens with or without pictures, systems and a graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.ui.concepts.conftest import PAGE
from tests.ui.conftest import said, write_study

Open = Callable[..., AppTest]


def test_without_pictures_and_systems(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "bare", pictures=False, systems=False)
    app = open_app(PAGE, study=folder, reading="Expert")
    assert not app.exception and (app.get("plotly_chart") or "No path" in said(app))


def test_without_a_graph_there_is_a_way_out(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", graph=False))
    assert not app.exception and "This study has no concept graph" in said(app)
