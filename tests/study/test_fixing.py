"""A corrected copy of a hurt study is the whole one again, and the hurt one stays as it is."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run as command
from evalcore.evaluate.scoring import score
from evalcore.study import open_study
from evalcore.study.fixing import Corrected, correct, study_and_problems, write_corrected
from evalcore.values.errors import InputError
from tests.study.faults import Killed, every_step, full_disk
from tests.study.made import content, write

N = 12
IDS = [f"img_{i:02}" for i in range(N)]
CUIS = [f"C{i:07}" for i in range(1, 9)]
METRICS = ["CUI@5", "P(organ)@5", "nDCG(iou)@5", "AP(qrels:panel)"]


def table(*rows: list[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def results(step: int) -> list[tuple[str, str, float]]:
    return [
        (IDS[q], IDS[(q + step * j) % N], round(1 / (j + step / 7), 9)) for q in range(N) for j in range(1, 9)
    ]


CONCEPTS = [(image, ";".join(sorted({CUIS[i % 8], CUIS[(i * 3) % 8]}))) for i, image in enumerate(IDS)]
ORGANS = [(image, ("chest", "head", "knee")[i % 3]) for i, image in enumerate(IDS)]
GRADES = [(q, c, int(10 * s) % 3) for q, c, s in results(5)]
TREC = "".join(f"{q} Q0 {c} {j % 8 + 1} {s!r} two\n" for j, (q, c, s) in enumerate(results(5)))
JSON = {q: {c: s for p, c, s in results(7) if p == q} for q in IDS}
WHOLE = {
    "concepts.csv": table(["ID", "CUIs"], *CONCEPTS),
    "labels.csv": table(["ID", "organ"], *ORGANS),
    "captions.csv": table(["ID", "Caption"], *((image, f"of {image}, \n in two lines") for image in IDS)),
    "names.csv": table(["cui", "name"], *((cui, f"thing {cui}") for cui in CUIS)),
    "graph/edges.csv": table(["child", "parent"], *zip(CUIS[1:], CUIS, strict=False)),
    "judgments/panel.csv": table(["query", "result", "value"], *GRADES),
    "systems/one/run.csv": table(["query", "candidate", "score"], *results(1)),
    "systems/two/run.trec": TREC.encode(),
    "systems/three/run.json": json.dumps(JSON).encode(),
    "images/notes.bin": bytes(range(256)),
    ".hidden": b"kept",
}


def scores(folder: Path) -> list[object]:
    study = open_study(folder)
    assert study.report.total("error") == 0, study.report.problems
    return [
        (part.system, str(part.metric), part.values.tobytes())
        for part in score(study, metrics=METRICS, systems=["one", "two", "three"])
    ]


def other_ids(data: bytes, change) -> bytes:
    for image in IDS:
        data = data.replace(image.encode(), change(image).encode())
    return data


def hurt(files: dict[str, bytes]) -> dict[str, bytes]:
    """Everything that can be corrected, at once."""
    entry = files["systems/one/run.csv"].split(b"\n")
    entry[0] = b"Candidates,SCORE,Querys"
    entry[1:-1] = [b",".join((c, s, q)) for q, c, s in (row.split(b",") for row in entry[1:-1])]
    worse = b",".join((*entry[3].split(b",")[:1], b"0.000001", entry[3].split(b",")[2]))
    odd = b"img_01,nan,img_00 img_01,high,img_00 too,few \xff,1,img_00".split()
    entry[4:4] = [worse, *odd, b"", entry[3]]
    trec = files["systems/two/run.trec"].decode().split("\n")
    trec[2:2] = [trec[1].replace(" two", " again"), "img_00 Q0 img_05 9 inf two", "img_00 Q0"]
    labels = files["labels.csv"].split(b"\n")
    labels[3:3] = [labels[2], b"img_03,a,b", b",chest"]
    grades = files["judgments/panel.csv"].split(b"\n")
    grades[0] = b"topics,corpus ids,values"
    grades[5:5] = [grades[1], b"img_00,img_01,much"]
    concepts = files["concepts.csv"].split(b"\n")
    concepts[4:4] = [concepts[2], concepts[3]]
    concepts[9] += b";" + concepts[9][-8:]
    return files | {
        "systems/one/run.csv": other_ids(b"\n".join(entry), lambda image: f"pictures/{image}.PNG"),
        "systems/two/run.trec": other_ids("\n".join(trec).encode(), str.upper),
        "labels.csv": other_ids(b"\n".join(labels), lambda image: f"c:\\x\\{image}"),
        "judgments/panel.csv": other_ids(b"\n".join(grades), lambda image: f"{image}.dcm"),
        "captions.csv": other_ids(files["captions.csv"], lambda image: f"{image}.tif"),
        "graph/edges.csv": files["graph/edges.csv"].replace(b"parent", b"Parents") + b"C0000003,\n",
        "concepts.csv": b"\n".join(concepts),
    }


def copy(folder: Path, target: Path) -> Corrected:
    corrected = correct(folder)
    assert corrected.files
    write_corrected(corrected, target)
    return corrected


@pytest.mark.parametrize("packed", [False, True])
def test_a_mended_study_scores_as_the_whole_one(tmp_path, packed):
    broken = hurt(WHOLE)
    if packed:
        names = ["systems/one/run.csv", "systems/two/run.trec", "labels.csv"]
        for name in names:
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
    assert scores(tmp_path / "corrected") == scores(whole)
    assert len({change.file for change in corrected.changes}) == len(corrected.files)
    assert correct(tmp_path / "corrected").files == {}


def test_every_change_is_listed_with_its_line_and_value(tmp_path):
    corrected = correct(write(tmp_path / "hurt", hurt(WHOLE)))
    part = {(c.file, c.what): (c.count, c.line, c.value) for c in corrected.changes}
    run, image = "systems/one/run.csv", "pictures/img_01.PNG"
    assert part[run, "column renamed to query"] == (1, 1, "Querys")
    assert part[run, "column renamed to candidate"] == (1, 1, "Candidates")
    assert part[run, "ids in candidate written as the concept file does"] == (100, 2, f"{image} -> img_01")
    assert part[run, "rows left out: nan-score"] == (1, 6, "nan")
    assert part[run, "rows left out: bad-score"] == (1, 7, "high")
    assert part[run, "rows left out: wrong-columns"][:2] == (1, 8)
    assert part[run, "rows left out: undecodable"][:2] == (1, 9)
    assert part[run, "rows left out: duplicate-candidate"][:2] == (2, 5)
    assert part["concepts.csv", "rows left out: duplicate-id"] == (2, 5, "img_01")
    assert part["graph/edges.csv", "rows left out: empty-cell"][0] == 1


def test_all_problems_come_in_one_round(tmp_path):
    study, report, _ = study_and_problems(write(tmp_path / "hurt", hurt(WHOLE)), "error")
    assert study is not None
    rules = {file: {rule for _, place, rule in report.counts if place == file} for file in WHOLE}
    in_tables = {"unknown-id", "wrong-columns"}
    scored = {"unknown-format", "nan-score", "bad-score", "undecodable", "duplicate-candidate"}
    assert rules["systems/one/run.csv"] >= in_tables | scored
    assert rules["labels.csv"] >= in_tables | {"duplicate-id", "missing-id"}
    remedies = {p.remedy for p in report.problems if p.file == "systems/one/run.csv"}
    assert "Rename 'Querys' to query and 'Candidates' to candidate." in remedies


def test_a_misnamed_concept_column_hides_nothing(tmp_path):
    files = hurt(WHOLE)
    files["concepts.csv"] = b"figures,note,Concept CUI\n" + b"".join(
        f"{image},,{cuis}\n".encode() for image, cuis in CONCEPTS
    )
    study = write(tmp_path / "hurt", files)
    opened, report, why = study_and_problems(study, "error")
    assert opened is None
    assert why
    assert ("error", "systems/two/run.trec", "unknown-id") in report.counts
    copy(study, tmp_path / "corrected")
    assert scores(tmp_path / "corrected") == scores(write(tmp_path / "whole", WHOLE))


def test_ids_that_could_be_of_several_images_stay(tmp_path):
    files = {
        "concepts.csv": b"ID,CUIs\na,C0000001\nbB,C0000002\nBb,C0000001\nc,C0000002\n",
        "systems/one/run.csv": table(
            ["query", "candidate", "score"],
            *(["a", other, 1] for other in ("p1/c.png", "p2/c.png", "x/BB.png", "zzz", "bB")),
        ),
    }
    study = write(tmp_path / "study", files)
    assert correct(study).files == {}
    assert command(["fix", str(study), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_the_command_lists_changes_and_what_is_still_wrong(tmp_path, capsys):
    files = hurt(WHOLE)
    files["systems/one/run.csv"] += b"pictures/nobody.PNG,0.5,pictures/img_00.PNG\n"
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
    study = write(tmp_path / "study", hurt(WHOLE))
    before = content(study)
    with pytest.raises(InputError, match="inside the study, or contains it"):
        write_corrected(correct(study), tmp_path / where)
    assert content(study) == before


def test_links_and_pipes_are_left_out(tmp_path):
    secret = write(tmp_path / "secret", {"run.trec": TREC.encode(), "x/y": b"z"})
    study = write(tmp_path / "study", hurt(WHOLE))
    (study / "systems/four").mkdir()
    (study / "systems/four/run.trec").symlink_to(secret / "run.trec")
    (study / "elsewhere").symlink_to(secret)
    (study / "loop").symlink_to(study)
    os.mkfifo(study / "pipe")
    corrected = copy(study, tmp_path / "corrected")
    left = {change.file for change in corrected.changes if change.what.startswith("not copied")}
    assert left == {"systems/four/run.trec", "elsewhere", "loop", "pipe"}
    assert not any(path.is_symlink() for path in (tmp_path / "corrected").rglob("*"))


def test_what_cannot_be_mended_is_copied_as_it_is(tmp_path):
    bomb = gzip.compress(b"0" * 20_000_000)
    files = hurt(WHOLE) | {
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
    for name in files.keys() - hurt(WHOLE).keys():
        assert (tmp_path / "corrected" / name).read_bytes() == files[name], name


@pytest.mark.parametrize("stop", [Killed, full_disk])
def test_a_full_disk_or_a_kill_leaves_nothing_or_all(tmp_path, stop):
    target, whole = tmp_path / "out", tmp_path / "whole"
    corrected = copy(write(tmp_path / "study", hurt(WHOLE)), whole)
    for ended in every_step(target.parent, stop):
        with ended:
            write_corrected(corrected, target)
        if target.exists():
            assert content(target) == content(whole)
            shutil.rmtree(target)
