import gzip
import io
import shutil

import numpy as np
import pytest

from evalcore.study import open_study
from evalcore.values.errors import InputError, SettingError

A, B, C, D = "C0040405", "C0817096", "C1306645", "C0000726"


def build(folder, **files):
    """A study folder from {path: text or bytes}."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def vectors(ids, table) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, ids=np.array(list(ids)), vectors=np.array(table, np.float32))
    return stream.getvalue()


SMALL = {
    "concepts.csv": f"ID,CUIs\nb,{B}\na,{A};{B}\nc,\nd\n",
    "captions.csv": "ID,Caption\na,CT of the chest\nb,chest\nc,none\nd,none\n",
    "labels.csv": "ID,modality\na,CT\nb,XR\n",
    "graph/edges.csv": f"child,parent\n{A},{B}\n",
    "names.csv": f"cui,name\n{A},Tomography\n",
    "systems/one/run.trec": "a Q0 b 1 0.9 s\nb Q0 a 1 0.5 s\n",
    "systems/two/embeddings.npz": vectors("abcd", [[1, 0], [0, 1], [1, 1], [1, 2]]),
    "queries.txt": "a\nb\n",
}


@pytest.fixture
def small(tmp_path):
    return build(tmp_path / "small", **SMALL)


def errors(study):
    return [(p.file, p.rule, p.line) for p in study.report.of_severity("error")]


def test_every_part_of_a_folder_is_in_the_study(small):
    study = open_study(small)
    assert errors(study) == []
    assert (study.name, study.path, study.systems) == ("small", small.resolve(), ("one", "two"))
    assert study.image_ids == ("a", "b", "c", "d")
    assert study.concepts.annotated.tolist() == [True, True, True, False]
    assert study.concepts.of_image(0) == {A, B}
    assert study.captions.texts[0] == "CT of the chest"
    assert study.labels.columns["modality"].of_image(1) == ("XR",)
    assert study.graph.n_nodes == 2
    assert (study.name_of(A), study.name_of(B)) == ("Tomography", B)
    assert study.runs["one"].answer(0)[0].tolist() == [1]
    assert study.embeddings["two"].vectors.shape == (4, 2)
    assert study.images is None
    assert (study.queries.tolist(), study.candidates.tolist()) == ([0, 1], [0, 1, 2, 3])
    assert {(part.kind, part.file, part.format, part.rows, part.used) for part in study.parts} == {
        ("concepts", "concepts.csv", "csv", 4, True),
        ("captions", "captions.csv", "csv", 4, True),
        ("labels", "labels.csv", "csv", 2, True),
        ("graph", "graph/edges.csv", "csv", 1, True),
        ("names", "names.csv", "csv", 1, True),
        ("queries", "queries.txt", "csv", 2, True),
        ("run", "systems/one/run.trec", "trec", 2, True),
        ("embeddings", "systems/two/embeddings.npz", "npz", 4, True),
    }


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "There are no readable concepts"),
        ({"concepts.csv": ""}, "There are no readable concepts"),
        ({"concepts.csv": "ID,CUIs\n"}, "There are no readable concepts"),
        ({"concepts.csv": "ID,Caption\na,a caption\nb,another\n"}, "There are no readable concepts"),
        ({"x_concepts.csv": "a,\n", "y_concepts.csv": "b,\n"}, "There are no readable concepts"),
    ],
)
def test_without_concepts_there_is_no_study(tmp_path, files, words):
    with pytest.raises(InputError, match=words) as caught:
        open_study(build(tmp_path, **files))
    assert "image_1,C0040405;C0817096" in str(caught.value)
    assert caught.value.report is not None


def test_an_unknown_folder_and_an_unknown_option_are_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        open_study(tmp_path / "nowhere")
    with pytest.raises(SettingError, match=r"`unknown` must be one of error, zero, drop\. Got 'ignore'\."):
        open_study(tmp_path, unknown="ignore")


def test_study_toml_has_its_say(small):
    toml = (
        'name = "Small study"\ndescription = "made by hand"\n[files]\ncaptions = ""\n'
        '[systems.uno]\nrun = "systems/one/run.trec"\n'
    )
    study = open_study(build(small, **{"study.toml": toml}))
    assert (study.name, study.description, study.systems) == ("Small study", "made by hand", ("uno",))
    assert study.captions is None


def test_the_digest_is_that_of_the_content(small, tmp_path):
    digest = open_study(small).digest
    shutil.copytree(small, tmp_path / "elsewhere")
    assert open_study(tmp_path / "elsewhere").digest == digest
    build(small, **{"study.toml": 'name = "another name"'})
    assert open_study(small).digest == digest
    run = (small / "systems/one/run.trec").read_bytes()
    (small / "systems/one/run.trec").unlink()
    build(small, **{"systems/one/run.txt.gz": gzip.compress(run)})
    assert open_study(small).digest == digest


def test_a_file_of_concepts_that_cannot_be_read_is_no_study_whatever_else_is_there(tmp_path):
    with pytest.raises(InputError, match="There are no readable concepts"):
        open_study(build(tmp_path, **{"concepts.csv": "", "captions.csv": "ID,Caption\na,CT\n"}))
