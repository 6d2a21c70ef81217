"""What lies around a concept, and what the terminology covers of a study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import CT, NODULE, said, table_with

Open = Callable[..., AppTest]


def test_around_a_concept(open_app: Open, deep_folder: Path) -> None:
    ends = {"from": "two", "to": "two", "within": "2", "near": "open"}
    app = open_app(PAGE, study=deep_folder, link=ends)
    assert not app.exception
    text = said(app)
    assert "**two** occurs in 2 images" in text
    assert "**5 other concepts**, of which **2** occur in this study" in text
    table = table_with(app, "Steps")
    assert table["CUI"].tolist() == ["C0000007", "C0000008", "C0000009", "C0000001", "C0000003"]
    assert table["Images"].tolist() == [0, 0, 0, 1, 1]
    assert table["Relation"].tolist() == ["more general"] * 3 + ["more specific"] * 2
    direct = ["C0000002", "C0000007", "C0000008", "C0000009"]
    assert sorted(carried(figures(app)[0])) == direct, "the figure has what is linked directly"
    app.segmented_control(key="within").set_value("1").run()
    assert len(table_with(app, "Steps")) == 3 and app.query_params["within"] == "1"


def test_a_concept_the_graph_does_not_know(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": CT, "to": CT, "near": "open"})
    assert not app.exception and "is not in the terminology" in said(app)


def test_one_concept_in_the_singular(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": NODULE, "within": "1", "near": "open"})
    assert "there is **1 other concept**, of which **1** occurs in this study" in said(app)


def test_coverage(open_app: Open, deep_folder: Path) -> None:
    """1-2 and 2-3 are two steps apart, 1-3 four; 5 is not in the graph."""
    app = open_app(PAGE, study=deep_folder, covered="open")
    assert not app.exception
    text = said(app)
    assert "at most **2 steps** apart; **0%** are direct neighbours" in text
    assert "**3** of 4 concepts" in text
    table = table_with(app, "Steps apart").set_index("Steps apart")["Pairs"]
    assert table.sum() == 6 and (table["2"], table["4"], table["not in the graph"]) == (2, 1, 3)
