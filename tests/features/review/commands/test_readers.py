"""``readers``: the same as the pages compute, as tables, JSON and CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import reader_results
from evalcore.study import open_study

DATA = Path(__file__).resolve().parents[4] / "data"


def asked(capsys, *arguments: str) -> str:
    assert run(["review", "readers", str(DATA), *arguments]) == 0
    return capsys.readouterr().out


def test_json_is_what_the_judgments_say(capsys):
    found = json.loads(
        asked(capsys, "--relevance", "iou", "--relevance", "nn-iou", "--furthest", "iou", "--json")
    )
    said = judgments_of(DATA)
    expected = reader_results(open_study(DATA), said, measures=["iou", "nn-iou"], k=3)
    by_name = {one.measure: one for one in expected.measures}
    assert [row["measure"] for row in found["measures"]] == ["nn-iou", "iou"]
    for row in found["measures"]:
        assert row["tau"] == by_name[row["measure"]].within.mean
        assert row["votes"] == by_name[row["measure"]].votes.mean
    assert found["grades"]["alpha"] == expected.between.alpha.mean and found["grades"]["level"] == "ordinal"
    assert found["k"] == 3 and found["simulated"] == found["readers"] == [f"simulated-{i}" for i in (1, 2, 3)]
    assert {row["system"]: row["share"] for row in found["coverage"]}["hog"] == 1.0
    assert found["differ"] and set(found["differ"][0]) >= {"query", "result", "readers", "value"}


def test_tables_and_csv(capsys, tmp_path):
    file = tmp_path / "measures.csv"
    out = asked(
        capsys, "--relevance", "iou", "--relevance", "nn-iou", "--task", "simulated", "--csv", str(file)
    )
    assert "All simulated." in out and "Krippendorff's alpha (ordinal)" in out
    assert "Less than 90% judged: intensity-histogram, texture." in out
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["measure"] for row in rows] == ["nn-iou", "iou"] and rows[1]["reference"] == "nn-iou"
    assert rows[0]["votes"] == ""


def test_against_another_measure(capsys):
    out = json.loads(
        asked(capsys, "--relevance", "iou", "--relevance", "nn-iou", "--against", "iou", "--json")
    )
    assert {row["measure"]: row["reference"] for row in out["measures"]} == {"nn-iou": "iou", "iou": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "smulated"], "No task called 'smulated'. Did you mean: simulated"),
        (["--relevance", "iou", "--against", "dice"], "must be one of iou; --relevance takes others"),
        (["--relevance", "nn_iou"], "No relevance called 'nn_iou'"),
    ],
)
def test_what_cannot_be_asked(capsys, arguments, message):
    assert run(["review", "readers", str(DATA), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_study_that_nobody_judged(capsys, tmp_path):
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001\nb,C0000001\n")
    assert run(["review", "readers", str(tmp_path)]) == 0
    assert "Nothing has been judged yet." in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["score", str(DATA), "--metric", "nDCG(judged,only=judged)@3"],
        ["compare", str(DATA), "hog", "texture", "--metric", "bpref(judged)"],
        ["queries", str(DATA), "--metric", "mean(judged)@3"],
        ["score", str(DATA), "--system", "@judged", "--metric", "nDCG(iou)@3"],
    ],
    ids=lambda command: " ".join(command[2:]),
)
def test_judgments_as_relevance_of_other_commands(capsys, command):
    assert run([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert "Judgments of 3 readers, 3 simulated." in err
    assert found["digest"].startswith(open_study(DATA).digest)
