"""A path between two concepts or why there is none, what lies around one, and what the graph covers."""

from __future__ import annotations

from pathlib import Path

from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import MASS, NODULE, Open, page_text, table_with


def test_a_path_by_name_and_by_cui(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, link={"from": "one", "to": "C0000002", "chains": "open"})
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == ("C0000001", "C0000002")
    text = page_text(app)
    assert "**2 equally short paths**, each 2 steps long" in text
    assert (
        r"2 steps apart\: one → C0000007 → two\. One of 2 equally short paths\. Y lists one under C0000007; Y"
        in text
    )
    assert r"one ↑ is listed under Nine \[X isa\] ↓ lists two \[X isa\]" in text
    (figure,) = figures(app)
    assert app.segmented_control(key="route").label == "Equally short paths", "both of them are offered"
    assert carried(figure)[:3] == ["C0000001", "C0000007", "C0000002"]
    app.segmented_control(key="route").set_value("2").run()
    assert carried(figures(app)[0])[:3] == ["C0000001", "C0000009", "C0000002"]
    assert app.query_params["route"] == "2"


def test_the_address_names_one_of_equally_short_paths(open_app: Open, deep_folder: Path) -> None:
    ends = {"from": "C0000001", "to": "C0000002"}
    second = open_app(PAGE, study=deep_folder, link={**ends, "route": "2"})
    assert carried(figures(second)[0])[:3] == ["C0000001", "C0000009", "C0000002"]
    none = open_app(PAGE, study=deep_folder, link={**ends, "route": "7"})
    assert "route = 7" in page_text(none)


def test_a_slip_of_the_pen_finds_the_concept(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder)
    app.text_input(key="to_text").set_value("secnd finding").run()
    assert app.selectbox(key="to").value == "C0000002"
    (shown,) = [o for o in app.selectbox(key="to").options if o.startswith("two")]
    assert shown == "two · C0000002 · “Second finding” · 2 images"
    app.text_input(key="to_text").set_value("qqqqqq").run()
    assert "“qqqqqq”" in page_text(app) and app.selectbox(key="to").value == "C0000002"


def test_the_ends_can_be_swapped(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": MASS})
    app.button(key="swap-ends").click().run()
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == (MASS, NODULE)
    assert r"1 step apart\: Mass → Nodule" in page_text(app)


def test_around_a_concept(open_app: Open, deep_folder: Path) -> None:
    ends = {"from": "two", "to": "two", "within": "2", "near": "open"}
    app = open_app(PAGE, study=deep_folder, link=ends)
    text = page_text(app)
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
