"""A path between two concepts or why there is none, what lies around one, and what the graph covers."""

from __future__ import annotations

from functools import partial

import pytest

from tests.studies import HERE
from tests.ui.conftest import MASS, NODULE, Open, carried, figures, page_text, plain, table_with

PAGE = "pages/3_Concepts.py"


@pytest.fixture
def open_deep(open_app: Open) -> Open:
    """The page of a study with two shortest paths between two concepts."""
    return partial(open_app, PAGE, study=HERE / "deep")


def test_a_path_by_name_and_by_cui(open_deep: Open) -> None:
    app = open_deep(link={"from": "one", "to": "C0000002", "chains": "open"})
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == ("C0000001", "C0000002")
    for words in (
        "2 equally short paths, each 2 steps long",
        "2 steps apart: one → C0000007 → two. One of 2 equally short paths. Y lists one under C0000007; Y",
        "one ↑ is listed under Nine [X isa] ↓ lists two [X isa]",
    ):
        assert words in plain(app)
    assert app.segmented_control(key="route").label == "Equally short paths", "both of them are offered"
    assert carried(figures(app)[0])[:3] == ["C0000001", "C0000007", "C0000002"]
    app.segmented_control(key="route").set_value("2").run()
    assert app.query_params["route"] == "2"
    for second in (app, open_deep(link={"from": "C0000001", "to": "C0000002", "route": "2"})):
        assert carried(figures(second)[0])[:3] == ["C0000001", "C0000009", "C0000002"]


def test_a_slip_of_the_pen_finds_the_concept(open_deep: Open) -> None:
    app = open_deep()
    app.text_input(key="to_text").set_value("secnd finding").run()
    assert app.selectbox(key="to").value == "C0000002"
    assert "two · C0000002 · “Second finding” · 2 images" in app.selectbox(key="to").options
    app.text_input(key="to_text").set_value("qqqqqq").run()
    assert "“qqqqqq”" in page_text(app) and app.selectbox(key="to").value == "C0000002"


def test_the_ends_can_be_swapped(open_tiny: Open) -> None:
    app = open_tiny(PAGE, link={"from": NODULE, "to": MASS})
    app.button(key="swap-ends").click().run()
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == (MASS, NODULE)
    assert "1 step apart: Mass → Nodule" in plain(app)


def test_around_a_concept(open_deep: Open) -> None:
    app = open_deep(link={"from": "two", "to": "two", "within": "2", "near": "open"})
    assert "two occurs in 2 images" in plain(app)
    assert "5 other concepts, of which 2 occur in this study" in plain(app)
    table = table_with(app, "Steps")
    assert table["CUI"].tolist() == ["C0000007", "C0000008", "C0000009", "C0000001", "C0000003"]
    assert table["Images"].tolist() == [0, 0, 0, 1, 1]
    assert table["Relation"].tolist() == ["more general"] * 3 + ["more specific"] * 2
    direct = ["C0000002", "C0000007", "C0000008", "C0000009"]
    assert sorted(carried(figures(app)[0])) == direct, "the figure has what is linked directly"
    app.segmented_control(key="within").set_value("1").run()
    assert len(table_with(app, "Steps")) == 3 and app.query_params["within"] == "1"
