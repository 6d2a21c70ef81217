"""The part about measures says the numbers of the library, ratings of physicians among them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concepts.ratings import parse_ratings
from evalcore.values.writing import number
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, Open, page_text, table_with

PAGE = "pages/2_Robustness.py?part=measures"


def traces_of(app: AppTest, title: str) -> list[dict]:
    """The traces of the one figure whose title begins so."""
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    (figure,) = [figure for figure in figures if figure["layout"]["title"]["text"].startswith(f"<b>{title}")]
    return figure["data"]


def numbers(values: object) -> np.ndarray:
    """An array as plotly writes it: a list, or bytes in base64 with type and shape."""
    if not isinstance(values, dict):
        return np.array(values, float)
    shape = [int(n) for n in str(values.get("shape", "-1")).split(",")]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(shape)


def test_simple_compares_measures_in_words_and_those_of_a_link(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert app.multiselect(key="yardsticks").options == ["Same concepts", "Same or related concepts"]
    assert "more measures: select Expert" in page_text(app)
    other = open_app(PAGE, study=study_folder, yardsticks="dice")
    assert other.multiselect(key="yardsticks").value == ["dice"]


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
        widget
        for widget in app.file_uploader
        if re.fullmatch(r"upload-concept_ratings(-\d+)?", str(widget.key))
    ]
    return widget.set_value(("r.csv", data.encode(), "text/csv")).run()


def test_the_table_is_that_of_evalcore_and_a_bad_upload_loses_nothing(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, link={"view": "ratings"}, reading="Expert")
    assert "UMNSRS" in page_text(app)
    app = upload(app, GOOD)
    assert not app.exception
    ratings, _ = parse_ratings(GOOD.encode(), file="r.csv")
    expected = against_ratings(open_study(study_folder), ratings)
    shown = table_with(app, "Rho")
    assert list(shown["Measure"]) == [row.measure for row in expected]
    assert shown["Rho"][0] == number(expected[0].spearman)
    assert f"rho {number(expected[0].spearman)}" in page_text(app)

    app = upload(app, "CUI1,CUI2\na,b\n")
    assert not app.exception and "Nothing in it can be used" in page_text(app)
    app = upload(app, GOOD + f"{NODULE},{HEAD},high\n")
    assert "Those rows are left out" in page_text(app)
    assert table_with(app, "Rho")["Both known"].iloc[0] == 4
