"""The query page: the list, the arrows, and the board with its cards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.relevance.explain import explain
from evalcore.study import open_study
from evalcore.values.writing import brief
from tests.ui.conftest import HOSTILE, RUNS, Open, board, content_of, page_text


def at_query(app: AppTest) -> str:
    """The "query 2 of 6" line, or nothing."""
    return "".join(m.value for m in app.markdown if "· query" in m.value).replace("**", "")


def test_opens_at_the_first_query_with_both_lists(open_query: Open) -> None:
    app = open_query()
    assert at_query(app) == "q1 · query 1 of 6"
    of_a, of_b = board(app)["lists"]
    assert (of_a["title"], of_b["title"]) == ("A · alpha", "B · beta")
    assert [item["place"] for item in of_a["items"]] == ["A1", "A2", "A3", "A4"]
    assert re.fullmatch(r">?\d+ ?% of the best achievable score", of_a["score"])
    expert = open_query(reading="Expert")
    assert re.fullmatch(r"scores [01]\.\d\d · top 4 of 4", board(expert)["lists"][0]["score"])


def test_arrows_step_through_the_list_and_stop_at_its_ends(open_query: Open) -> None:
    app = open_query()
    for way, at, ends in (("", 1, [True, False]), ("right", 2, [False, False]), ("left", 1, [True, False])):
        if way:
            app.button(key=f"go-{way}").click().run()
        assert at_query(app) == f"q{at} · query {at} of 6"
        assert [app.button(key=key).disabled for key in ("go-left", "go-right")] == ends
    assert [app.button(key=key).label for key in ("go-left", "go-right")] == ["Previous", "Next"]
    last = open_query(q="q6")
    assert [last.button(key=key).disabled for key in ("go-left", "go-right")] == [False, True]


@pytest.mark.parametrize(
    ("show", "expected"),
    [("All", "q1 q2 q3 q4 q5 q6"), ("A wins", "q1 q2 q3 q4"), ("B wins", ""), ("No findings", "q6")],
)
def test_filters(open_query: Open, show: str, expected: str) -> None:
    app, queries = open_query(show=show, measure="P(modality)", k="1"), []
    while at_query(app):
        queries.append(at_query(app).split(" ")[0])
        if app.button(key="go-right").disabled:
            break
        app.button(key="go-right").click().run()
    assert queries == expected.split()


def test_search_by_caption_finding_id_and_code(open_query: Open) -> None:
    app = open_query()
    searches = {"mass": "q2", "NODULE": "q1", "q5": "q5", "c0000007 c0000002": "q3", "zebra": ""}
    for text, query in searches.items():
        app.text_input(key="find").set_value(text).run()
        assert at_query(app).startswith(query)
    assert "No query matches" in page_text(app)
    app.button(key="show-all").click().run()
    assert at_query(app) == "q3 · query 3 of 6" and app.text_input(key="find").value == ""


def test_the_viewer_goes_through_the_results_of_both_lists(open_query: Open) -> None:
    for large, place, ends in (("A1", 1, (False, True)), ("q4", 4, (True, True)), ("B4", 8, (True, False))):
        viewer = content_of(open_query(large=large), "pair")
        assert (viewer["at"], viewer["before"], viewer["after"]) == (f"{place} of 8", *ends)
        assert len(viewer["soon"]) == sum(ends), "the pictures before and after are fetched"
    query, result = viewer["pair"]
    assert (query["title"], query["words"]) == ("Query", "q1")
    assert (result["title"], result["words"]) == ("B · result 4", "beta · q2")
    assert "large" not in open_query(large="A9").query_params


def test_hostile_captions_and_labels_are_only_text(open_query: Open, study_folder: Path) -> None:
    caption = board(open_query(q="q6"))["query"]["caption"]
    assert (caption["whole"] or caption["short"]) == HOSTILE, "as text, which the board never reads as markup"
    shown = [m.value for m in open_query(why="q6").markdown if "evil" in m.value]
    assert shown and not any(re.search(r"(?<!\\)[\[\]()<>!$:]", text) for text in shown)
    assert all(text.replace("\\", "").replace("\u2060", "") == HOSTILE for text in shown)
    (study_folder / "labels.csv").write_text(f'ID,finding\nq1,"{HOSTILE}"\nq2,"{HOSTILE}"\n')
    (text,) = [m.value for m in open_query().markdown if "Both systems find" in m.value]
    assert "![x](" not in text and "<script" not in text.replace("\\<script", "")


def test_as_many_results_as_are_counted(open_query: Open, study_folder: Path) -> None:
    query, lists = (board(open_query(k="2"))[part] for part in ("query", "lists"))
    assert (query["id"], query["caption"]) == ("q1", {"short": "Nodule in the chest", "whole": ""})
    for system, items in (("alpha", lists[0]["items"]), ("beta", lists[1]["items"])):
        assert [item["id"] for item in items] == RUNS[system]["q1"][:2]
    first = lists[0]["items"][0]
    assert first["mark"] == brief(explain(open_study(study_folder), "q1", "q2").values["nn-iou"])
    assert all(item["src"].endswith(".jpg") and item["alt"] for item in lists[0]["items"])
    assert first["common"] == [["=", "Chest"], ["=", "Computed tomography"]]


def test_what_a_system_finds_similar_is_for_experts_and_said_to_be_its_own(
    open_query: Open, study_folder: Path
) -> None:
    vectors = np.random.default_rng(1).normal(size=(6, 3))
    ids = np.array(list(RUNS["alpha"]))
    np.savez(study_folder / "systems/alpha/embeddings.npz", ids=ids, vectors=vectors)
    simple = open_query(why="q2")
    text = json.dumps(board(simple)) + page_text(simple)
    assert not any(word in text for word in ("isual", "cosine"))
    expert = open_query(why="q2", reading="Expert")
    bars = [item["bars"] for item in board(expert)["lists"][0]["items"]]
    assert [each[-1]["name"] for each in bars] == ["cosine, as this system sees it"] * 4
    assert "similarity as this system sees it (not comparable between systems)" in page_text(expert)
    assert "as that system sees it; not comparable between systems" in page_text(expert)


def test_concepts_are_listed_by_kind_where_kinds_are_known(open_query: Open, kinds: Path) -> None:
    assert board(open_query())["query"]["concepts"] == [
        {"head": "Findings", "names": ["Nodule"]},
        {"head": "Anatomy", "names": ["Chest"]},
        {"head": "Modality", "names": ["Computed tomography"]},
    ]
    other = board(open_query(q="q3"))["query"]["concepts"]
    assert "Not classified" in {group["head"] for group in other}
    # q1 {CT, chest, nodule}, q2 {CT, chest, mass}: a nodule is a kind of mass; what decides comes first.
    common = board(open_query(k="1"))["lists"][0]["items"][0]["common"]
    assert common == [["≈", "Mass"], ["=", "Chest"], ["=", "Computed tomography"]]
