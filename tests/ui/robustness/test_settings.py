"""The ablation page: its numbers are evalcore's, expensive grids wait for Run, every part draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.robustness import settings
from tests.ui.conftest import Open, said, table_with

PAGE = "pages/2_Robustness.py"
PAPER = "pages/2_Robustness.py?part=paper"


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_settings_that_are_identical_by_definition_are_counted_once(
    open_app: Open, study_folder: Path
) -> None:
    """Of 5 alphas at 0, 1 and 2 steps, alpha 0 and 0 steps are IoU; 2 steps relate no further concepts."""
    app = open_app(PAGE, study=study_folder, step="0.25")
    assert "**alpha** leads on “Same or related concepts first” at all 5 settings" in said(app)
    assert "15 settings tried, 5 of them different; the others are identical by definition." in said(app)
    labels = open_app(PAGE, study=study_folder, step="0.25", measure="P(organ)")
    assert "at every setting" in said(labels)
    assert "All 15 settings are identical by definition." in said(labels)


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
    assert "Another count rule moves a score by at most" in said(app)
    assert set(table_with(app, "Count rule")["Count rule"]) >= {"concepts", "pairs_all", "matching"}
    off = open_app(PAPER, study=study_folder, paper="readings", threshold="0")
    assert any("all interpretations are the same" in info.value for info in off.info)


def test_a_measure_that_no_setting_can_move_says_so(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, measure="P(organ)")
    assert any("change nothing" in info.value for info in app.info)
    moved = open_app(PAGE, study=study_folder, measure="P(organ)", systems="@nn-iou")
    assert not any("change nothing" in info.value for info in moved.info)


def test_a_query_without_concepts_and_labels_is_nothing_to_judge(open_app: Open, study_folder: Path) -> None:
    """q6 has neither, so no setting has a leader and no retrieval a precision."""
    app = open_app(PAGE, study=study_folder, where="organ=", step="0.25")
    assert "No query has a value under this measure" in said(app)
    assert "the same leader" not in said(app)
    app = open_app(PAPER, study=study_folder, paper="curves", where="organ=", step="0.25", by_query="open")
    assert "No query carries these labels" in said(app)
    assert "No query carries the label." in said(app) and "serve every query equally well" not in said(app)


def test_systems_that_are_level_everywhere_are_said_to_be_so(open_app: Open, study_folder: Path) -> None:
    """beta returns what alpha does, so neither leads."""
    systems = study_folder / "systems"
    (systems / "beta" / "run.trec").write_bytes((systems / "alpha" / "run.trec").read_bytes())
    app = open_app(PAGE, study=study_folder, step="0.25", link={"reach": "1"})
    assert "leads on" not in said(app)
    sentence = "The first two systems are tied on “Same or related concepts first” at all 5 settings."
    assert sentence in said(app)
