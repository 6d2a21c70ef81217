"""The concepts page: paths by name or CUI, what lies around, distances, and what the graph does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.graph_effect import graph_effect, working_pairs
from evalcore.figures.numbers import count, percent
from evalcore.settings import Settings
from evalcore.study import open_study
from evalcore.ui.concepts import sections as concepts
from evalcore.ui.concepts.keys import WEIGHTED
from tests.ui.conftest import CHEST, CT, HEAD, MASS, NODULE, said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/6_Concepts.py"
DEEP = (
    ("C0000001", "C0000009"), ("C0000002", "C0000009"), ("C0000002", "C0000008"), ("C0000003", "C0000008"),
    ("C0000001", "C0000007"), ("C0000002", "C0000007"),
)  # fmt: skip
"""1 and 2 have the parents 7 and 9 in common (two shortest paths); 3 is a sibling of 2."""


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def carried(figure: dict) -> list:
    return [told for trace in figure["data"] for told in trace.get("customdata") or ()]


@pytest.fixture
def deep_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deep"
    (folder / "graph").mkdir(parents=True)
    (folder / "concepts.csv").write_text("ID,CUIs\na,C0000001;C0000003\nb,C0000002\nc,C0000002;C0000005\n")
    names = "".join(f"C000000{k},{name}\n" for k, name in enumerate(["zero", "one", "two", "three", "four"]))
    (folder / "names.csv").write_text(f"cui,name\n{names}C0000002,Second finding\nC0000009,Nine\n")
    rows = "".join(f"{a},{b},{'X' if b[-1] == '9' else 'Y'},isa\n" for a, b in DEEP)
    (folder / "graph" / "edges.csv").write_text(f"child,parent,source,rela\n{rows}")
    return folder


def test_a_path_by_name_and_by_cui(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, link={"from": "one", "to": "C0000002"})
    assert not app.exception
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == ("C0000001", "C0000002")
    text = said(app)
    assert "**2 equally short paths**, each 2 steps long" in text
    assert (
        r"one is a kind of C0000007, which includes two\: 2 steps apart\. One of 2 equally short paths"
        in text
    )
    assert r"one ↑ is a kind of Nine \[X isa\] ↓ includes two \[X isa\]" in text
    (figure,) = figures(app)
    assert sorted(carried(figure)) == ["C0000001", "C0000002", "C0000007", "C0000009"]
    app.segmented_control(key="route").set_value(1).run()
    assert carried(figures(app)[0])[:3] == ["C0000001", "C0000007", "C0000002"]
    app.segmented_control(key="route").set_value(2).run()
    assert carried(figures(app)[0])[:3] == ["C0000001", "C0000009", "C0000002"]


def test_only_some_links(open_app: Open, deep_folder: Path) -> None:
    link = {"from": "C0000001", "to": "C0000002", "sources": "X"}
    app = open_app(PAGE, study=deep_folder, link=link)
    assert "**1 shortest path**, 2 steps long" in said(app)
    app.toggle(key="way_on").set_value(True).run()
    assert "over the links chosen. With all links there may be one." in said(app)
    assert not app.get("plotly_chart")


def test_a_slip_of_the_pen_finds_the_concept(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder)
    app.text_input(key="to_text").set_value("secnd finding").run()
    assert app.selectbox(key="to").value == "C0000002"
    (shown,) = [o for o in app.selectbox(key="to").options if o.startswith("two")]
    assert shown == "two · C0000002 · “Second finding” · 2 images"
    app.text_input(key="to_text").set_value("qqqqqq").run()
    assert "Nothing here is called “qqqqqq”" in said(app) and app.selectbox(key="to").value == "C0000002"


def test_no_path_is_a_sentence(open_app: Open, study_folder: Path) -> None:
    apart = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": CHEST})
    assert "they lie in parts of the graph that nothing links" in said(apart)
    unknown = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": CT})
    assert "the graph does not know **Computed tomography**" in said(unknown)
    same = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": NODULE})
    assert "is the same concept on both sides" in said(same) and not same.exception
    bad = open_app(PAGE, study=study_folder, link={"from": "qqqqqq"})
    assert "from = qqqqqq" in said(bad).replace("\\", "")


def test_the_ends_can_be_exchanged(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"from": NODULE, "to": MASS})
    app.button(key="swap-ends").click().run()
    assert (app.selectbox(key="from").value, app.selectbox(key="to").value) == (MASS, NODULE)
    assert r"Mass includes Nodule\: 1 step apart" in said(app)


def test_around_a_concept(open_app: Open, deep_folder: Path) -> None:
    app = open_app(PAGE, study=deep_folder, about=concepts.AROUND, concept="two", within="2")
    assert (
        "**two** is in 2 images. Within 2 steps lie **5 other findings**, of which the study uses **2**"
        in said(app)
    )
    table = table_with(app, "Steps")
    assert table["CUI"].tolist() == ["C0000007", "C0000008", "C0000009", "C0000001", "C0000003"]
    assert table["Images"].tolist() == [0, 0, 0, 1, 1]
    assert sorted(carried(figures(app)[0])) == sorted(["C0000002", *table["CUI"]])


def test_distances(open_app: Open, deep_folder: Path) -> None:
    """1-2 and 2-3 are two steps apart, 1-3 four; 5 is not in the graph."""
    app = open_app(PAGE, study=deep_folder, about=concepts.DISTANCES, image_a="a", image_b="b")
    assert not app.exception
    assert "half lie at most **2 steps** apart; **0 %** are direct neighbours" in said(app)
    bars, cells = figures(app)
    assert "n = 6 concept pairs · 3 of 4 concepts in the graph" in bars["layout"]["title"]["text"]
    assert carried(cells) == [["C0000001", "C0000002"], ["C0000003", "C0000002"]]
    app.toggle(key="weighted_on").set_value(True).run()
    assert "pairs of occurrences" in figures(app)[0]["layout"]["title"]["text"]
    assert WEIGHTED in app.query_params
    wrong = open_app(PAGE, study=deep_folder, about=concepts.DISTANCES, image_a="nowhere")
    assert not wrong.exception and "nowhere" in said(wrong)


def test_what_the_graph_does(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=concepts.EFFECT)
    study = open_study(study_folder)
    effect, pairs = graph_effect(study, settings=Settings()), working_pairs(study, settings=Settings())
    assert not app.exception
    assert f"**{percent(effect.n_changed, effect.n_pairs)}** of all image pairs" in said(app)
    assert app.metric[0].value == count(effect.n_changed) != "0"
    table = table_with(app, "Image pairs")
    assert table["Image pairs"].tolist() == [pair.image_pairs for pair in pairs]
    assert carried(figures(app)[0]) == [[pair.a, pair.b] for pair in pairs]


def test_a_link_left_out_and_used_again(open_app: Open, study_folder: Path) -> None:
    before = (study_folder / "graph" / "edges.csv").read_bytes()
    app = open_app(PAGE, study=study_folder, about=concepts.EFFECT)
    whole = app.metric[0].value
    first = working_pairs(open_study(study_folder), settings=Settings())[0]
    (button,) = [b for b in app.button if str(b.key).startswith("off-")]
    assert {first.a, first.b} == set(button.key.removeprefix("off-").split("-"))
    button.click().run()
    assert not app.exception and app.metric[0].value != whole
    assert [app.query_params["off"]] == [button.key.removeprefix("off-")]
    scores = table_with(app, "With all links ↑")
    assert scores["System"].tolist() == ["alpha", "beta"]
    assert (study_folder / "graph" / "edges.csv").read_bytes() == before
    (back,) = [b for b in app.button if str(b.key).startswith("on-")]
    back.click().run()
    assert app.metric[0].value == whole and "off" not in app.query_params


def test_a_link_of_the_address_that_is_none(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=concepts.EFFECT, off=f"{NODULE}-{HEAD}")
    assert not app.exception
    assert "off = " in said(app).replace("\\", "")


@pytest.mark.parametrize("about", concepts.VIEWS)
def test_every_view_without_pictures_and_systems(open_app: Open, tmp_path: Path, about: str) -> None:
    folder = write_study(tmp_path / "bare", pictures=False, systems=False)
    app = open_app(PAGE, study=folder, about=about, reading="Technical")
    assert not app.exception and (app.get("plotly_chart") or "No path" in said(app))


def test_without_a_graph_there_is_a_way_out(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", graph=False))
    assert not app.exception and "This study has no concept graph" in said(app)


def test_only_identical_findings_count(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, about=concepts.EFFECT, threshold="0")
    assert "Only identical findings count now" in said(app) and not app.get("plotly_chart")
