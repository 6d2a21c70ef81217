"""What lies around a concept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.ui.components import vocabulary
from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import CT, NODULE, said, table_with

Open = Callable[..., AppTest]


def test_around_a_concept(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, about=vocabulary.AROUND, concept="two", within="2", near="open")
    assert not app.exception
    text = said(app)
    assert "**two** occurs in 2 images" in text
    assert "**5 other concepts**, of which **2** occur in this study" in text
    table = table_with(app, "Steps")
    assert table["CUI"].tolist() == ["C0000007", "C0000008", "C0000009", "C0000001", "C0000003"]
    assert table["Images"].tolist() == [0, 0, 0, 1, 1]
    assert table["Relation"].tolist() == ["more general"] * 3 + ["more specific"] * 2
    assert sorted(carried(figures(app)[0])) == sorted(["C0000002", *table["CUI"]])
    app.segmented_control(key="within").set_value("1").run()
    assert len(table_with(app, "Steps")) == 3 and app.query_params["within"] == "1"


def test_a_concept_the_graph_does_not_know(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=vocabulary.AROUND, concept=CT)
    assert not app.exception and "is not in the terminology" in said(app)


def test_one_concept_in_the_singular(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=vocabulary.AROUND, concept=NODULE, within="1")
    assert "there is **1 other concept**, of which **1** occurs in this study" in said(app)
