"""Uploaded parts: read before they are kept, never at the cost of what was there."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.parts.registry import IN_UPLOADS
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_part, has_part
from evalcore.values.errors import InputError, UnknownName
from tests.study.empty_study import empty_study
from tests.study.made import content, npz, png, zipped

if TYPE_CHECKING:
    from pathlib import Path

CONCEPTS = b"ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
RUN = b"a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"


GOOD = {
    "concepts": ("my concepts.csv", CONCEPTS, "concepts.csv"),
    "captions": ("c.tsv", b"ID\tCaption\na\tA chest\n", "captions.csv"),
    "labels": ("l.csv", b"ID,organ\na,chest\n", "labels.csv"),
    "groups": ("g.csv", b"ID,patient\na,p1\nb,p1\n", "groups.csv"),
    "graph": ("my edges.txt", b"child,parent\nC0000002,C0000001\n", "graph/my_edges.csv"),
    "names": ("n.csv", b"cui,name\nC0000001,Heart\n", "names.csv"),
    "concept_vectors": ("my v.vec", b"C0000001 0.1 0.2\n", "concept_vectors/my_v.txt"),
    "concept_kinds": ("k.csv", b"cui,kind\nC0000001,anatomy\n", "kinds.csv"),
    "judgments": ("my qrels.txt", b"a 0 b 1\n", "judgments/my_qrels.qrels"),
    "judges": ("llm.tsv", b"judge\tquery\tresult\tvalue\ngpt\ta\tb\t1\n", "judges/llm.csv"),
    "images": ("a.png", png(), "images/a.png"),
    "queries": ("q.csv", b"id,kind,text\na,image+text,A heart\n", "queries.csv"),
    "pairs": ("p.csv", b"query,candidate\na,b\n", "pairs.csv"),
    "run": ("run one.trec.gz", gzip.compress(RUN, mtime=0), "systems/hog/run.trec"),
    "embeddings": ("e.npz", npz(), "systems/hog/embeddings.npz"),
}


@pytest.fixture
def study() -> Path:
    return empty_study()


def rules(report: object) -> list[str]:
    return [p.rule for p in report.problems]


def test_every_kind_finds_its_place_and_the_study_opens(study: Path) -> None:
    assert set(GOOD) == set(IN_UPLOADS)
    for kind, (name, data, place) in GOOD.items():
        assert not has_part(study, kind)
        report = add_part(study, kind, name, data, system="hog")
        assert report.total("error") == 0
        assert place in content(study)
        assert has_part(study, kind)
    assert has_part(study, "run", system="hog")
    assert not has_part(study, "run", system="other")
    opened = open_study(study)
    assert opened.report.total("error") == 0
    assert opened.systems == ("hog",)
    assert opened.graph.n_edges == opened.images.count == len(opened.names) == 1
    assert set(opened.labels.columns) == {"organ"}
    assert (opened.groups.name, opened.groups.of_image.tolist()) == ("patient", [0, 0, -1])
    assert opened.kinds.of == {"C0000001": "anatomy"}
    assert list((home() / "studies").iterdir()) == [study]


BAD = {
    "concepts": b"ID,CUIs\na,headache\n",
    "captions": b"",
    "labels": b"ID\na\n",
    "groups": b"ID\na\n",
    "graph": b"cui,name\nC0000001,Heart\n",
    "names": b"x,y\nz,w\n",
    "concept_vectors": b"\x80\x04pickle",
    "concept_kinds": b"cui,kind\nC0000001,colour\n",
    "judgments": b"a 0 b high\n",
    "judges": b"a 0 b high\n",
    "images": b"no picture",
    "queries": b"id,kind,text\nt1,sound,A heart\n",
    "pairs": b"left,right\na,b\n",
    "run": b"a Q0 b 1 nan s\n",
    "embeddings": b"\x80\x04pickle",
}


@pytest.mark.parametrize("kind", IN_UPLOADS)
def test_what_is_of_no_use_changes_nothing(kind: str, study: Path) -> None:
    name, good, _ = GOOD[kind]
    for before in (False, True):
        if before:
            add_part(study, kind, name, good, system="hog")
        kept = content(study)
        report = add_part(study, kind, name, BAD[kind], system="hog")
        assert rules(report)[-1] == "not-kept"
        assert report.total("error") >= 1
        assert content(study) == kept


def test_images_join_each_other(study: Path) -> None:
    add_part(study, "concepts", "c.csv", CONCEPTS)
    add_part(
        study,
        "images",
        "one.zip",
        zipped(deep__folder__a_png=png(1), deep__folder__b_png=png(2), deep__readme_txt=b"x"),
    )
    report = add_part(study, "images", "two.zip", zipped(b_png=png(9), c_png=b"broken"))
    assert [(p.rule, p.value) for p in report.problems] == [("broken-image", "c.png")]
    assert {k: v for k, v in content(study).items() if "images" in k} == {
        "images/a.png": png(1),
        "images/b.png": png(9),
    }
    assert rules(add_part(study, "images", "c.png", png(3))) == []
    assert open_study(study).images.count == 3


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("there", ["nothing", "a folder"])
def test_who_may_read_a_folder_opened_in_place_may_read_new_pictures(tmp_path: Path, there: str) -> None:
    study = tmp_path / "study"
    study.mkdir()
    study.chmod(0o755)
    if there == "a folder":
        (study / "images").mkdir(mode=0o755)
        (study / "images" / "b.png").write_bytes(png())
    source = io.BytesIO()
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("a.png", png())
        archive.writestr("deep/c.png", png())
    add_part(study, "images", "images.zip", source.getvalue(), in_place=True)
    made = [study / "images", study / "images" / "a.png", study / "images" / "deep" / "c.png"]
    assert [stat.S_IMODE(entry.stat().st_mode) for entry in made] == [0o755, 0o644, 0o644]
    assert stat.S_IMODE((study / "images" / "deep").stat().st_mode) == 0o755


TOML = """name = "Named"
[files]
concepts = "findings.csv"
graph = ["mine.csv"]
[systems.old]
run = "results.txt"
"""


def test_a_study_with_a_toml_follows_its_uploads(study: Path) -> None:
    (study / "study.toml").write_text(TOML)
    (study / "findings.csv").write_bytes(b"ID,CUIs\nz,C0000009\n")
    (study / "mine.csv").write_bytes(b"child,parent\nC0000003,C0000001\n")
    (study / "results.txt").write_bytes(RUN)
    add_part(study, "concepts", "c.csv", CONCEPTS)
    add_part(study, "graph", "x.csv", b"child,parent\nC0000002,C0000001\n")
    add_part(study, "run", "r.trec", RUN, system="new")
    opened = open_study(study)
    assert (opened.name, opened.image_ids, opened.systems) == ("Named", ("a", "b", "c"), ("new", "old"))
    assert opened.graph.n_edges == 2
    assert content(study)["concepts.csv"] == CONCEPTS and "findings.csv" not in content(study)
    changed = RUN.replace(b"0.8", b"0.7")
    add_part(study, "run", "r.trec", changed, system="old")
    assert content(study)["systems/old/run.trec"] == changed and "results.txt" not in content(study)


def test_only_uploaded_studies_are_changed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="never changed"):
        add_part(tmp_path, "concepts", "c.csv", CONCEPTS)
    with pytest.raises(UnknownName, match="kind of part"):
        add_part(empty_study("x"), "pictures", "c.csv", b"")
    assert not has_part(tmp_path / "absent", "concepts")
