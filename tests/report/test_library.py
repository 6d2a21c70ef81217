"""What the library answers: the numbers of commands and pages, as sequences, tables, frames and figures."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import evalcore as cs
from evalcore.cli import run
from tests import typed_script
from tests.conftest import ROOT

SAMPLE = str(ROOT / "data")


@pytest.fixture(scope="module")
def study():
    return cs.open_study(SAMPLE)


@pytest.fixture(scope="module")
def board(study):
    return cs.score(study, baseline="hog")


def assert_rows(frame: pd.DataFrame, rows: list[dict]) -> None:
    """The same columns, in order, and the same values to the last digit; null where there is none."""
    assert list(frame) == list(rows[0])
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert records == rows


FRAMES = {
    "scores": (lambda board: board, "score --baseline hog"),
    "slices": (
        lambda board: cs.slices(board, by=["modality", "organ"]),
        "score --baseline hog --by modality --by organ",
    ),
    "queries": (lambda board: cs.queries(board, "CUI@10"), "queries --metric CUI@10"),
    "rows": (
        lambda board: cs.sweep(board.analysis.study, alphas=(0, 0.5), thresholds=(1,)),
        "sweep --alphas 0,0.5 --thresholds 1 --metric nnCUI@10",
    ),
}
"""What the library returns, and the command that prints the same."""


@pytest.mark.parametrize("key", FRAMES)
def test_a_frame_is_the_table_of_the_command(board, as_json, key):
    answered, words = FRAMES[key]
    command, *options = words.split()
    rows = as_json(command, SAMPLE, *options)[key]
    assert_rows(answered(board).to_frame().head(150), rows[:150])


def test_a_board_is_a_sequence_with_its_comparisons(board):
    assert len(board) == 15 and isinstance(board[0], cs.Scores) and len(board[:2]) == 2
    assert {(row.baseline, row.n_family) for row in board.comparisons} == {("hog", 4)}
    assert any("count in each" in sentence for sentence in cs.slices(board, "organ").sentences())


def test_a_path_is_that_of_the_command(study, as_json):
    path, document = cs.path(study, "lung", "heart"), as_json("path", SAMPLE, "lung", "heart")
    assert (path.distance, path.n_shortest) == (document["distance"], document["n_shortest"])
    with pytest.raises(cs.UnknownName):
        cs.path(study, "lung", "hart of stone")


def test_a_board_on_paper_is_that_of_the_command(board, tmp_path):
    tables = {"latex": tmp_path / "board.tex", "markdown": tmp_path / "board.md"}
    words = (word for name, file in tables.items() for word in (f"--{name}", str(file)))
    assert run(["score", SAMPLE, "--baseline", "hog", *words]) == 0
    assert board.to_latex().strip() in tables["latex"].read_text("utf-8")
    assert board.to_markdown().strip() in tables["markdown"].read_text("utf-8")
    mean = board.interval("hog", "CUI@10")
    interval = f"({mean.low:.3f}–{mean.high:.3f})"
    assert interval in board.to_markdown() and interval not in board.to_markdown(intervals=False)


def test_means_by_name_and_what_is_not_on_the_board(board):
    mean = float(np.nanmean(board.of("hog", "CUI@10").values))
    assert board.mean("hog", "CUI@10") == pytest.approx(mean, abs=1e-12)
    assert board.interval("hog", "CUI@10").low < mean < board.interval("hog", "CUI@10").high
    with pytest.raises(cs.UnknownName, match="metric on this board"):
        board.mean("hog", "CUI@5")
    with pytest.raises(cs.UnknownName, match="hogg"):
        board.mean("hogg", "CUI@10")


def test_a_mapping_is_no_settings(study):
    for ask in (cs.score, cs.sweep, lambda study, **more: cs.explain(study, *study.image_ids[:2], **more)):
        with pytest.raises(cs.SettingError, match=r"Settings\(alpha=0\.3\)"):
            ask(study, settings={"alpha": 0.3})


def test_one_text_or_number_is_a_list_of_it(study):
    settings = {"alphas": 0.5, "thresholds": 1, "count_rules": "pairs", "systems": "hog"}
    assert [row.settings.count_rule for row in cs.sweep(study, **settings).rows] == ["pairs"]
    assert cs.common_queries(study, "hog").tolist() == cs.common_queries(study, ["hog"]).tolist()


def test_queries_are_named_by_ids_or_by_their_indices(study):
    ids = list(study.image_ids[3:6])
    by_id, by_index = (cs.score(study, "CUI@10", queries=queries) for queries in (ids, np.array([3, 4, 5])))
    assert [scores.queries.tolist() for scores in by_id] == [[3, 4, 5]] * len(study.systems)
    for left, right in zip(by_id, by_index, strict=True):
        np.testing.assert_array_equal(left.values, right.values)


def test_two_systems_of_a_board_as_among_all_pairs(study, board, as_json):
    free = cs.score(study, ["nnCUI@10"])
    (comparison,) = cs.compare(free, "texture", "pixel-pca")
    rows = as_json("compare", SAMPLE, "--all", "--metric", "nnCUI@10")["comparisons"]
    (row,) = (r for r in rows if {r["system"], r["baseline"]} == {"texture", "pixel-pca"})
    assert comparison.p_corrected == row["p_corrected"] and abs(comparison.difference) == abs(
        row["difference"]
    )
    fixed = cs.compare(board, "texture", "hog")
    assert [comparison.family for comparison in fixed] == ["baseline"] * 3 and len(fixed.to_frame()) == 3
    assert "hog scores 0.0532 higher than texture" in fixed.verdict("nnCUI@10")
    planned = cs.compare(cs.score(study, "nnCUI@10", systems=["hog", "texture"]), "hog", "texture")
    assert planned[0].p_corrected == planned[0].p and planned[0].n_family == 1
    for wrong in (("hog", "hog"), ("hog", "nobody")):
        with pytest.raises(cs.CuiscopeError):
            cs.compare(free, *wrong)


def test_what_is_no_board_no_study_and_no_query_is_refused(study, board):
    for wrong in (
        lambda: cs.compare(list(board), "hog", "texture"),
        lambda: cs.queries(study),
        lambda: cs.slices(study, "organ"),
    ):
        with pytest.raises(cs.SettingError, match="what score returned"):
            wrong()
    for ask in (cs.score, cs.sweep):
        with pytest.raises(cs.SettingError, match="what open_study or make_study returned"):
            ask(SAMPLE)
    for queries in ([-1], [160], [0.5]):
        with pytest.raises(cs.SettingError, match="ids of images, or their indices from 0 to 159"):
            cs.score(study, "CUI@10", queries=queries)
    with pytest.raises(cs.UnknownName, match="No image called 'nobody'"):
        cs.score(study, "CUI@10", queries=["nobody"])


def test_a_report_by_a_single_column(study, tmp_path):
    view = cs.score(study, "CUI@10", systems=["hog", "texture"]).view
    written = cs.write_report(study, tmp_path / "report.html", view=view, by="organ")
    assert "CUI@10 by organ" in written.read_text("utf-8")


def test_figures_are_plotly_figures(study, board):
    sweep = cs.sweep(study, alphas=(0, 0.5), thresholds=(0, 1))
    drawn = [
        board.plot(),
        board.plot("CUI@10"),
        cs.compare(board, "texture", "hog").plot(),
        cs.slices(board, "modality").plot("CUI@10"),
        sweep.plot(),
        sweep.plot(threshold=0),
    ]
    assert all(isinstance(figure, go.Figure) and figure.data for figure in drawn)
    for wrong in (lambda: sweep.plot(threshold=4), lambda: board.plot("CUI@3"), lambda: sweep.plot("CUI@3")):
        with pytest.raises(cs.UnknownName):
            wrong()


def test_a_typed_script_runs_and_mypy_checks_it():
    """`python -m mypy`, which CI runs, reads the files that pyproject.toml names."""
    assert (ROOT / "evalcore/py.typed").is_file()
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert mypy["strict"] and "tests/typed_script.py" in mypy["files"]
    assert typed_script.main() == pytest.approx(1 / 3)  # of three queries one is right, one not answered
