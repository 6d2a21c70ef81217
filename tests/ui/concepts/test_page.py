"""A path between two concepts or why there is none, what lies around one, and what the graph covers."""

from __future__ import annotations

from pathlib import Path

from tests.ui.concepts.conftest import PAGE, carried, figures
from tests.ui.conftest import CHEST, CT, MASS, NODULE, Open, said, table_with


def test_a_path_by_name_and_by_cui(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, link={"from": "one", "to": "C0000002", "chains": "open"})
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == ("C0000001", "C0000002")
    text = said(app)
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
    assert "route = 7" in said(none)


def test_a_slip_of_the_pen_finds_the_concept(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder)
    app.text_input(key="to_text").set_value("secnd finding").run()
    assert app.selectbox(key="to").value == "C0000002"
    (shown,) = [o for o in app.selectbox(key="to").options if o.startswith("two")]
    assert shown == "two · C0000002 · “Second finding” · 2 images"
    app.text_input(key="to_text").set_value("qqqqqq").run()
    assert "“qqqqqq”" in said(app) and app.selectbox(key="to").value == "C0000002"


def test_no_path_is_a_sentence(open_app: Open, study_folder: Path) -> None:
    apart = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": CHEST})
    assert "No path connects" in said(apart) and "parts of the terminology" in said(apart)
    unknown = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": CT})
    assert "the terminology does not contain **Computed tomography**" in said(unknown)
    same = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": NODULE})
    assert "occurs in" in said(same) and not same.exception
    bad = open_app(PAGE, study=study_folder, link={"from": "qqqqqq"})
    assert "from = qqqqqq" in said(bad).replace("\\", "")


def test_the_ends_can_be_swapped(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": MASS})
    app.button(key="swap-ends").click().run()
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == (MASS, NODULE)
    assert r"1 step apart\: Mass → Nodule" in said(app)


def test_around_a_concept(open_app: Open, deep_folder: Path) -> None:
    ends = {"from": "two", "to": "two", "within": "2", "near": "open"}
    app = open_app(PAGE, study=deep_folder, link=ends)
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
    assert "is not in the terminology" in said(app)


def test_one_concept_in_the_singular(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": NODULE, "within": "1", "near": "open"})
    assert "there is **1 other concept**, of which **1** occurs in this study" in said(app)


def test_coverage(open_app: Open, deep_folder: Path) -> None:
    """1-2 and 2-3 are two steps apart, 1-3 four; 5 is not in the graph."""
    app = open_app(PAGE, study=deep_folder, covered="open")
    text = said(app)
    assert "at most **2 steps** apart; **0%** are direct neighbours" in text
    assert "**3** of 4 concepts" in text
    table = table_with(app, "Steps apart").set_index("Steps apart")["Pairs"]
    assert table.sum() == 6 and (table["2"], table["4"], table["not in the graph"]) == (2, 1, 3)
