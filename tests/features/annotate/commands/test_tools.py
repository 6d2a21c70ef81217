"""``tools``: what is there of MedCAT and QuickUMLS."""

from __future__ import annotations

import json

from evalcore.cli import run
from tests.features.annotate.tools_read.stand_in import write_environment, write_pack


def test_tools_say_what_is_there_and_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path))
    write_environment(tmp_path / "environments" / "medcat")
    pack = write_pack(tmp_path / "models" / "medcat")
    assert run(["tools", "--json"]) == 0
    medcat, quickumls = json.loads(capsys.readouterr().out)["tools"]
    assert (medcat["version"], medcat["concepts"], medcat["steps"]) == ("2.9.0", pack, [])
    assert (quickumls["python"], quickumls["version"], quickumls["concepts"]) == (None, None, None)
    assert "tools --make quickumls" in quickumls["steps"][0]
    assert "python -m quickumls.install" in quickumls["steps"][1]
    assert run(["tools"]) == 0
    out = capsys.readouterr().out
    assert "2.9.0" in out and "quickumls: Put quickumls into" in out


def test_a_full_folder_is_not_made_an_environment(tmp_path, capsys):
    (tmp_path / "mine").touch()
    assert run(["tools", "--make", "medcat", "--environment", str(tmp_path)]) == 2
    assert "is no Python environment, and not empty" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
