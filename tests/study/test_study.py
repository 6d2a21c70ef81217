"""A study of a folder: what makes it one, its digest, and which systems read captions."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from evalcore.study import open_study
from evalcore.study.reads_captions import describe, readers, remark
from evalcore.values.errors import InputError
from tests.study.hurt import WHOLE, saved
from tests.study.made import write


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
def test_a_study_needs_concepts(tmp_path, files):
    with pytest.raises(InputError, match="There are no readable concepts") as caught:
        open_study(write(tmp_path, files))
    assert "image_1,C0040405;C0817096" in str(caught.value) and caught.value.report is not None


def test_unreadable_concepts_hide_no_problem_of_other_files(tmp_path: Path) -> None:
    files = {"concepts.csv": "ID;CUIs\na;C0000001\n", "names.csv": "cui,name\nC0000001\n"}
    run = {"systems/one/run.csv": "query,candidate,score\na,b,high\n"}
    with pytest.raises(InputError) as caught:
        open_study(write(tmp_path, files | run))
    assert {(problem.file, problem.line) for problem in caught.value.report.of_severity("error")} == {
        *(("concepts.csv", 2), ("names.csv", 2), ("systems/one/run.csv", 2))
    }


def test_study_toml_names_files_of_systems(tmp_path: Path) -> None:
    toml = (
        '[files]\ncaptions = ""\n[systems.uno]\nrun = "systems/one/run.trec"\n'
        '[systems."a b"]\nembeddings = "v.npy"\nids = "v.txt"\n'
    )
    files = {"study.toml": toml, "v.npy": saved(np.save, np.eye(2)), "v.txt": "b\na\n"}
    study = open_study(write(tmp_path, WHOLE | files))
    assert (study.systems, study.captions) == (("a b", "uno"), None)
    assert study.embeddings["a b"].vectors.tolist() == [[0, 1], [1, 0]]
    assert study.embeddings["a b"].rows.tolist() == [0, 1, -1, -1]


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    small = write(tmp_path / "small", {name: data for name, data in WHOLE.items() if name != "study.toml"})
    digest = open_study(small).digest
    shutil.copytree(small, tmp_path / "elsewhere")
    assert open_study(tmp_path / "elsewhere").digest == digest
    assert open_study(write(small, {"study.toml": 'name = "another name"'})).digest == digest
    (small / "systems/one/run.trec").unlink()
    run = gzip.compress(WHOLE["systems/one/run.trec"])
    assert open_study(write(small, {"systems/one/run.txt.gz": run})).digest == digest


READS = {"hog": ("images", "captions"), "bm25": ("captions",), "pixels": ("images",), "mine": ()}


def test_systems_that_read_captions_are_named() -> None:
    assert readers(["bm25", "mine", "hog", "hog", "pixels", "unknown"], READS) == ["bm25", "hog"]
    assert describe(["hog", "mine"], READS).startswith("hog reads captions. If the concepts were taken from")
    assert describe(["hog", "bm25"], READS).startswith("hog and bm25 read captions.")
    assert describe(["pixels"], READS) == ""
    composed = {"rrf:pixels+hog": True, "rrf:pixels+mine": False, "@cosine:hog": True, "@iou": False}
    assert {name: bool(remark(name, READS)) for name in composed} == composed
