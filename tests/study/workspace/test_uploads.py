"""Uploaded parts: read and held against the study before they are kept, never at the cost of what it has."""

import gzip
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.parts.registry import IN_UPLOADS
from evalcore.study.workspace import kept_files
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_part, has_part
from evalcore.values.account import Account, Limits, acting_as, serve
from evalcore.values.errors import InputError, Report, UnknownName
from tests.study.made import add_zip, content, empty_study, npz, png, shard, zipped

CONCEPTS = b"ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
RUN = b"a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"
EVERY_KIND = {
    "concepts": ("my concepts.csv", CONCEPTS, "concepts.csv", b"ID,CUIs\na,headache\n"),
    "captions": ("c.tsv", b"ID\tCaption\na\tA chest\n", "captions.csv", b""),
    "labels": ("l.csv", b"ID,organ\na,chest\n", "labels.csv", b"ID\na\n"),
    "groups": ("g.csv", b"ID,patient\na,p1\nb,p1\n", "groups.csv", b"ID\na\n"),
    "graph": (
        "my edges.txt",
        b"child,parent\nC0000002,C0000001\n",
        "graph/my_edges.csv",
        b"cui,name\nC0000001,Heart\n",
    ),
    "names": ("n.csv", b"cui,name\nC0000001,Heart\n", "names.csv", b"x,y\nz,w\n"),
    "concept_vectors": ("my v.vec", b"C0000001 0.1 0.2\n", "concept_vectors/my_v.txt", b"\x80\x04pickle"),
    "concept_kinds": ("k.csv", b"cui,kind\nC0000001,anatomy\n", "kinds.csv", b"cui,kind\nC0000001,colour\n"),
    "judgments": ("my qrels.txt", b"a 0 b 1\n", "judgments/my_qrels.qrels", b"a 0 b high\n"),
    "judges": ("llm.tsv", b"judge\tquery\tresult\tvalue\ngpt\ta\tb\t1\n", "judges/llm.csv", b"a 0 b high\n"),
    "images": ("a.png", png(), "images/a.png", b"no picture"),
    "queries": (
        "q.csv",
        b"id,kind,text\na,image+text,A heart\n",
        "queries.csv",
        b"id,kind,text\nt1,sound,A heart\n",
    ),
    "pairs": ("p.csv", b"query,candidate\na,b\n", "pairs.csv", b"left,right\na,b\n"),
    "run": ("run one.trec.gz", gzip.compress(RUN, mtime=0), "systems/hog/run.trec", b"a Q0 b 1 nan s\n"),
    "embeddings": ("e.npz", npz(), "systems/hog/embeddings.npz", b"\x80\x04pickle"),
}
"""A file of each kind, where it belongs, and one that is of no use."""
FOREIGN = {
    "captions": ("c.csv", b"ID,Caption\na.jpg,Another chest\n"),
    "labels": ("l.csv", b"ID,organ\na.jpg,head\n"),
    "names": ("n.csv", b"cui,name\nC0000009,Lung\n"),
    "images": ("i.zip", zipped(**{"x/a1.png": png(), "x/b1.png": png()})),
    "run": ("r.csv", b"query,candidate,score\na.jpg,b.jpg,1\n"),
    "embeddings": ("e.npz", npz(["a.jpg", "b.jpg"])),
}


@pytest.fixture
def study() -> Path:
    return empty_study()


def add(into: Path | str, kind: str, name: str, data: bytes, **how: object) -> Report:
    """What an upload reports: also whether nothing was kept."""
    folder, report = add_part(into, kind, name, data, **how)
    assert (folder is None) == ("not-kept" in rules(report))
    return report


def rules(report: object) -> list[str]:
    return [p.rule for p in report.problems]


def test_every_kind_finds_its_place_and_the_study_opens(study: Path) -> None:
    assert set(EVERY_KIND) == set(IN_UPLOADS)
    for kind, (name, data, place, _) in EVERY_KIND.items():
        assert not has_part(study, kind)
        assert add(study, kind, name, data, system="hog").total("error") == 0
        assert place in content(study) and has_part(study, kind)
    assert has_part(study, "run", system="hog") and not has_part(study, "run", system="other")
    opened = open_study(study)
    assert opened.report.total("error") == 0 and opened.systems == ("hog",)
    assert opened.graph.n_edges == opened.images.count == len(opened.names) == 1
    assert (opened.groups.name, opened.groups.of_image.tolist()) == ("patient", [0, 0, -1])
    assert opened.kinds.kind_by_cui == {"C0000001": "anatomy"}
    assert list((home() / "studies").iterdir()) == [study]


