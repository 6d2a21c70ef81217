"""Expensive grids wait for Run; measures say the numbers of the library, ratings of physicians among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concept_ratings import parse_ratings
from evalcore.ui.robustness import settings
from evalcore.values.writing import number
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, Open, button, figures, page_text, table_with

PAGE = "pages/2_Robustness.py?part=measures"


def test_an_expensive_grid_waits_for_run(open_tiny: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "AT_ONCE", 10)
    app = open_tiny("pages/2_Robustness.py", step="0.2", more=True)
    assert not figures(app) and "wait for **Run**" in page_text(app)
    button(app, "Run").click().run()
    assert len(figures(app)) == 1
    # Another grid has to be asked for anew.
    app.number_input(key="k").set_value(3).run()
    assert not figures(app)


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
