"""The part about measures says the numbers of the library, ratings of physicians among them."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concept_ratings import parse_ratings
from evalcore.values.writing import number
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, Open, figures, page_text, table_with

PAGE = "pages/2_Robustness.py?part=measures"


def test_simple_compares_measures_in_words_and_those_of_a_link(open_tiny: Open) -> None:
    app = open_tiny(PAGE)
    assert app.multiselect(key="yardsticks").options == ["Same concepts", "Same or related concepts"]
    assert open_tiny(PAGE, yardsticks="dice").multiselect(key="yardsticks").value == ["dice"]


def test_pairs_that_two_measures_rank_differently_are_ringed_and_listed(open_tiny: Open) -> None:
    link = {"view": "agreement", "across": "iou", "upward": "nn-iou", "pairs": "any two images"}
    app = open_tiny(PAGE, disagree="open", link=link)
    (figure,) = figures(app, "Same or related concepts against")
    assert figure["data"][1]["customdata"][0] == "q1\tq4"
    assert table_with(app, "Image").iloc[0, :2].tolist() == ["q1", "q4"]


GOOD = f"CUI1,CUI2,Mean\n{NODULE},{MASS},9\n{HEAD},{CHEST},5\n{NODULE},{CHEST},1\n{MASS},{HEAD},2\n"


def upload(app: AppTest, data: str) -> None:
    (widget,) = [w for w in app.file_uploader if str(w.key).startswith("upload-concept_ratings")]
    widget.set_value(("r.csv", data.encode(), "text/csv")).run()


def test_the_table_is_that_of_evalcore_and_a_bad_upload_loses_nothing(
    open_tiny: Open, study_folder: Path
) -> None:
    app = open_tiny(PAGE, view="ratings", reading="Expert")
    upload(app, GOOD)
    ratings, _ = parse_ratings(GOOD.encode(), file="r.csv")
    expected = against_ratings(open_study(study_folder), ratings)
    shown = table_with(app, "Rho")
    assert list(shown["Measure"]) == [row.measure for row in expected]
    assert shown["Rho"][0] == number(expected[0].spearman)
    assert f"rho {number(expected[0].spearman)}" in page_text(app)
    upload(app, "CUI1,CUI2\na,b\n")
    assert "Nothing in it can be used" in page_text(app)
    upload(app, GOOD + f"{NODULE},{HEAD},high\n")
    assert "Those rows are left out" in page_text(app)
    assert table_with(app, "Rho")["Both known"].iloc[0] == 4
