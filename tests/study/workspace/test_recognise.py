"""What a file is taken for: by its content, whatever its name; and what is kept of several together."""

import gzip
import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.study import open_study
from evalcore.study.parts.recognise import STUDY, UNKNOWN, recognise, recognise_as
from evalcore.study.parts.registry import IN_UPLOADS
from evalcore.study.workspace.home import studies
from evalcore.study.workspace.uploads import add_files
from tests.study.made import npz, png, write, zipped

CONCEPTS = b"ID,CUIs\nq1,C0000001;C0000002\nq2,C0000001\nq3,C0000003\n"
RUN = b"q1 Q0 q2 1 0.9 cnn\nq1 Q0 q3 2 0.5 cnn\nq2 Q0 q1 1 0.7 cnn\n"


def row(*cells: str, width: int) -> bytes:
    return "|".join([*cells, *[""] * (width - len(cells))]).encode() + b"\n"


FILES = {
    "TREC": (RUN, "run", "2 queries, 3 results"),
    "run without header": (b"q1,q2,0.5\nq1,q3,0.4\n", "run", "1 query, 2 results"),
    "run as JSON": (json.dumps({"q1": {"q2": 0.5}}).encode(), "run", "1 query, 1 result"),
    "concepts": (CONCEPTS, "concepts", "3 images"),
    "concepts first": (b"CUIs,ID\nC0000001;C0000002,q1\nC0000001,q2\n", "concepts", "2 images"),
    "concepts without header": (CONCEPTS.split(b"\n", 1)[1], "concepts", "3 images"),
    "concepts of another vocabulary": (b"ID,CUIs\nq1,HP:0000001\nq2,HP:0000002\n", "concepts", "2 images"),
    "captions": (b'ID,Caption\nq1,"CT, chest"\nq2,Head\n', "captions", "2 captions"),
    "captions first": (b'Caption,ID\n"CT, chest",q1\nHead,q2\n', "captions", "2 captions"),
    "labels": (b"ID,modality,organ\nq1,CT,chest\nq2,MR,head\n", "labels", "2 images: modality and organ"),
    "ids within labels": (b"modality,ID,organ\nCT,q1,chest\n", "labels", "1 image: modality and organ"),
    "groups": (b"ID,patient\nq1,p1\nq2,p1\n", "groups", "2 images: patient"),
    "edges": (b"child,parent\nC0000001,C0000002\n", "graph", "1 link"),
    "edges without header": (b"C0000001,C0000002\nC0000003,C0000002\n", "graph", "2 links"),
    "OBO": (b"format-version: 1.2\n\n[Term]\nid: HP:1\n\n[Term]\nid: HP:2\nis_a: HP:1\n", "graph", "1 link"),
    "MRREL": (
        row("C0000001", "A1", "AUI", "PAR", "C0000002", "A2", "AUI", "isa", "R1", "", "MSH", width=17),
        "graph",
        "1 link",
    ),
    "MRCONSO": (b"C0000001|ENG|P|L1|PF|S1|Y|A1||||MSH|PN|D1|Chest|0|N||\n", "names", "1 name"),
    "MRSTY": (row("C0000001", "T047", "B2", "Disease or Syndrome", "AT1", width=7), "concept_kinds", ""),
    "names": (b"cui,name\nC0000001,Chest\n", "names", "1 name"),
    "queries": (b"id,kind,text,concepts\nt1,text,A heart,C0000001\n", "queries", "1 query"),
    "pairs": (b"query,candidate\nt1,a\n", "pairs", "1 pair"),
    "vectors of images": (npz(["q1", "q2"]), "embeddings", "2 vectors of 2 numbers"),
    "vectors of concepts": (npz(["C0000001", "C0000002"]), "concept_vectors", "2 vectors of 2 numbers"),
    "word2vec": (b"2 3\nC0000001 1 0 0\nC0000002 0 1 0\n", "concept_vectors", "2 vectors of 3 numbers"),
    "a pickle": (b"\x80\x04\x95\x00", "concept_vectors", "nothing that can be used"),
    "PNG": (png(), "images", "1 picture"),
    "judgments": (b"q1 0 q2 1\nq1 0 q3 0\n", "judgments", "2 judgments of 1 query"),
    "prose": (b"# Notes\n\nThese are notes about the study.\n", UNKNOWN, ""),
    "other JSON": (b'{"version": 3, "names": ["a"]}', UNKNOWN, ""),
    "nothing": (b"", UNKNOWN, ""),
    "a zip of nothing": (zipped(), UNKNOWN, ""),
}


@pytest.mark.parametrize("what", FILES)
def test_uploads_check_and_folders_recognise_a_file_by_its_content(what, tmp_path, capsys):
    data, kind, holds = FILES[what]
    (form,) = recognise([("odd", data)])
    assert form.kind == kind and holds in form.holds
    if kind == UNKNOWN:
        (problem,) = form.report.problems
        assert problem.rule == "not-recognised" and problem.remedy and problem.file == "odd"
        assert ("is empty" in problem.message) == (what in ("nothing", "a zip of nothing"))
    if kind == "images":
        return
    (tmp_path / "odd").write_bytes(data)
    run(["check", str(tmp_path / "odd"), "--json"])
    (checked,) = json.loads(capsys.readouterr().out)["files"]
    assert (checked["kind"], checked["contents"], checked["system"]) == (form.kind, form.holds, form.system)
    (tmp_path / "concepts.csv").write_bytes(CONCEPTS)
    (unread,) = [problem for problem in open_study(tmp_path).report.problems if problem.file == "odd"]
    title = "the ranking of a system" if form.kind == "run" else form.title.removeprefix("System: ").lower()
    assert f"looks like {title} and" in unread.message or (
        form.kind == UNKNOWN and "looks" not in unread.message
    )


