import gzip
import io
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from evalcore.study import open_study
from evalcore.study.pictures.image_files import image_bytes
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


def test_a_faulty_part_is_kept_out_and_never_blocks_the_others(small):
    build(
        small,
        **{
            "captions.csv": b"\x00\x01",
            "labels.csv": "ID,modality\na,CT,x\n",
            "graph/edges.csv": "nothing,here\n1,2\n",
            "names.csv": "",
            "queries.txt": "zz\n",
            "images.zip": "no zip",
            "systems/one/run.trec": "hello\n",
            "systems/two/embeddings.npz": b"PK",
            "systems/three/run.csv": "a,b,0.9\n",
        },
    )
    study = open_study(small)
    assert (study.graph, study.captions, study.images) == (None, None, None)
    assert not study.labels.columns["modality"].labelled.any()
    assert study.systems == ("three",)
    assert study.queries.tolist() == [0, 1, 2, 3]
    files = {p.file for p in study.report.of_severity("error")}
    assert files == {
        "captions.csv",
        "labels.csv",
        "graph/edges.csv",
        "names.csv",
        "queries.txt",
        "images.zip",
        "systems/one/run.trec",
        "systems/two/embeddings.npz",
    }
    used = {part.file: part.used for part in study.parts}
    assert [file for file in files if used.get(file, False)] == []


def test_study_toml_has_its_say(small):
    build(
        small,
        **{
            "study.toml": (
                'name = "Small study"\ndescription = "made by hand"\n[files]\n'
                'captions = ""\nlabel_map = "map.csv"\n'
                'labels = ""\n[labels]\none_value = true\n[systems.uno]\nrun = "systems/one/run.trec"\n'
            ),
            "map.csv": f"label_type,label,cui\norgan,chest,{B}\norgan,head,{A}\n",
        },
    )
    study = open_study(small)
    assert (study.name, study.description, study.systems) == ("Small study", "made by hand", ("uno",))
    assert study.captions is None
    organ = study.labels.columns["organ"], study.labels.columns["organ_all"]
    assert [column.of_image(0) for column in organ] == [(), ("chest", "head")]
    assert organ[0].of_image(1) == ("chest",)


def test_parquet_shards_are_concepts_captions_and_images(tmp_path):
    table = pa.table(
        {
            "image": [{"bytes": b"1", "path": "a.jpg"}, {"bytes": b"2", "path": "b.jpg"}],
            "image_id": ["b", "a"],
            "caption": ["CT", "XR"],
            "cui": [[A, B], [C]],
        }
    )
    (tmp_path / "data").mkdir()
    pq.write_table(table, tmp_path / "data/test-00000-of-00001.parquet")
    study = open_study(tmp_path)
    assert study.report.problems == ()
    assert study.concepts.of_image(1) == {A, B}
    assert study.captions.texts == ("XR", "CT")
    assert study.images.entries == ("test-00000-of-00001.parquet#1", "test-00000-of-00001.parquet#0")
    assert study.parts[0].format == "huggingface"


def test_images_inside_shards_can_be_read(tmp_path):
    stream = io.BytesIO()
    Image.new("L", (7, 5), 128).save(stream, "PNG")
    image = [{"bytes": stream.getvalue(), "path": "a.png"}]
    pq.write_table(pa.table({"image": image, "image_id": ["a"], "cui": [[A]]}), tmp_path / "concepts.parquet")
    study = open_study(tmp_path)
    assert image_bytes(study.images, 0) == stream.getvalue()


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


@pytest.fixture(scope="module")
def rocov2(real_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rocov2")
    for source, target in (
        ("rocov2/test_concepts.csv", "concepts.csv"),
        ("rocov2/test_captions.csv", "captions.csv"),
        ("labels/rocov2_test_labels.csv", "labels.csv"),
        ("kg/edges.csv", "graph/edges.csv"),
        ("kg/names.csv", "names.csv"),
    ):
        (folder / target).parent.mkdir(exist_ok=True)
        shutil.copyfile(real_dir / source, folder / target)
    return folder


@pytest.mark.real
def test_rocov2_opens(rocov2):
    study = open_study(rocov2)
    assert errors(study) == []
    assert (len(study.concepts), len(study.concepts.vocabulary)) == (9_927, 1_750)
    assert (study.graph.n_nodes, study.graph.n_edges) == (27_295, 54_688)
    assert all(study.captions.texts)
    missing = next(p for p in study.report.problems if p.rule == "not-in-graph")
    assert missing.message == "884 of 1,750 concepts (38% of their uses) are not in the graph."
    assert study.report.total("warning") == missing.count + sum(
        p.count for p in study.report.problems if p.file == "graph/edges.csv"
    )


@pytest.mark.real
def test_the_pack_with_seven_systems_opens(images_dir, real_dir, tmp_path):
    pack = images_dir / "roco"
    shutil.copyfile(pack / "concepts.csv", tmp_path / "concepts.csv")
    for run in (pack / "runs").iterdir():
        system = tmp_path / "systems" / run.name.split(".")[0]
        system.mkdir(parents=True)
        shutil.copyfile(run, system / "run.txt.gz")
        shutil.copyfile(pack / "embeddings" / f"{system.name}.npz", system / "embeddings.npz")
    (tmp_path / "study.toml").write_text('[files]\ncaptions = "metadata.csv"\n')
    shutil.copyfile(pack / "metadata.csv", tmp_path / "metadata.csv")
    study = open_study(tmp_path)
    assert errors(study) == []
    assert (len(study.runs), len(study.embeddings), len(study.concepts)) == (7, 7, 1_102)
    assert len(study.runs["medclip_subset"].queries) == 166
    assert all(study.captions.texts)


def test_a_file_of_concepts_that_cannot_be_read_is_no_study_whatever_else_is_there(tmp_path):
    with pytest.raises(InputError, match="There are no readable concepts"):
        open_study(build(tmp_path, **{"concepts.csv": "", "captions.csv": "ID,Caption\na,CT\n"}))
