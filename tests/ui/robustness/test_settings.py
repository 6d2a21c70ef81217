"""The ablation page: its numbers are evalcore's, expensive grids wait for Run, every part draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.robustness import settings
from tests.ui.conftest import Open, page_text, table_with

PAGE = "pages/2_Robustness.py"
PAPER = "pages/2_Robustness.py?part=paper"


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_an_expensive_grid_waits_for_run(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "AT_ONCE", 10)
    app = open_app(PAGE, study=study_folder, step="0.2", more=True)
    assert not figures(app) and any("wait for **Run**" in info.value for info in app.info)
    (run,) = [button for button in app.button if button.label == "Run"]
    run.click().run()
    assert not app.exception and len(figures(app)) == 1
    # Another grid has to be asked for anew.
    app.number_input(key="k").set_value(3).run()
    assert not figures(app)


def test_readings(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAPER, study=study_folder, paper="readings", numbers="open")
    assert not figures(app)
    names = table_with(app, "Interpretation")["Interpretation"].tolist()
    assert len(names) == 8 and sum("(in use)" in name for name in names) == 1
    assert "Another count rule moves a score by at most" in page_text(app)
    assert set(table_with(app, "Count rule")["Count rule"]) >= {"concepts", "pairs_all", "matching"}


def test_systems_that_are_level_everywhere_are_said_to_be_so(open_app: Open, study_folder: Path) -> None:
    """beta returns what alpha does, so neither leads."""
    systems = study_folder / "systems"
    (systems / "beta" / "run.trec").write_bytes((systems / "alpha" / "run.trec").read_bytes())
    app = open_app(PAGE, study=study_folder, step="0.25", link={"reach": "1"})
    assert "leads on" not in page_text(app)
    sentence = "The first two systems are tied on “Same or related concepts first” at all 5 settings."
    assert sentence in page_text(app)
