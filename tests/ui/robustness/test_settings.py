"""The ablation page: its numbers are evalcore's, expensive grids wait for Run, every part draws."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.sweep import stability, sweep
from evalcore.study import open_study
from evalcore.ui.robustness import grids
from evalcore.ui.robustness.grids import grid_of
from evalcore.values.errors import SettingError
from tests.ui.conftest import said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/2_Robustness.py"
READINGS, RETRIEVAL = "readings", "curves"


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_numbers_are_those_of_evalcore(open_app: Open, study_folder: Path) -> None:
    opened = {"reach": "1", "numbers": "open", "maps": "open"}
    app = open_app(PAGE, study=study_folder, step="0.25", link=opened)
    assert not app.exception
    found = stability(
        open_study(study_folder), metric="nnCUI@10", alphas=[0, 0.25, 0.5, 0.75, 1], thresholds=[1]
    )
    table = table_with(app, "Rank")
    assert len(table) == 5 * 2
    for row in table.itertuples():
        one = found.at(row[1], row[2])
        assert one is not None and row[5] == pytest.approx(one.mean(row[3]).mean)
    assert "**alpha** leads on “Same or related concepts first” at all 5 settings" in said(app)
    # The lines and, opened, the map of leads; the order never changes, so its map is a sentence.
    assert len(figures(app)) == 2 and "The ranking never changes; only the scores do." in said(app)


def test_one_system_that_no_setting_moves_has_one_number(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"systems": "alpha", "measure": "CUI", "reach": "1"})
    text = said(app)
    assert "at every setting" in text and "goes from" not in text
    app = open_app(PAGE, study=study_folder, link={"systems": "alpha", "measure": "nnCUI", "reach": "1"})
    assert "goes from" in said(app)


def test_the_setting_in_use_is_always_in_the_grid() -> None:
    grid = grid_of(0.5, [0], grids.Settings(alpha=0.35, threshold=3))
    assert (grid.alphas, grid.thresholds, grid.n) == ((0.0, 0.35, 0.5, 1.0), (0, 3), 8)


def test_moving_alpha_computes_nothing_anew(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app(PAGE, study=study_folder)

    def fail(*_: object, **__: object) -> None:
        raise SettingError("stability", "computed once", "again")

    monkeypatch.setattr("evalcore.evaluate.analysis.stability", fail)
    app.slider(key="alpha").set_value(0.35).run()
    assert "computed once" not in said(app)
    dotted = [shape["x0"] for shape in figures(app)[0]["layout"]["shapes"]]
    assert dotted == [0.35]


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
    monkeypatch.setattr(grids, "AT_ONCE", 10)
    app = open_app(PAGE, study=study_folder, step="0.2", more=True)
    assert not figures(app) and any("wait for **Run**" in info.value for info in app.info)
    (run,) = [button for button in app.button if button.label == "Run"]
    run.click().run()
    assert not app.exception and len(figures(app)) == 1
    # Another grid has to be asked for anew.
    app.number_input(key="k").set_value(3).run()
    assert not figures(app)


def test_the_form_changes_the_grid_and_the_address(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"tried": "open", "numbers": "open"})
    app.selectbox(key="step").set_value("0.25")
    app.button_group(key="reach").set_value(["2"])
    (run,) = [button for button in app.button if button.label == "Run"]
    run.click().run()
    assert (app.query_params["step"], app.query_params["reach"]) == ("0.25", "2")
    assert set(table_with(app, "Rank")["Steps"]) == {1, 2}  # 1 is the setting in use


def test_readings(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, paper=READINGS, numbers="open")
    assert not app.exception and not figures(app)
    names = table_with(app, "Interpretation")["Interpretation"].tolist()
    assert len(names) == 10 and sum("(in use)" in name for name in names) == 2
    assert "Another count rule moves a score by at most" in said(app)
    assert set(table_with(app, "Count rule")["Count rule"]) >= {"concepts", "pairs_all", "matching"}
    off = open_app(PAGE, study=study_folder, paper=READINGS, threshold="0")
    assert any("all interpretations are the same" in info.value for info in off.info)


@pytest.mark.parametrize("subset", ["all", "disagree", "topk_differs"])
def test_retrieval_rows_are_those_of_sweep(open_app: Open, study_folder: Path, subset: str) -> None:
    app = open_app(
        PAGE, study=study_folder, paper=RETRIEVAL, subset=subset, k="2", step="0.25", numbers="open"
    )
    assert not app.exception
    table = table_with(app, "Metric")
    rows = sweep(
        open_study(study_folder),
        alphas=[0, 0.25, 0.5, 0.75, 1],
        thresholds=[0, 1, 2],
        metrics=["P(modality&organ)@2", "P(modality)@2", "P(organ)@2"],
        systems=["@nn-iou"],
        subset=subset,
    )
    assert table["Score ↑"].tolist() == pytest.approx([row.interval.mean for row in rows], nan_ok=True)
    warned = any("chosen because IoU and nn-IoU disagree" in one.value for one in app.warning)
    assert warned == (subset != "all")
    assert ("IoU on the queries where the two disagree, in the share of" in said(app)) == warned
    assert ("gains over IoU, in the share of" in said(app)) != warned


def test_a_study_without_a_graph_or_labels_says_so(open_app: Open, tmp_path: Path) -> None:
    bare = write_study(tmp_path / "bare", graph=False)
    (bare / "labels.csv").unlink()
    app = open_app(PAGE, study=bare, part="settings")
    assert not app.exception and "Nothing to vary" in said(app)
    labelled = write_study(tmp_path / "other")
    (labelled / "labels.csv").unlink()
    app = open_app(PAGE, study=labelled, paper=RETRIEVAL)
    assert not app.exception and "No labels" in said(app)


def test_one_system_is_reported_to_be_too_few(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, systems="alpha")
    assert not app.exception and "Only **alpha** is selected" in said(app)


def test_names_from_files_stay_text(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "odd")
    (folder / "systems" / "alpha").rename(folder / "systems" / "[x](y) $a$")
    app = open_app(PAGE, study=folder)
    assert not app.exception and "[x](y)" not in said(app) and r"\[x\]\(y\)" in said(app)


def test_only_queries_all_systems_answer_when_asked(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"queries": "common", "numbers": "open"}, step="0.25")
    assert not app.exception
    assert set(table_with(app, "Rank")["Queries"]) == {4}  # beta leaves q5 and q6 unanswered


def test_a_measure_that_no_setting_can_move_says_so(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, measure="P(organ)")
    assert any("change nothing" in info.value for info in app.info)
    moved = open_app(PAGE, study=study_folder, measure="P(organ)", systems="@nn-iou")
    assert not any("change nothing" in info.value for info in moved.info)


def test_panels_by_system_show_a_line_per_reach(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, panels="System", step="0.25")
    assert not app.exception
    one = figures(app)[1]
    assert one["layout"]["title"]["text"].startswith("<b>alpha</b>"), "the link opens the part it is about"
    named = [trace["name"] for trace in one["data"] if "markers" in trace["mode"]]
    assert named[:3] == ["0 steps = IoU", "1 step", "2 steps"]
    flat = next(t for t in one["data"] if t["name"] == "0 steps = IoU" and "markers" in t["mode"])
    assert len(set(flat["y"])) == 1 and len(flat["y"]) == 5


def test_label_types_are_shown_not_obeyed(open_app: Open, study_folder: Path) -> None:
    labels = study_folder / "labels.csv"
    labels.write_text(labels.read_text().replace("modality", "*mod*").replace("organ", ":red-badge"))
    app = open_app(PAGE, study=study_folder, paper=RETRIEVAL, by_query="open")
    assert not app.exception
    (judged,) = [one for one in app.get("button_group") if one.key == "labels"]
    # Every sign that Markdown acts on has a backslash before it; the colon's joiner has no width.
    assert [name.replace("\u2060", "") for name in judged.options] == [
        r"The same \*mod\* and \:red\-badge",
        r"The same \*mod\*",
        r"The same \:red\-badge",
    ]


def test_a_query_without_concepts_and_labels_is_nothing_to_judge(open_app: Open, study_folder: Path) -> None:
    """q6 has neither, so no setting has a leader and no retrieval a precision."""
    app = open_app(PAGE, study=study_folder, where="id=q6", step="0.25")
    assert not app.exception and "No query has a value under this measure" in said(app)
    assert "the same leader" not in said(app)
    app = open_app(PAGE, study=study_folder, paper=RETRIEVAL, where="id=q6", step="0.25", by_query="open")
    assert not app.exception and "No query carries these labels" in said(app)
    assert "No query carries the label." in said(app) and "serve every query equally well" not in said(app)


LINK = {"reach": ["0", "1"], "maps": "open"}


def test_maps_that_would_say_the_same_everywhere_are_sentences(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, step="0.25", measure="P(organ)", link=LINK)
    assert not app.exception
    assert "The leader, its lead and the ranking never change." in said(app)
    titles = [one["layout"]["title"]["text"] for one in figures(app)]
    assert not any("Leader" in one or "ranking the same" in one for one in titles)


def test_systems_that_are_level_everywhere_are_said_to_be_so(open_app: Open, study_folder: Path) -> None:
    """beta returns what alpha does, so neither leads."""
    systems = study_folder / "systems"
    (systems / "beta" / "run.trec").write_bytes((systems / "alpha" / "run.trec").read_bytes())
    app = open_app(PAGE, study=study_folder, step="0.25", link={"reach": "1"})
    assert not app.exception and "leads on" not in said(app)
    sentence = "The first two systems are tied on “Same or related concepts first” at all 5 settings."
    assert sentence in said(app)
