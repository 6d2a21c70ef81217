"""The concepts page as a whole: every view opens, with or without pictures, systems and a graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.concepts.sections import VIEWS
from tests.ui.concepts.conftest import PAGE
from tests.ui.conftest import said, write_study

Open = Callable[..., AppTest]


def test_addresses_of_views_stay() -> None:
    assert list(VIEWS) == ["Path", "Around a concept", "Distances"]


@pytest.mark.parametrize("about", VIEWS)
def test_every_view_without_pictures_and_systems(open_app: Open, tmp_path: Path, about: str) -> None:
    folder = write_study(tmp_path / "bare", pictures=False, systems=False)
    app = open_app(PAGE, study=folder, about=about, reading="Technical")
    assert not app.exception and (app.get("plotly_chart") or "No path" in said(app))


@pytest.mark.parametrize("about", VIEWS)
def test_at_most_two_figures_at_first(open_app: Open, study_folder: Path, about: str) -> None:
    app = open_app(PAGE, study=study_folder, about=about)
    assert not app.exception and len(app.get("plotly_chart")) <= 2


def test_without_a_graph_there_is_a_way_out(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", graph=False))
    assert not app.exception and "This study has no concept graph" in said(app)
