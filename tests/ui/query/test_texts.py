"""Query with texts: both directions of matched pairs, and find by a text or a picture of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalcore.evaluate.new_query import new_query
from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import make_system
from evalcore.features.encode.live import answers
from evalcore.study import open_study
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.studies import copied
from tests.ui.conftest import CT, NODULE, Open, page_text


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
