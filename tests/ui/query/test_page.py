"""The query page: the list, the arrows, and the board with its cards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from evalcore.relevance.explain import explain
from evalcore.study import open_study
from evalcore.values.writing import brief
from tests.ui.conftest import HOSTILE, RUNS, Open, board, content_of, page_text


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
