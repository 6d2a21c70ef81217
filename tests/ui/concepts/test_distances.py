"""How far the concepts of a study are apart, and those of two images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.components import vocabulary
from evalcore.ui.concepts import path
from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import said

Open = Callable[..., AppTest]


def test_distances(open_app: Open, deep_folder: Path) -> None:
    """1-2 and 2-3 are two steps apart, 1-3 four; 5 is not in the graph."""
    app = open_app(PAGE, study=deep_folder, about=vocabulary.DISTANCES, image_a="a", image_b="b")
    assert not app.exception
    text = said(app)
    assert "at most **2 steps** apart; **0%** are direct neighbours" in text
    assert "**3** of 4 concepts" in text
    bars, cells = figures(app)
    assert "n = 6 concept pairs · 3 of 4 concepts" in bars["layout"]["title"]["text"]
    assert carried(cells) == [["C0000001", "C0000002"], ["C0000003", "C0000002"]]
    app.toggle(key="weighted_on").set_value(True).run()
    assert "pairs of occurrences" in figures(app)[0]["layout"]["title"]["text"]
    assert vocabulary.WEIGHTED in app.query_params


def test_an_image_the_study_does_not_have(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, about=vocabulary.DISTANCES, image_a="nowhere")
    assert not app.exception and "image_a = nowhere" in said(app).replace("\\", "")
    assert len(figures(app)) == 2, "two other images are shown instead"


def test_of_many_images_the_id_is_typed(
    open_app: Open, deep_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path, "LISTED", 2)
    app = open_app(PAGE, study=deep_folder, about=vocabulary.DISTANCES, image_b="b")
    assert app.text_input(key="image_a").value == "a" and len(figures(app)) == 2
    app.text_input(key="image_a").set_value("nowhere").run()
    assert not app.exception and "nowhere" in said(app) and len(figures(app)) == 1
    app.text_input(key="image_a").set_value("c").run()
    assert carried(figures(app)[1]) == [["C0000002", "C0000002"], ["C0000005", "C0000002"]]
