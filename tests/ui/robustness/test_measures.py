"""The part about measures says the numbers of the library, ratings of physicians among them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.measures import agreement, pair_values, sample_pairs
from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concepts.ratings import parse_ratings
from evalcore.ui.robustness.work import FIRST
from evalcore.values.writing import number
from tests.measured import analysed, table_one
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, Open, said, table_with

PAGE = "pages/2_Robustness.py?part=measures"
MEASURES = ["iou", "overlap", "nn-iou", "matching:path"]


def traces_of(app: AppTest, title: str) -> list[dict]:
    """The traces of the one figure whose title begins so."""
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    (found,) = [one for one in figures if one["layout"]["title"]["text"].startswith(f"<b>{title}")]
    return found["data"]


def numbers(values: object) -> np.ndarray:
    """An array as plotly writes it: a list, or bytes in base64 with type and shape."""
    if not isinstance(values, dict):
        return np.array(values, float)
    shape = [int(n) for n in str(values.get("shape", "-1")).split(",")]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(shape)


def chosen(app: AppTest) -> AppTest:
    return app.multiselect(key="yardsticks").set_value(MEASURES).run()


def test_agreement_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = chosen(open_app(PAGE, study=study_folder, reading="Expert", view="agreement"))
    assert not app.exception
    study = open_study(study_folder)
    sample = sample_pairs(study, systems=study.systems)
    found = agreement("results", pair_values(study, MEASURES, sample.queries, sample.candidates))
    low = min(float(found.kendall[i, j]) for i in range(4) for j in range(i))
    assert f"Kendall’s τ {number(low)}" in said(app)
    assert f"on {found.n} pairs of images" in said(app)
    matrix = numbers(traces_of(app, "Do the measures agree?")[0]["z"])
    upper, lower = np.triu_indices(4, 1), np.tril_indices(4, -1)
    assert matrix[upper] == pytest.approx(found.spearman[upper])
    assert matrix[lower] == pytest.approx(found.kendall[lower])


def test_ranking_and_crossings(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, reading="Expert", means="open")
    assert not app.exception
    assert "**alpha** is best under **all 7 measures**, over 5 queries, and no two systems swap" in said(app)
    table = table_with(app, "nn-iou ↑")
    scores = analysed(open_study(study_folder), ["nn-iou", *FIRST]).by_measure()
    assert table["nn-iou ↑"].to_numpy(float) == pytest.approx(scores.means[:, 0])
    places = {trace["name"]: trace["y"] for trace in traces_of(app, "Ranking")}
    assert places == {"alpha": [1] * 7, "beta": [2] * 7}


def test_power_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, reading="Expert", view="power")
    assert not app.exception
    powers = analysed(open_study(study_folder), FIRST).discrimination()
    table = table_with(app, "Pairs separated")
    assert table["Pairs separated"].tolist() == [f"{one.separated} of 1" for one in powers]
    assert "seed 0; p of one comparison, not corrected, p < 0.05" in said(app)


def test_table_one_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, reading="Expert", column="P(organ)@5", part="paper")
    assert not app.exception
    names = list(FIRST)
    found = table_one(open_study(study_folder), names)
    j = found.metrics.index("P(organ)@5")
    table = table_with(app, "organ ↑")
    for shown, row in zip(table["organ ↑"], found.cells, strict=True):
        assert number(row[j].mean.mean) in shown and f"{row[j].scores.tied}\u00a0tied" in shown
        assert shown.startswith("**") == row[j].best
    assert list(table.columns) == ["Measure", "modality ↑", "organ ↑", "modality & organ ↑"]


def test_simple_compares_measures_in_words_and_those_of_a_link(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert app.multiselect(key="yardsticks").options == ["Same concepts", "Same or related concepts"]
    assert "more measures: select Expert" in said(app)
    other = open_app(PAGE, study=study_folder, yardsticks="dice")
    assert not other.exception and other.multiselect(key="yardsticks").value == ["dice"]


def test_pairs_that_two_measures_rank_differently_are_ringed_and_listed(
    open_app: Open, study_folder: Path
) -> None:
    link = {"view": "agreement", "across": "iou", "upward": "nn-iou", "pairs": "any two images"}
    app = open_app(PAGE, study=study_folder, disagree="open", link=link)
    rings = traces_of(app, "Same or related concepts against")[1]
    assert rings["customdata"][0] == "q1\tq4"
    assert table_with(app, "Image").iloc[0, :2].tolist() == ["q1", "q4"]


GOOD = f"CUI1,CUI2,Mean\n{NODULE},{MASS},9\n{HEAD},{CHEST},5\n{NODULE},{CHEST},1\n{MASS},{HEAD},2\n"


def upload(app: AppTest, data: str) -> AppTest:
    (widget,) = [
        one for one in app.file_uploader if re.fullmatch(r"upload-concept_ratings(-\d+)?", str(one.key))
    ]
    return widget.set_value(("r.csv", data.encode(), "text/csv")).run()


def test_the_table_is_that_of_evalcore_and_a_bad_upload_loses_nothing(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, link={"view": "ratings"}, reading="Expert")
    assert not app.exception and "UMNSRS" in said(app)
    app = upload(app, GOOD)
    assert not app.exception
    ratings, _ = parse_ratings(GOOD.encode(), file="r.csv")
    expected = against_ratings(open_study(study_folder), ratings)
    shown = table_with(app, "Rho")
    assert list(shown["Measure"]) == [one.measure for one in expected]
    assert shown["Rho"][0] == number(expected[0].spearman)
    assert f"rho {number(expected[0].spearman)}" in said(app)

    app = upload(app, "CUI1,CUI2\na,b\n")
    assert not app.exception and "Nothing in it can be used" in said(app)
    app = upload(app, GOOD + f"{NODULE},{HEAD},high\n")
    assert "Those rows are left out" in said(app)
    assert table_with(app, "Rho")["Both known"].iloc[0] == 4
