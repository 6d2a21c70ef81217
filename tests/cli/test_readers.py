"""``readers``: the same as the pages compute, as tables, JSON and CSV."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from evalcore.cli import run

DATA = Path(__file__).resolve().parents[2] / "data"


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
