"""An upload is held against the study it joins: what belongs to none is reported, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.uploads import add_part
from tests.study.empty_study import empty_study
from tests.study.made import content, npz, png, shard, zipped

CONCEPTS = b"ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
RUN = b"a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"


@pytest.fixture
def study() -> Path:
    folder = empty_study("mine")
    add_part(folder, "concepts", "c.csv", CONCEPTS)
    return folder


OWN = {
    "captions": ("c.csv", b"ID,Caption\na,A chest\n"),
    "labels": ("l.csv", b"ID,organ\na,chest\n"),
    "names": ("n.csv", b"cui,name\nC0000001,Heart\n"),
    "images": ("i.zip", zipped(**{"a.png": png(), "other.png": png()})),
    "run": ("r.trec", RUN),
    "embeddings": ("e.npz", npz("abx")),
}
FOREIGN = {
    "captions": ("c.csv", b"ID,Caption\na.jpg,Another chest\n", "unknown-id"),
    "labels": ("l.csv", b"ID,organ\na.jpg,head\n", "unknown-id"),
    "names": ("n.csv", b"cui,name\nC0000009,Lung\n", "unknown-concept"),
    "images": ("i.zip", zipped(**{"x/a1.png": png(), "x/b1.png": png()}), "unknown-id"),
    "run": ("r.csv", b"query,candidate,score\na.jpg,b.jpg,1\n", "unknown-id"),
    "embeddings": ("e.npz", npz(["a.jpg", "b.jpg"]), "unknown-id"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_belongs_to_no_image_of_the_study_is_not_kept(study: Path, kind: str) -> None:
    name, data, rule = FOREIGN[kind]
    for before in ("nothing of its kind", "what there was"):
        if before == "what there was":
            report = add_part(study, kind, *OWN[kind], system="hog")
            assert "not-kept" not in {p.rule for p in report.problems}
        kept = content(study)
        report = add_part(study, kind, name, data, system="hog")
        assert report.problems[-1].rule == "not-kept"
        assert "was not kept" in report.problems[-1].message
        assert rule in {p.rule for p in report.problems}
        assert content(study) == kept
    if rule == "unknown-id" and kind != "images":
        assert "Apart from a file ending such as .jpg" in " ".join(p.remedy for p in report.problems)


@pytest.mark.parametrize("kind", FOREIGN)
def test_before_there_are_concepts_nothing_can_be_foreign(kind: str) -> None:
    name, data, _ = FOREIGN[kind]
    report = add_part(empty_study("new"), kind, name, data, system="hog")
    assert "not-kept" not in {p.rule for p in report.problems}
    assert len(content(empty_study("new"))) >= 1


def test_names_of_concepts_that_only_the_graph_has(study: Path) -> None:
    names = b"cui,name\nC0000009,Lung\n"
    assert add_part(study, "names", "n.csv", names).problems[-1].rule == "not-kept"
    add_part(study, "graph", "e.csv", b"child,parent\nC0000001,C0000009\n")
    assert add_part(study, "names", "n.csv", names).problems == ()
    assert open_study(study).name_of("C0000009") == "Lung"


OTHERS = b"ID,CUIs\na.jpg,C0000001\nb.jpg,C0000001\n"


@pytest.mark.parametrize("kind", ["captions", "labels", "images", "run", "embeddings"])
@pytest.mark.parametrize("data", [OTHERS, shard("x")], ids=["table", "shard"])
def test_concepts_of_other_images_would_orphan_what_is_there(study: Path, kind: str, data: bytes) -> None:
    add_part(study, kind, *OWN[kind], system="hog")
    kept = content(study)
    report = add_part(study, "concepts", "other.csv", data)
    assert [p.rule for p in report.problems] == ["other-images", "not-kept"]
    assert "whose other files would belong to no image" in report.problems[0].message
    assert content(study) == kept
    # One image in common is enough: the rest is reported when the study is opened.
    add_part(study, "concepts", "some.csv", b"ID,CUIs\na,C0000001\nz,C0000001\n")
    assert open_study(study).image_ids == ("a", "z")


def test_the_right_concepts_can_follow_the_wrong_ones() -> None:
    study = empty_study("new")
    add_part(study, "run", "r.trec", RUN, system="hog")
    add_part(study, "concepts", "wrong.csv", OTHERS)
    assert open_study(study).systems == ()
    add_part(study, "concepts", "right.csv", CONCEPTS)
    assert open_study(study).systems == ("hog",)
