"""Showing the program to others: what is hidden, and where the tour goes."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore import open_study
from evalcore.study.pictures.thumbnails import TALL, WIDE, full_picture, thumbnail
from evalcore.ui.frame import stage
from tests.ui.conftest import SETS, said

Open = Callable[..., AppTest]
QUERY = "pages/3_Query.py"


def everything(app: AppTest) -> str:
    """All a page says, options of its pickers and labels of its buttons with it."""
    pickers = [str(option) for box in app.selectbox for option in box.options]
    return "\n".join([said(app), *pickers, *(button.label for button in app.button)])


def in_address(app: AppTest, key: str) -> str:
    given = app.query_params[key]
    return given if isinstance(given, str) else given[-1]


def test_images_are_numbered_and_the_address_follows(open_app: Open, study_folder: Path) -> None:
    app = open_app(QUERY, study=study_folder, link={"present": "1", "q": "q3"})
    assert not app.exception
    text = everything(app)
    assert "Image 3" in text and in_address(app, "q") == "Image 3"
    assert not any(image in text.split() or f"**{image}**" in text for image in SETS)
    leave = next(one for one in app.button if one.key == "present-leave")
    back = leave.click().run()
    assert not back.exception and "present" not in back.query_params
    assert in_address(back, "q") == "q3" and "Image 3" not in everything(back)


def test_every_page_can_be_shown(open_app: Open, study_folder: Path) -> None:
    for page in ("app.py", "pages/2_Compare.py", "pages/6_Concepts.py", "pages/9_Review.py"):
        app = open_app(page, study=study_folder, link={"present": "1", "corners": "1"})
        assert not app.exception, page
        assert "present-leave" in {one.key for one in app.button}
        assert ("their ids are shown" in said(app)) == (page == "pages/9_Review.py"), page


def test_the_tour_goes_from_view_to_view_and_starts_over(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, link={"k": "3"}, more=True)
    start = next(one for one in app.button if one.label == "Start the tour")
    app = start.click().run()
    assert not app.exception and "**1 of 5 · A good case**" in said(app)
    ways = {one.key: (one.label, one.disabled) for one in app.button}
    assert ways["present-before"] == ("Previous", True) and ways["present-next"] == ("Next", False)
    seen = []
    for _ in range(4):
        app = next(one for one in app.button if one.key == "present-next").click().run()
        assert not app.exception
        seen.append((app.title[0].value, in_address(app, "stop"), in_address(app, "k")))
    assert seen == [(title, str(i), "3") for i, title in enumerate(["Query", "Query", "tiny", "tiny"], 2)]
    assert next(one for one in app.button if one.key == "present-next").disabled
    app = next(one for one in app.button if one.key == "present-before").click().run()
    assert "**4 of 5 · " in said(app) and in_address(app, "stop") == "4"
    app.slider(key="alpha").set_value(0.9).run()
    app = next(one for one in app.button if one.key == "present-over").click().run()
    assert "1 of 5" in said(app) and app.query_params.get("alpha") is None


def test_corners_are_covered_in_small_and_whole_pictures(study_folder: Path) -> None:
    study = open_study(study_folder)
    shown = stage.hide(study, corners=True)
    assert shown.image_ids[4] == "Image 5" and shown.digest == study.digest
    for make in (lambda images: thumbnail(images, 5, size=32), lambda images: full_picture(images, 5)):
        before, after = (
            np.asarray(Image.open(io.BytesIO(make(images))).convert("L")).astype(int)
            for images in (study.images, shown.images)
        )
        tall, wide = round(before.shape[0] * TALL), round(before.shape[1] * WIDE)
        assert before.min() > 150
        assert all(after[i, j] < 60 for i in (0, -1) for j in (0, -1)) and after[:tall, :wide].mean() < 60
        assert abs(after[before.shape[0] // 2] - before[before.shape[0] // 2]).max() < 12
    assert shown.images.digest != study.images.digest
