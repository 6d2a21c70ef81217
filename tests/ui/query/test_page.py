"""The query page: the list, the arrows, the cards and the drawer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.relevance.explain import explain
from evalcore.study import open_study
from evalcore.values.settings import Settings
from evalcore.values.writing import brief, number
from tests.ui.conftest import HOSTILE, MASS, NODULE, RUNS, Open, board, page_text

PAGE = "pages/1_Queries.py?q=q1"
PAIR = {"a": "alpha", "b": "beta"}


def at_query(app: AppTest) -> str:
    """The "query 2 of 6" line."""
    (line,) = [m.value for m in app.markdown if "· query" in m.value]
    return line.replace("**", "")


def items(app: AppTest) -> list[dict[str, Any]]:
    """The results on the board, A's first."""
    return [item for side in board(app)["lists"] for item in side["items"]]


def bars(app: AppTest) -> list[list[tuple[str, str]]]:
    """The names and values of the score bars of every result."""
    return [[(bar["name"], bar["text"]) for bar in item["bars"]] for item in items(app)]


def test_opens_at_the_first_query_with_both_lists(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    assert at_query(app) == "q1 · query 1 of 6"
    of_a, of_b = board(app)["lists"]
    assert (of_a["title"], of_b["title"]) == ("A · alpha", "B · beta")
    assert [item["place"] for item in of_a["items"]] == ["A1", "A2", "A3", "A4"]
    assert re.fullmatch(r">?\d+ ?% of the best achievable score", of_a["score"])
    expert = open_app(PAGE, study=study_folder, reading="Expert", **PAIR)
    assert re.fullmatch(r"scores [01]\.\d\d · top 4 of 4", board(expert)["lists"][0]["score"])


def test_arrows_step_through_the_list_and_stop_at_its_ends(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    assert app.button(key="go-left").disabled and not app.button(key="go-right").disabled
    assert [app.button(key=f"go-{way}").label for way in ("left", "right")] == ["Previous", "Next"]
    app.button(key="go-right").click().run()
    assert at_query(app) == "q2 · query 2 of 6"
    app.button(key="go-left").click().run()
    assert at_query(app) == "q1 · query 1 of 6"
    last = open_app(PAGE, study=study_folder, q="q6", **PAIR)
    assert at_query(last) == "q6 · query 6 of 6" and last.button(key="go-right").disabled
    assert not last.button(key="go-left").disabled


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        ("All", ["q1", "q2", "q3", "q4", "q5", "q6"]),
        ("A wins", ["q1", "q2", "q3", "q4", "q5"]),
        ("B wins", []),
        ("No findings", ["q6"]),
    ],
)
def test_filters(open_app: Open, study_folder: Path, show: str, expected: list[str]) -> None:
    app = open_app(PAGE, study=study_folder, show=show, measure="P(modality)", k="1", **PAIR)
    if show in {"A wins", "B wins"}:
        expected = [q for q in expected if q not in {"q6"}]
    queries = []
    while any("· query" in m.value for m in app.markdown):
        queries.append(at_query(app).split(" ")[0])
        if app.button(key="go-right").disabled:
            break
        app.button(key="go-right").click().run()
    assert queries == (["q1", "q2", "q3", "q4"] if show == "A wins" else expected)


@pytest.mark.parametrize(
    ("text", "hit"), [("mass", "q2"), ("NODULE", "q1"), ("q5", "q5"), ("c0000007 c0000002", "q3")]
)
def test_search_by_caption_finding_id_and_code(
    open_app: Open, study_folder: Path, text: str, hit: str
) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    app.text_input(key="find").set_value(text).run()
    assert at_query(app).startswith(hit)


def test_nothing_found_offers_the_way_back(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, find="zebra", **PAIR)
    assert "No query matches" in page_text(app)
    app.button(key="show-all").click().run()
    assert at_query(app) == "q1 · query 1 of 6" and app.text_input(key="find").value == ""


def test_why_shows_what_adds_up_to_the_score(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR, more=True)
    study = open_study(study_folder)
    values = explain(study, "q1", "q2").values
    cards = {m.label: m.value for m in app.metric}
    assert not app.exception
    assert cards["Same concepts \\(IoU\\)"] == number(values["iou"])
    assert cards["Including related concepts \\(nn\\-IoU\\)"] == number(values["nn-iou"])
    assert "terminology links **Nodule** with **Mass** (1 step)." in page_text(app)
    (link,) = [element.proto for element in app.get("page_link") if "Open this path" in element.proto.label]
    assert link.page.endswith("Concepts") and f"from={NODULE}&to={MASS}" in link.query_string
    app.slider(key="what_if").set_value(1.0).run()
    changed = explain(study, "q1", "q2", settings=Settings(alpha=1.0)).values["nn-iou"]
    shown = {m.label: m.value for m in app.metric}
    assert shown["Including related concepts \\(nn\\-IoU\\)"] == number(changed)
    assert app.slider(key="alpha").value == 0.5


