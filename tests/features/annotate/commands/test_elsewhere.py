"""``annotate`` with a tool in a Python environment of its own."""

from __future__ import annotations

import json

from evalcore.cli import run
from tests.features.annotate.tools_read.stand_in import write_environment, write_pack


def test_a_tool_elsewhere_finds_the_terms(tmp_path, capsys):
    study = tmp_path / "study"
    study.mkdir()
    (study / "captions.csv").write_text("ID,Caption\na,Chest with no effusion\nb,Effusion\nc,Knee\n")
    place, pack = write_environment(tmp_path / "own"), write_pack(tmp_path / "pack")
    words = ["annotate", str(study), "--tool", "medcat", "--weights", pack, "--environment", str(place)]
    assert run([*words, "--out", str(tmp_path / "concepts.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tool"], found["left_out"], found["counts"]["matches"]) == ("medcat", {"negated": 1}, 3)
    assert (tmp_path / "concepts.csv").read_text() == "ID,CUIs\na,C0817096\nb,C0032227\nc\n"


def test_what_the_dictionary_has_no_use_for_is_refused(capsys):
    assert run(["annotate", "data", "--weights", "x", "--timeout", "5"]) == 2
    said = capsys.readouterr().err
    assert "--weights and --timeout: --tool dictionary runs here and needs none. Leave it out." in said


def test_a_tool_that_is_not_there_says_how_to_get_it(capsys):
    assert run(["annotate", "data", "--tool", "quickumls"]) == 2
    assert "tools --make quickumls" in capsys.readouterr().err
