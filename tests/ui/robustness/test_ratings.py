"""Against physicians: the upload, the numbers of evalcore, vectors from the graph, broken files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.evaluate.ratings import against_ratings
from evalcore.study import open_study
from evalcore.study.concepts.ratings import parse_ratings
from evalcore.values.writing import number
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, said, table_with

Open = Callable[..., AppTest]
PAGE = "pages/2_Robustness.py?part=measures"
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