@pytest.mark.parametrize(
    ("kind", "foreign"), [*((kind, False) for kind in EVERY_KIND), *((kind, True) for kind in FOREIGN)]
)
def test_useless_and_foreign_uploads_change_nothing(kind, foreign, study):
    name, data = FOREIGN[kind] if foreign else EVERY_KIND[kind][::3]
    if foreign:
        add(study, "concepts", "c.csv", CONCEPTS)
    for before in (False, True):
        if before:
            assert "not-kept" not in rules(add(study, kind, *EVERY_KIND[kind][:2], system="hog"))
        kept = content(study)
        report = add(study, kind, name, data, system="hog")
        assert rules(report)[-1] == "not-kept" and report.total("error") >= 1
        assert {"unknown-id", "unknown-concept"} & set(rules(report)) if foreign else True
        assert content(study) == kept
    if foreign and kind not in ("names", "images"):
        assert "Apart from a file ending such as .jpg" in " ".join(p.remedy for p in report.problems)


def test_without_concepts_no_upload_is_foreign(study: Path) -> None:
    for kind, (name, data) in FOREIGN.items():
        assert "not-kept" not in rules(add(study, kind, name, data, system="hog"))


def test_names_of_concepts_that_only_the_graph_has(study: Path) -> None:
    add(study, "concepts", "c.csv", CONCEPTS)
    add(study, "graph", "e.csv", b"child,parent\nC0000001,C0000009\n")
    assert add(study, "names", *FOREIGN["names"]).problems == ()
    assert open_study(study).name_of("C0000009") == "Lung"


OTHERS = b"ID,CUIs\na.jpg,C0000001\nb.jpg,C0000001\n"


@pytest.mark.parametrize("kind", ["captions", "labels", "images", "run", "embeddings"])
@pytest.mark.parametrize("data", [OTHERS, shard("x")], ids=["table", "shard"])
def test_concepts_of_other_images_are_refused(study: Path, kind: str, data: bytes) -> None:
    add(study, "concepts", "c.csv", CONCEPTS)
    add(study, kind, *EVERY_KIND[kind][:2], system="hog")
    kept = content(study)
    report = add(study, "concepts", "other.csv", data)
    assert rules(report) == ["other-images", "not-kept"] and content(study) == kept
    # One image in common is enough: the rest is reported when the study is opened.
    add(study, "concepts", "some.csv", b"ID,CUIs\na,C0000001\nz,C0000001\n")
    assert open_study(study).image_ids == ("a", "z")


def test_the_right_concepts_can_follow_the_wrong_ones(study: Path) -> None:
    for kind, name, data in (("run", "r.trec", RUN), ("concepts", "wrong.csv", OTHERS)):
        add(study, kind, name, data, system="hog")
    assert open_study(study).systems == ()
    add(study, "concepts", "right.csv", CONCEPTS)
    assert open_study(study).systems == ("hog",)


def test_images_join_each_other(study: Path) -> None:
    add(study, "concepts", "c.csv", CONCEPTS)
    deep = zipped(deep__folder__a_png=png(1), deep__folder__b_png=png(2), deep__readme_txt=b"x")
    add(study, "images", "one.zip", deep)
    report = add(study, "images", "two.zip", zipped(b_png=png(9), c_png=b"broken"))
    assert [(p.rule, p.value) for p in report.problems] == [("broken-image", "c.png")]
    pictures = {k: v for k, v in content(study).items() if "images" in k}
    assert pictures == {"images/a.png": png(1), "images/b.png": png(9)}
    assert rules(add(study, "images", "c.png", png(3))) == []
    assert open_study(study).images.count == 3


def test_unknown_kinds_and_absent_folders(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="kind of part"):
        add(empty_study("x"), "pictures", "c.csv", b"")
    assert not has_part(tmp_path / "absent", "concepts")


def test_a_server_limits_files_packed_and_unpacked(server: None) -> None:
    large = CONCEPTS * 10
    with acting_as(Account("ada@example.org", "Ada")):
        serve(lambda: None, Limits(file_bytes=400))
        for upload in (
            lambda: add_part("s", "concepts", "concepts.csv", large),
            lambda: add_zip("s", large),
            lambda: kept_files.keep_file("satisfaction", "s.csv", large),
        ):
            with pytest.raises(InputError, match=f"{len(large)} bytes; this server takes files of up to 400"):
                upload()
        assert not home().exists()
        assert add_part("s", "concepts", "concepts.csv", CONCEPTS)[0] is not None
        serve(lambda: None, Limits(unpacked_bytes=100_000))
        folder, report = add_zip("bomb", zipped(concepts_csv=CONCEPTS, zeros_csv=bytes(100_001)))
        assert folder is None and rules(report) == ["zip-bomb"]
        assert "unpack to 100 kB; at most 100 kB" in report.problems[0].message
        assert [path.name for path in (home() / "studies").iterdir()] == ["s"]
        assert add_zip("fits", zipped(concepts_csv=CONCEPTS))[0] is not None
