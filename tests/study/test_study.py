"""A study of a folder: every part of it, what makes it one, and its digest."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from evalcore.study import open_study
from evalcore.study.reads_captions import describe, readers, remark
from evalcore.values.errors import InputError
from tests.study.hurt import VECTORS, WHOLE, A, B, C, saved
from tests.study.made import write


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(tmp_path / "small", {name: data for name, data in WHOLE.items() if name != "study.toml"})


def test_every_part_of_a_folder_is_in_the_study(small: Path) -> None:
    study = open_study(small)
    assert not study.report.problems
    assert (study.name, study.path, study.systems) == ("small", small.resolve(), ("one", "two"))
    assert study.image_ids == ("a", "b", "c", "d")
    assert study.concepts.annotated.tolist() == [True, True, True, False]
    assert study.concepts.of_image(0) == {A, B} and study.captions.texts[0] == 'a "CT", axial'
    assert study.labels["modality"].of_image(1) == ("XR",)
    assert study.labels["organ"].of_image(0) == ("chest", "head")
    assert (study.graph.n_nodes, study.images) == (3, None)
    assert (study.name_of(A), study.name_of(C)) == ("Tomography", C)
    candidates, scores = study.runs["one"].answer(0)
    assert (candidates.tolist(), scores.tolist()) == ([1, 2], [0.9, 0.5])
    assert study.embeddings["two"].vectors.tolist() == VECTORS.tolist()
    assert (study.queries.tolist(), study.candidates.tolist()) == ([0, 1], [0, 1, 2, 3])
    parts = {part.file: (part.kind, part.format, part.rows) for part in study.parts if part.used}
    assert parts.keys() | {"study.toml"} == WHOLE.keys() and parts["captions.csv"] == ("captions", "csv", 4)
    assert parts["systems/one/run.trec"] == ("run", "trec", 4)
    assert parts["systems/two/embeddings.npz"] == ("embeddings", "npz", 4)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"concepts.csv": "ID,CUIs\n"},
        {"concepts.csv": "", "captions.csv": "ID,Caption\na,CT\n"},
        {"concepts.csv": "ID,Caption\na,a caption\nb,another\n"},
        {"x_concepts.csv": "a,\n", "y_concepts.csv": "b,\n"},
    ],
)
def test_without_concepts_there_is_no_study_whatever_else_is_there(
    tmp_path: Path, files: dict[str, str]
) -> None:
    with pytest.raises(InputError, match="There are no readable concepts") as caught:
        open_study(write(tmp_path, files))
    assert "image_1,C0040405;C0817096" in str(caught.value) and caught.value.report is not None


def test_study_toml_has_its_say(small: Path) -> None:
    toml = (
        'name = "Small study"\ndescription = "made by hand"\n[files]\ncaptions = ""\n'
        '[systems.uno]\nrun = "systems/one/run.trec"\n'
        '[systems."a b"]\nembeddings = "v.npy"\nids = "v.txt"\n'
    )
    files = {"study.toml": toml, "v.npy": saved(np.save, np.eye(2)), "v.txt": "b\na\n"}
    study = open_study(write(small, files))
    assert (study.name, study.description, study.systems) == ("Small study", "made by hand", ("a b", "uno"))
    assert study.captions is None and study.embeddings["a b"].vectors.tolist() == [[0, 1], [1, 0]]
    assert study.embeddings["a b"].rows.tolist() == [0, 1, -1, -1]


def test_the_digest_is_that_of_the_content(small: Path, tmp_path: Path) -> None:
    digest = open_study(small).digest
    shutil.copytree(small, tmp_path / "elsewhere")
    assert open_study(tmp_path / "elsewhere").digest == digest
    assert open_study(write(small, {"study.toml": 'name = "another name"'})).digest == digest
    (small / "systems/one/run.trec").unlink()
    run = gzip.compress(WHOLE["systems/one/run.trec"])
    assert open_study(write(small, {"systems/one/run.txt.gz": run})).digest == digest


READS = {"hog": ("images", "captions"), "bm25": ("captions",), "pixels": ("images",), "mine": ()}


def test_systems_read_captions_where_the_study_says_so() -> None:
    assert readers(["bm25", "mine", "hog", "hog", "pixels", "unknown"], READS) == ["bm25", "hog"]
    assert describe(["hog", "mine"], READS).startswith("hog reads captions. If the concepts were taken from")
    assert describe(["hog", "bm25"], READS).startswith("hog and bm25 read captions.")
    assert describe(["pixels"], READS) == ""
    composed = {"rrf:pixels+hog": True, "rrf:pixels+mine": False, "@cosine:hog": True, "@iou": False}
    assert {name: bool(remark(name, READS)) for name in composed} == composed
