"""``readers``: the same as the pages compute, as tables, JSON and CSV."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from evalcore.cli import run
from evalcore.evaluate.readers import reader_results
from evalcore.study import open_study
from evalcore.study.reader_judgments import read_reader_judgments

DATA = Path(__file__).resolve().parents[2] / "data"


def asked(capsys, *arguments: str) -> str:
    assert run(["readers", str(DATA), "--simulated", *arguments]) == 0
    return capsys.readouterr().out


def test_json_is_what_the_judgments_say(capsys):
    found = json.loads(
        asked(capsys, "--relevance", "iou", "--relevance", "nn-iou", "--furthest", "iou", "--json")
    )
    rows = read_reader_judgments(DATA, simulated=True)
    expected = reader_results(open_study(DATA), rows, measures=["iou", "nn-iou"])
    by_name = {one.measure: one for one in expected.measures}
    assert [row["measure"] for row in found["measures"]] == ["nn-iou", "iou"]
    for row in found["measures"]:
        assert row["tau"] == by_name[row["measure"]].within.mean
        assert row["votes"] == by_name[row["measure"]].votes.mean
    assert found["grades"]["alpha"] == expected.between.alpha.mean and found["grades"]["level"] == "ordinal"
    assert found["k"] == 3 and found["simulated"] == found["readers"] == [f"simulated-{i}" for i in (1, 2, 3)]
    assert {row["system"]: row["share"] for row in found["coverage"]}["hog"] == 1.0
    assert found["differ"] and set(found["differ"][0]) >= {"query", "result", "readers", "value"}


def test_judgments_that_others_collected(capsys, tmp_path):
    """Qrels without readers, and a table with grades from 0 to 3, beside a file with a mistake."""
    study = tmp_path / "study"
    shutil.copytree(DATA, study)
    (study / "judgments").mkdir()
    rows = "".join(f"SYN_031 0 SYN_0{n} {n % 4}\n" for n in range(10, 20))
    (study / "judgments/ours.qrels").write_text(rows)
    assert run(["readers", str(study), "--relevance", "iou", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["readers"], found["measures"][0]["results"], found["k"]) == (["ours"], 10, 10)
    (study / "judgments/bad.csv").write_text("query,result,system,other,value\nSYN_031,,hog,texture,2\n")
    assert run(["readers", str(study)]) == 2
    assert "judgments/bad.csv:2: The preference 2 is not a number from -1 to 1" in capsys.readouterr().err
