"""A corrected copy of a hurt study is the whole one again, and the hurt one stays as it is."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run as command
from evalcore.study import open_study
from evalcore.study.fixing import Corrected, correct, study_and_problems, write_corrected
from evalcore.values.errors import InputError
from tests.study.faults import Killed, every_step, full_disk
from tests.study.hurt import TREC, A, B
from tests.study.hurt import WHOLE as SMALL
from tests.study.made import content, write

WHOLE = SMALL | {
    "systems/three/run.csv": b"query,candidate,score\na,b,0.9\na,c,0.5\nb,d,0.7\nb,a,0.1\n",
    "systems/four/run.json": b'{"a": {"b": 0.9, "c": 0.5}, "d": {"a": 1}}',
    "judgments/panel.csv": b"query,result,value\na,b,2\na,c,0\nb,d,1\n",
    "images/notes.bin": bytes(range(256)),
    ".hidden": b"kept",
}
RUN = "systems/three/run.csv"
HURT = WHOLE | {
    RUN: b"Candidates,SCORE,Querys\np/b.PNG,0.9,p/a.PNG\np/c.PNG,0.5,p/a.PNG\np/b.PNG,0.000001,p/a.PNG\n"
    b"p/b.PNG,nan,p/a.PNG\np/b.PNG,high,p/a.PNG\ntoo,few\n\xff,1,p/a.PNG\n\np/c.PNG,0.5,p/a.PNG\n"
    b"p/d.PNG,0.7,p/b.PNG\np/a.PNG,0.1,p/b.PNG\n",
    "systems/one/run.trec": b"A Q0 B 1 0.9 s\nA Q0 B 1 0.2 again\nA Q0 D 9 inf s\nA Q0\nA Q0 C 2 0.5 s\n"
    b"B Q0 D 1 7e-1 s\nB Q0 A 2 .1 s\n",
    "labels.csv": b"ID,modality,organ\nc:\\x\\a,CT,chest;head\nc:\\x\\a,CT,chest;head\nc:\\x\\b,x,y,z\n,XR,\n"
    b"c:\\x\\b,XR,\nc:\\x\\c,MR,\nc:\\x\\d,,head\n",
    "judgments/panel.csv": b"topics,corpus ids,values\na.dcm,b.dcm,2\na.dcm,c.dcm,0\na.dcm,b.dcm,2\n"
    b"a.dcm,d.dcm,much\nb.dcm,d.dcm,1\n",
    "captions.csv": b'ID,Caption\na.tif,"a ""CT"", axial"\nb.tif,chest\nc.tif,none\nd.tif,none\n',
    "graph/edges.csv": WHOLE["graph/edges.csv"].replace(b"parent", b"Parents") + b"C0000003,,MSH,isa\n",
    "concepts.csv": f"ID,CUIs\nb,{B};{B}\na,{A};{B}\nb,{B}\na,{A};{B}\nc,\nd\n".encode(),
}
"""Everything that can be corrected, at once."""


def digest(folder: Path) -> str:
    study = open_study(folder)
    assert study.report.total("error") == 0, study.report.problems
    return study.digest


def copy(folder: Path, target: Path) -> Corrected:
    corrected = correct(folder)
    assert corrected.files
    write_corrected(corrected, target)
    return corrected


@pytest.mark.parametrize("packed", [False, True])
def test_a_corrected_study_equals_the_undamaged_one(tmp_path, packed):
    broken = dict(HURT)
    for name in (RUN, "systems/one/run.trec", "labels.csv") if packed else ():
        broken[f"{name}.gz"] = gzip.compress(broken.pop(name))
    whole, study = write(tmp_path / "whole", WHOLE), write(tmp_path / "hurt", broken)
    before = content(study)
    corrected = copy(study, tmp_path / "corrected")
    assert content(study) == before
    after = content(tmp_path / "corrected")
    assert after.keys() == before.keys()
    same = {name for name in after if after[name] == before[name]}
    assert {"images/notes.bin", ".hidden", "names.csv"} <= same
    assert {str(path.relative_to(corrected.layout.root)) for path in corrected.files} == after.keys() - same
    assert digest(tmp_path / "corrected") == digest(whole)
    assert len({change.file for change in corrected.changes}) == len(corrected.files)
    assert correct(tmp_path / "corrected").files == {}


def test_every_change_is_listed_with_its_line_and_value(tmp_path):
    corrected = correct(write(tmp_path / "hurt", HURT))
    part = {(c.file, c.what): (c.count, c.line, c.value) for c in corrected.changes}
    assert part[RUN, "column renamed to query"] == (1, 1, "Querys")
    assert part[RUN, "column renamed to candidate"] == (1, 1, "Candidates")
    assert part[RUN, "ids in candidate written as the concept file does"] == (8, 2, "p/b.PNG -> b")
    assert part[RUN, "rows left out: nan-score"] == (1, 5, "nan")
    assert part[RUN, "rows left out: bad-score"] == (1, 6, "high")
    assert part[RUN, "rows left out: wrong-columns"][:2] == (1, 7)
    assert part[RUN, "rows left out: undecodable"][:2] == (1, 8)
    assert part[RUN, "rows left out: duplicate-candidate"][:2] == (2, 4)
    assert part["concepts.csv", "rows left out: duplicate-id"] == (2, 4, "b")
    assert part["graph/edges.csv", "rows left out: empty-cell"][0] == 1


def test_rows_that_the_reader_takes_stay(tmp_path):
    run = b"a Q\xff b 1 2 x\nb Q0 a 1 1 x\nb Q0 a 2 1 x\n"  # the second column is not read
    study = write(tmp_path / "odd", WHOLE | {"systems/one/run.trec": run})
    corrected = copy(study, tmp_path / "corrected")
    assert [change.what for change in corrected.changes] == ["rows left out: duplicate-candidate"]
    kept = (tmp_path / "corrected/systems/one/run.trec").read_bytes()
    assert kept.split(b"\n")[:2] == run.split(b"\n")[:2]


def test_all_problems_come_in_one_round(tmp_path):
    study, report, _ = study_and_problems(write(tmp_path / "hurt", HURT), "error")
    assert study is not None
    rules = {file: {rule for _, place, rule in report.counts if place == file} for file in WHOLE}
    in_tables = {"unknown-id", "wrong-columns"}
    scored = {"unknown-format", "nan-score", "bad-score", "undecodable", "duplicate-candidate"}
    assert rules[RUN] >= in_tables | scored
    assert rules["labels.csv"] >= in_tables | {"duplicate-id", "missing-id"}
    remedies = {p.remedy for p in report.problems if p.file == RUN}
    assert "Rename 'Querys' to query and 'Candidates' to candidate." in remedies


def test_a_misnamed_concept_column_hides_nothing(tmp_path):
    files = dict(HURT)
    files["concepts.csv"] = f"figures,note,Concept CUI\nb,,{B}\na,,{A};{B}\nc,,\nd,,\n".encode()
    whole = WHOLE | {"concepts.csv": WHOLE["concepts.csv"].replace(b"d\n", b"d,\n")}
    study = write(tmp_path / "hurt", files)
    opened, report, why = study_and_problems(study, "error")
    assert opened is None
    assert why
    assert ("error", "systems/one/run.trec", "unknown-id") in report.counts
    copy(study, tmp_path / "corrected")
    assert digest(tmp_path / "corrected") == digest(write(tmp_path / "whole", whole))


def test_ids_that_could_be_of_several_images_stay(tmp_path):
    files = {
        "concepts.csv": b"ID,CUIs\na,C0000001\nbB,C0000002\nBb,C0000001\nc,C0000002\n",
        "systems/one/run.csv": b"query,candidate,score\na,p1/c.png,1\na,p2/c.png,1\na,x/BB.png,1\n"
        b"a,zzz,1\na,bB,1\n",
    }
    study = write(tmp_path / "study", files)
    assert correct(study).files == {}
    assert command(["fix", str(study), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_the_command_lists_changes_and_what_is_still_wrong(tmp_path, capsys):
    files = dict(HURT)
    files[RUN] += b"p/nobody.PNG,0.5,p/a.PNG\n"
    study, out = write(tmp_path / "study", files), tmp_path / "out"
    assert command(["check", str(study)]) == 2
    assert capsys.readouterr().out.count(f"`fix {study} --out DIR`") == 1
    assert command(["fix", str(study), "--out", str(out), "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["errors"] == 1
    assert document["out"] == str(out)
    assert [p["rule"] for p in document["problems"] if p["severity"] == "error"] == ["unknown-id"]
    assert {"file", "what", "count", "line", "value"} == document["changes"][0].keys()
    assert command(["fix", str(study), "--out", str(out)]) == 2
    assert "Name a folder that is new, or empty" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["study/out", "."])
def test_the_copy_is_beside_the_study(tmp_path, where):
    study = write(tmp_path / "study", HURT)
    before = content(study)
    with pytest.raises(InputError, match="inside the study, or contains it"):
        write_corrected(correct(study), tmp_path / where)
    assert content(study) == before


def test_links_and_pipes_are_left_out(tmp_path):
    secret = write(tmp_path / "secret", {"run.trec": TREC.encode(), "x/y": b"z"})
    study = write(tmp_path / "study", HURT)
    (study / "systems/five").mkdir()
    (study / "systems/five/run.trec").symlink_to(secret / "run.trec")
    (study / "elsewhere").symlink_to(secret)
    (study / "loop").symlink_to(study)
    os.mkfifo(study / "pipe")
    corrected = copy(study, tmp_path / "corrected")
    left = {change.file for change in corrected.changes if change.what.startswith("not copied")}
    assert left == {"systems/five/run.trec", "elsewhere", "loop", "pipe"}
    assert not any(path.is_symlink() for path in (tmp_path / "corrected").rglob("*"))


def test_what_cannot_be_corrected_is_copied_unchanged(tmp_path):
    bomb = gzip.compress(b"0" * 20_000_000)
    files = HURT | {
        "systems/bomb/run.csv.gz": bomb,
        "systems/deep/run.json": b'{"a":' * 90_000,
        "systems/zero/run.csv": b"a\0b,c\n",
        "systems/half/run.csv.gz": bomb[:300],
        "systems/empty/run.csv": b"",
        "names.csv": b"\xff\xfe" + "cuis,names of\nC0000001,x\n".encode("utf-16-le"),
        "judgments/wide.csv": b"," * 300_000 + b"\n",
        "concept_vectors/x.npz": b"PK\x03\x04 no zip",
        "study.toml": b'name = "a"\n[systems.one]\ncolour = 5\n',
    }
    study = write(tmp_path / "study", files)
    copy(study, tmp_path / "corrected")
    for name in files.keys() - HURT.keys():
        assert (tmp_path / "corrected" / name).read_bytes() == files[name], name


@pytest.mark.parametrize("stop", [Killed, full_disk])
def test_a_full_disk_or_a_kill_leaves_nothing_or_all(tmp_path, stop):
    target, whole = tmp_path / "out", tmp_path / "whole"
    corrected = copy(write(tmp_path / "study", HURT), whole)
    for ended in every_step(target.parent, stop):
        with ended:
            write_corrected(corrected, target)
        if target.exists():
            assert content(target) == content(whole)
            shutil.rmtree(target)
