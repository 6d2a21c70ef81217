"""``views --tour``: views worth showing, and commands that give the numbers of each."""

from __future__ import annotations

import json
import shlex

from evalcore.cli import run
from tests.ui.conftest import write_study

NAMES = [
    "1. A good case",
    "2. A questionable link",
    "3. A disagreement",
    "4. Another credit for related concepts",
    "5. The verdict",
]


def test_a_tour_is_listed_with_addresses_and_saves_nothing(tmp_path, capsys):
    folder = write_study(tmp_path / "tiny")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run(["study", "views", str(folder), "--tour", "nnCUI@3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["views"]
    assert [view["name"] for view in found] == NAMES
    assert found[1]["address"]["metric"] == ["nnCUI@3"] and found[1]["address"]["why"]
    assert all(view["note"] for view in found)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert run(["study", "views", str(folder), "--tour", "nonsense@3"]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_commands_of_a_tour_give_the_numbers_of_its_view(tmp_path, capsys):
    folder = write_study(tmp_path / "tiny")
    assert run(["study", "views", str(folder), "--tour", "nnCUI@3", "--json"]) == 0
    *cases, alpha, verdict = json.loads(capsys.readouterr().out)["views"]
    assert {view["command"] for view in cases} == {None}
    for view in (alpha, verdict):
        assert run([*shlex.split(view["command"])[1:], "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {row["metric"] for row in found["scores"]} == {"nnCUI@3"}
        assert found["settings"]["alpha"] == float(view["address"].get("alpha", [0.5])[0])
    assert run(["study", "views", str(folder), "--tour", "nnCUI@3"]) == 0
    assert "# 5. The verdict\ncuiscope score" in capsys.readouterr().out


def test_the_measure_is_asked_for(capsys):
    assert run(["study", "views", "data"]) == 2
    assert "--tour" in capsys.readouterr().err
