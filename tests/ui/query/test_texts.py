"""Query with texts: both directions of matched pairs, and find by a text or a picture of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalcore.evaluate.new_query import new_query
from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import make_system
from evalcore.study import open_study
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.ui.conftest import CHEST, CT, NODULE, Open, board, page_text

PAGE = "pages/1_Queries.py?q=q1"


@pytest.fixture
def with_texts(study_folder: Path) -> Path:
    """The tiny study with two texts, each matched with an image, and systems for both directions."""
    (study_folder / "queries.csv").write_text(
        f"id,kind,text,concepts\nt1,text,A nodule of the chest,{NODULE};{CHEST}\n"
        f"t2,report,Head without findings,\nq1,image,,\n"
    )
    (study_folder / "pairs.csv").write_text("query,candidate\nt1,q1\nt2,q3\n")
    for system in ("alpha", "beta"):
        (study_folder / "systems" / system / "run.trec").write_text(
            f"t1 Q0 q2 1 0.9 {system}\nt1 Q0 q1 2 0.8 {system}\nt2 Q0 q3 1 0.7 {system}\n"
            f"q1 Q0 t1 1 0.9 {system}\nq1 Q0 t2 2 0.1 {system}\n"
        )
    return study_folder


def test_both_directions_are_shown(open_app: Open, with_texts: Path) -> None:
    how = {"study": with_texts, "a": "alpha", "b": "beta", "measure": "Success(pairs)", "k": "2"}
    app = open_app(PAGE, **how)
    shown = board(app)
    assert (shown["query"]["id"], shown["query"]["none"]) == ("t1", "A nodule of the chest")
    assert shown["query"]["labels"].startswith("A text")
    assert [item["id"] for item in shown["lists"][0]["items"]] == ["q2", "q1"]
    turned = open_app(PAGE, **how, where="direction=image->text")
    shown = board(turned)
    assert shown["query"]["id"] == "q1"
    assert [(item["id"], item["none"]) for item in shown["lists"][0]["items"]] == [
        ("t1", "A nodule of the chest"),
        ("t2", "Head without findings"),
    ]


def test_a_match_that_is_no_candidate_is_not_called_not_found(open_app: Open, with_texts: Path) -> None:
    with (with_texts / "queries.csv").open("a") as file:
        file.write("x1,image,,\n")  # a query alone: no candidate
    (with_texts / "pairs.csv").write_text("query,candidate\nt1,q1\nt2,x1\n")
    how = {"study": with_texts, "measure": "Success(pairs)", "k": "1", "where": "direction=text->image"}
    app = open_app(PAGE, **how, q="t2")
    assert "The match of this query is not among the candidates" in page_text(app)
    assert "The match" not in page_text(open_app(PAGE, **how, q="t1"))


def test_a_sentence_finds_its_concepts_and_ideal_results(open_app: Open, study_folder: Path) -> None:
    closed = open_app(PAGE, study=study_folder)
    assert not closed.text_area
    app = open_app(PAGE, study=study_folder, ask="open")
    app.text_area(key="ask-text").set_value("Computed tomography: a nodule.").run()
    assert not app.exception
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
    from evalcore.features.encode.live import answers

    picture = (study_folder / "images" / "q3.png").read_bytes()
    vectors, silent = answers(study, picture=picture, name="q3.png")
    assert list(vectors) == ["made"] and not silent
    answer = new_query(study, [CT], depth=2, settings=Settings()).answered(
        study.embeddings["made"], vectors["made"]
    )
    assert study.image_ids[answer.images[0]] == "q3"  # a picture finds itself first
    assert answers(study, text="A nodule")[0] == {}  # no text side
    with pytest.raises(InputError, match="hostile"):
        answers(study, picture=b"GIF89a and no more", name="hostile.gif")
    with pytest.raises(InputError, match="numbers for the query"):
        new_query(study, [], depth=2, settings=Settings()).answered(study.embeddings["made"], np.ones(3))
