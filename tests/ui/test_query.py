"""The query page: the board with its cards, the viewer, matched texts, a text or a picture of one's own."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from evalcore.evaluate.new_query import new_query
from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import make_system
from evalcore.features.encode.live import answers
from evalcore.relevance.explain import explain
from evalcore.study import open_study
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from evalcore.values.writing import number
from tests.studies import copied
from tests.ui.conftest import CHEST, CT, HOSTILE, MASS, NODULE, RUNS, Open, board, content_of, page_text


@pytest.fixture
def open_query(open_tiny: Open) -> Open:
    """The page at its first query, or at another: ``q``."""
    return partial(open_tiny, "pages/1_Queries.py?q=q1", a="alpha", b="beta")


@pytest.fixture
def kinds(study_folder: Path) -> Path:
    """The tiny study with kinds of all concepts of q1 and q2, which are shown then."""
    of = {CT: "modality", CHEST: "anatomy", NODULE: "finding", MASS: "finding"}
    rows = "".join(f"{cui},{kind}\n" for cui, kind in of.items())
    (study_folder / "kinds.csv").write_text(f"cui,kind\n{rows}")
    return study_folder


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
    assert first["mark"] == number(explain(open_study(study_folder), "q1", "q2").values["nn-iou"], 2)
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


# Matched texts, and a text or a picture of one's own.


@pytest.fixture
def pairs(study_folder: Path) -> Path:
    """The tiny study with texts, each matched with an image, and systems for both directions."""
    return copied("pairs", study_folder)


def test_a_match_that_is_no_candidate_is_not_called_not_found(open_tiny: Open, pairs: Path) -> None:
    with (pairs / "queries.csv").open("a") as file:
        file.write("x1,image,,,\n")  # a query alone: no candidate
    (pairs / "pairs.csv").write_text("query,candidate\nt1,q1\nt2,x1\n")
    address = "pages/1_Queries.py?k=1&measure=Success(pairs)&where=direction=text->image"
    message = "The match of this query is not among the candidates"
    assert message in page_text(open_tiny(address, q="t2"))
    assert "The match" not in page_text(open_tiny(address, q="t1"))


def test_a_sentence_finds_its_concepts_and_ideal_results(open_tiny: Open, study_folder: Path) -> None:
    assert not open_tiny("pages/1_Queries.py?q=q1").text_area
    app = open_tiny("pages/1_Queries.py?q=q1&ask=open")
    app.text_area(key="ask-text").set_value("Computed tomography: a nodule.").run()
    (concepts,) = [box for box in app.multiselect if box.label == "Concepts"]
    assert set(concepts.value) == {CT, NODULE}
    assert "Ideal by concepts" in page_text(app)
    assert "No system of this study can answer" in page_text(app)
    concepts.set_value([]).run()
    assert "Without concepts, results cannot be judged" in page_text(app)
    # Nothing is kept: neither the address nor the folder knows of it.
    assert not any("tomography" in str(value) for value in app.query_params.values())
    assert not (study_folder / "queries.csv").exists()


def test_a_picture_is_answered_by_systems_made_here(study_folder: Path) -> None:
    encoder = BASELINES["intensity-histogram"]
    make_system(open_study(study_folder), study_folder, encoder, name="made", in_place=True)
    study = open_study(study_folder)
    picture = (study_folder / "images" / "q3.png").read_bytes()
    vectors, silent = answers(study, picture=picture, name="q3.png")
    assert list(vectors) == ["made"] and not silent
    query, embeddings = new_query(study, [CT], depth=2, settings=Settings()), study.embeddings["made"]
    answer = query.answered(embeddings, vectors["made"])
    assert study.image_ids[answer.images[0]] == "q3"  # a picture finds itself first
    assert answers(study, text="A nodule")[0] == {}  # no text side
    with pytest.raises(InputError, match="hostile"):
        answers(study, picture=b"GIF89a and no more", name="hostile.gif")
    with pytest.raises(InputError, match="numbers for the query"):
        query.answered(embeddings, np.ones(3))