def test_systems_are_named_after_file_folder_or_run() -> None:
    runs = [("hog.txt.gz", gzip.compress(RUN)), ("run.trec", RUN), ("b/run.json", FILES["run as JSON"][0])]
    assert [entry.system for entry in recognise(runs)] == ["hog", "cnn", "b"]
    assert [entry.system for entry in recognise([("a.txt", RUN), ("a.trec", RUN)])] == ["a", "a_2"]


def test_every_kind_can_be_corrected_to_every_other() -> None:
    (result,) = recognise([("file.csv", CONCEPTS)])
    for kind in IN_UPLOADS:
        assert recognise_as(result, kind).kind == kind  # nothing is raised, whatever the content
    again = recognise_as(recognise_as(result, "captions"), "concepts")
    assert (again.holds, again.report.problems) == (result.holds, result.report.problems)


def test_a_zip_is_a_study_or_pictures(tmp_path: Path) -> None:
    study = zipped(**{"s/concepts.csv": CONCEPTS, "s/systems/hog/run.trec": RUN})
    assert [(entry.kind, entry.holds) for entry in recognise([("s.zip", study)])] == [
        (STUDY, "2 files, 1 system")
    ]
    (pictures,) = recognise([("p.zip", zipped(**{"q1.png": png(), "q2.jpg": png()}))])
    assert (pictures.kind, pictures.holds) == ("images", "2 pictures")
    odd = {"not-recognised": zipped(**{"more.zip": study}), "unreadable-container": study[:-30]}
    for rule, other in odd.items():
        (result,) = recognise([("other.zip", other)])
        assert result.kind == UNKNOWN and [p.rule for p in result.report.problems] == [rule]
    files = {"concepts.csv": CONCEPTS, "old.zip": study, "p.zip": zipped(**{"q1.png": png()})}
    unread = {p.file: p.message for p in open_study(write(tmp_path, files)).report.problems}
    assert "looks like" not in unread["old.zip"] and "looks like pictures" in unread["p.zip"]


IN_ZIP = zipped(**{"concepts.csv": CONCEPTS})
ADDED = {
    "names with backslashes": ("a.zip", zipped(**{"s\\concepts.csv": CONCEPTS}), STUDY, None),
    "a name that leads out": (
        "a.zip",
        zipped(**{"concepts.csv": CONCEPTS, "../x.csv": b"x"}),
        STUDY,
        "unsafe-path",
    ),
    "a bomb": ("a.zip", zipped(**{"q1.png": bytes(20 << 20)}), "images", "zip-bomb"),
    "Deflate64": ("a.zip", IN_ZIP.replace(b"\x08\0", b"\x09\0"), STUDY, "unreadable-container"),
    "cut gzip": ("a.csv.gz", gzip.compress(CONCEPTS)[:-9], UNKNOWN, "unreadable-container"),
    "gzip of much": ("a.csv.gz", gzip.compress(b"ID,CUIs\n" + bytes(20 << 20)), UNKNOWN, "too-large"),
    "cut picture": ("q1.png", png()[:8], "images", "broken-image"),
}


@pytest.mark.parametrize("what", ADDED)
def test_a_file_that_is_refused_when_it_is_added_is_reported_before(what):
    name, data, kind, rule = ADDED[what]
    (file,) = recognise([(name, data)])
    assert (file.kind, [p.rule for p in file.report.problems]) == (kind, [rule] if rule else [])
    added = add_files([file], "mine")
    assert bool(added.kept) is (rule is None)
    assert kind == UNKNOWN or rule is None or rule in [p.rule for p in added.report.problems]


def test_pictures_are_kept_together_as_they_are_alone() -> None:
    names = ("q1:a.png", "..hidden.png", "caf\udce9.png", "../q2.png")
    alone = [add_files(recognise([(name, png())]), f"alone {n}") for n, name in enumerate(names)]
    together = add_files(recognise([(name, png()) for name in names]), "together")
    kept = {path.name for added in alone for path in (added.folder / "images").iterdir()}
    assert kept == {path.name for path in (together.folder / "images").iterdir()}
    assert kept == {"q1_a.png", "hidden.png", "caf\ufffd.png", "q2.png"}


def test_a_zip_that_lists_too_much_is_not_opened() -> None:
    entry = (b"PK\x01\x02" + bytes(42)) * 200_001
    end = b"PK\x05\x06" + bytes(8) + len(entry).to_bytes(4, "little") + bytes(6)
    (file,) = recognise([("many.zip", b"PK\x03\x04" + entry + end)])
    (problem,) = file.report.problems
    assert file.kind == UNKNOWN and problem.message == "The zip lists 200,001 files; at most 200,000."


def test_several_files_become_a_study_in_any_order() -> None:
    files = [("hog.trec", RUN), ("q1.png", png()), ("q2.png", png()), ("c.txt", CONCEPTS), ("no.md", b"#")]
    added = add_files(recognise(files), "Mine")
    assert added.refused == () and len(added.kept) == 3
    study = open_study(added.folder)
    assert study.systems == ("hog",) and study.image_ids == ("q1", "q2", "q3")
    assert study.images is not None and study.images.count == 2
    before = study.digest
    more = add_files(recognise([("other.trec", b"x1 Q0 x2 1 0.5 a\n"), ("cnn.trec", RUN)]), added.folder)
    assert more.refused == ("other.trec",) and more.kept == ("cnn.trec",)
    assert open_study(added.folder).systems == ("cnn", "hog") and open_study(added.folder).digest != before


def test_unusable_files_make_no_study() -> None:
    added = add_files([recognise_as(recognise([("a", b"\x00")])[0], "concepts")], "Mine")
    assert added.folder is None and added.refused == ("a",) and studies() == []
