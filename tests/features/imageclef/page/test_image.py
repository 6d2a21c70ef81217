"""The images of a run on the challenge page: which are listed, and what is said of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.page import files, results
from tests.features.imageclef.page.app import CAPTION, GOOD, HALF, PAGE, TRUTH, given, linked
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]
SCORES, BASELINE = np.array([0, 0.5, 1, np.nan]), np.array([0, 1, 0.5, np.nan])


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (results.ALL, [0, 1, 2, 3]),
        (results.NOTHING_RIGHT, [0]),
        (results.PERFECT, [2]),
        (results.BETTER, [2]),
        (results.WORSE, [1]),
        ("nothing of that name", [0, 1, 2, 3]),
    ],
)
def test_filters(wanted: str, kept: list[int]) -> None:
    assert np.flatnonzero(results.kept(wanted, SCORES, BASELINE)).tolist() == kept


def images(open_app: Open, folder: Path, **link: str) -> AppTest:
    app = given(open_app(PAGE, study=folder), TRUTH, {"good.csv": GOOD, "half.csv": HALF})
    return linked(app, part=files.PER_IMAGE, **link)


def test_lowest_first_with_truth_and_prediction_of_the_lowest(open_app: Open, study_folder: Path) -> None:
    app = images(open_app, study_folder)
    table = table_with(app, "Image")
    assert table["Image"].tolist() == ["q1", "q2"]
    assert table["F1 ↑"].tolist() == pytest.approx([2 / 3, 1])
    assert "Difference" not in table
    words = said(app)
    assert "**Found:** :green-badge[:material/check: Computed tomography]" in words
    assert "**Missed:** :orange-badge[:material/remove: Chest]" in words
    assert "**Wrong:** –" in words and "Nodule in the chest" in words
    assert len(app.get("image")) == 1


def test_difference_from_the_baseline_and_its_filters(open_app: Open, study_folder: Path) -> None:
    app = images(open_app, study_folder, run="half.csv", images=results.WORSE)
    table = table_with(app, "Image")
    assert table["Image"].tolist() == ["q1"]
    assert table["Difference"].tolist() == pytest.approx([-2 / 3])
    app.segmented_control(key=files.IMAGES).set_value(results.BETTER).run()
    assert not app.exception and "No image matches" in app.info[0].value


def test_an_image_the_study_does_not_know(open_app: Open, study_folder: Path) -> None:
    unknown = TRUTH.replace(b"q1", b"new1").replace(b"q2", b"new2")
    app = given(open_app(PAGE, study=study_folder), unknown, {"run.csv": unknown})
    linked(app, part=files.PER_IMAGE)
    assert "has no picture of this image" in said(app) and not app.get("image")


def test_captions_true_and_predicted(open_app: Open, study_folder: Path) -> None:
    own = CAPTION.replace(b"Nodule", b"Mass")
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": own})
    linked(app, part=files.PER_IMAGE)
    assert "**True:** Nodule" in said(app) and "**Predicted:** Mass" in said(app)
