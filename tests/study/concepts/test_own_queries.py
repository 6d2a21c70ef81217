"""Queries that are not images, and directions between images and texts."""

import pytest

from evalcore.evaluate.conditions import select
from evalcore.study import open_study
from evalcore.values.errors import InputError, UnknownName
from tests.study.made import npz, write

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
QUERIES = (
    "id,kind,text,image,concepts,organ\n"
    't1,text,"A chest, seen",,C0000001,chest\n'
    "r1,report,Nothing new,,,\n"
    "c,image,,,,\n"
)


@pytest.fixture
def folder(tmp_path):
    labels = "ID,organ\na,chest\nb,head\n"
    return write(tmp_path, {"concepts.csv": CONCEPTS, "labels.csv": labels, "queries.csv": QUERIES})


def test_a_text_is_a_query_and_not_a_candidate(folder):
    study = open_study(folder)
    ids = study.image_ids
    assert [ids[i] for i in study.queries] == ["c", "r1", "t1"]
    assert [ids[i] for i in study.candidates] == ["a", "b", "c"]
    t1 = ids.index("t1")
    assert study.concepts.of_image(t1) == {"C0000001"}
    assert not study.concepts.annotated[ids.index("r1")]
    assert study.own_queries.kind_of(t1) == "text"
    assert study.own_queries.text_of(t1) == study.caption_of(t1) == "A chest, seen"
    assert study.labels["organ"].of_image(t1) == ("chest",)
    # Frequencies are those of images: one of three carries C0000001, the text does not count.
    assert study.concepts.images_with.tolist() == [1, 2, 1]
    assert study.concepts.n_images == 3
    assert select(study, ["kind=text|report"]).queries.tolist() == [ids.index("r1"), t1]
    with pytest.raises(UnknownName, match="sound"):
        select(study, ["kind=sound"])


def test_a_condition_selects_the_direction(folder):
    run = "query,candidate,score\nt1,a,1\nt1,b,0.5\nc,a,1\n"
    write(folder, {"pairs.csv": "query,candidate\nt1,a\nc,t1\nc,r1\n", "systems/texts/run.csv": run})
    write(folder, {"systems/no-texts/embeddings.npz": npz("abc")})
    study = open_study(folder)
    assert [direction.name for direction in study.directions] == ["text->image", "image->text"]
    ids = study.image_ids
    matches = {name: [ids[i] for i in study.pairs.matches_of(n)] for n, name in enumerate(ids)}
    assert matches == {"a": ["t1"], "b": [], "c": ["r1", "t1"], "r1": ["c"], "t1": ["a", "c"]}
    assert "several-directions" in {problem.rule for problem in study.report.problems}
    assert study.systems == ("texts",)
    assert select(study, ["direction=image->text"]).systems == (), "none of the vectors is of a text"
    with pytest.raises(InputError, match="one direction"):
        select(study, ["direction!=image->text"])