def test_why_by_a_measure_of_the_taxonomy(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", why="q2", reading="Expert", **PAIR)
    assert not app.dataframe
    app.selectbox(key="why_by").set_value("matching:cs2-levels").run()
    explanation = explain(open_study(study_folder), "q1", "q2", measures=["matching:cs2-levels"])
    table = app.dataframe[0].value
    assert not app.exception
    assert f"**{number(explanation.values['matching:cs2-levels'])}**" in page_text(app)
    alignment = explanation.alignments["matching:cs2-levels"]
    assert sorted(table["Similarity"]) == sorted(pair.similarity for pair in alignment)
    nodule = table[table["Query"] == "Nodule"].iloc[0]
    assert (nodule["Result"], nodule["Common parent"], nodule["Best match of"]) == ("Mass", "Mass", "query")
    linked = open_app(PAGE, study=study_folder, q="q1", why="q2", why_by="best-match:path", **PAIR)
    assert set(linked.dataframe[0].value["Best match of"]) == {"both"}, "each pair is found from both sides"


def test_link_opens_the_drawer_and_a_wrong_one_says_so(open_app: Open, study_folder: Path) -> None:
    assert open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR).metric
    app = open_app(PAGE, study=study_folder, q="q1", why="q99", **PAIR)
    assert not app.metric and "No image called" in page_text(app)


def test_hostile_caption_is_only_text(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, q="q6", **PAIR)
    caption = board(app)["query"]["caption"]
    assert (caption["whole"] or caption["short"]) == HOSTILE, "as text, which the board never reads as markup"
    drawer = open_app(PAGE, study=study_folder, q="q1", why="q6", **PAIR)
    shown = [m.value for m in drawer.markdown if "evil" in m.value]
    assert shown and not any(re.search(r"(?<!\\)[\[\]()<>!$:]", text) for text in shown)
    assert all(text.replace("\\", "").replace("\u2060", "") == HOSTILE for text in shown)


def test_as_many_results_as_are_counted(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", k="2", **PAIR)
    assert board(app)["query"]["id"] == "q1"
    assert board(app)["query"]["caption"] == {"short": "Nodule in the chest", "whole": ""}
    of_a, of_b = board(app)["lists"]
    assert [item["id"] for item in of_a["items"]] == RUNS["alpha"]["q1"][:2]
    assert [item["id"] for item in of_b["items"]] == RUNS["beta"]["q1"][:2]
    study, first = open_study(study_folder), of_a["items"][0]
    assert first["mark"] == brief(explain(study, "q1", "q2").values["nn-iou"])
    assert all(item["src"].endswith(".jpg") and item["alt"] for item in of_a["items"])
    assert first["common"] == [["=", "Chest"], ["=", "Computed tomography"]]


def test_what_a_system_finds_similar_is_for_experts_and_said_to_be_its_own(
    open_app: Open, study_folder: Path
) -> None:
    vectors = np.random.default_rng(1).normal(size=(6, 3))
    np.savez(
        study_folder / "systems" / "alpha" / "embeddings.npz",
        ids=np.array(list(RUNS["alpha"])),
        vectors=vectors,
    )
    plain = open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR)
    plain_text = json.dumps(board(plain)) + page_text(plain)
    assert bars(plain) and not any(word in plain_text for word in ("isual", "cosine"))
    expert = open_app(PAGE, study=study_folder, q="q1", why="q2", reading="Expert", **PAIR)
    assert all(names[-1][0] == "cosine, as this system sees it" for names in bars(expert)[:4])
    assert "similarity as this system sees it (not comparable between systems)" in page_text(expert)
    assert "as that system sees it; not comparable between systems" in page_text(expert)


def test_concepts_stand_by_kind_where_kinds_are_known(open_app: Open, study_folder: Path) -> None:
    before = open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR)
    assert "Both carry" in page_text(before) and "Findings" not in page_text(before)
    (study_folder / "kinds.csv").write_text(
        "cui,kind\nC0000001,modality\nC0000003,anatomy\nC0000005,finding\nC0000006,finding\n"
    )
    app = open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR)
    assert (
        "Related findings: **Nodule** (query) is a kind of **Mass**. "
        "Same region (**Chest**) and modality (**Computed tomography**)."
    ) in page_text(app)
    groups = next(m.value for m in app.markdown if ":small[Findings]" in m.value).split("  \n")
    assert groups == [
        ":small[Findings] :gray-badge[Nodule]",
        ":small[Anatomy] :gray-badge[Chest]",
        ":small[Modality] :gray-badge[Computed tomography]",
    ]
    assert board(app)["query"]["concepts"] == [
        {"head": "Findings", "names": ["Nodule"]},
        {"head": "Anatomy", "names": ["Chest"]},
        {"head": "Modality", "names": ["Computed tomography"]},
    ]
    other = open_app(PAGE, study=study_folder, q="q3", **PAIR)
    assert "Not classified" in {group["head"] for group in board(other)["query"]["concepts"]}
