"""``serve`` refuses what would let anybody in, and starts Streamlit with what a server needs."""

from __future__ import annotations

import os
import runpy
import sys

import pytest

from evalcore.cli import run
from evalcore.features.server import gate
from evalcore.features.server.read import VARIABLE
from evalcore.study.workspace.home import only_server
from evalcore.values.account import is_served
from evalcore.values.errors import InputError


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The words that Streamlit is started with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["cuiscope"])
    monkeypatch.setattr(runpy, "run_module", lambda name, run_name: calls.append([name, *sys.argv[1:]]))
    for name in (VARIABLE, "FORWARDED_ALLOW_IPS"):
        monkeypatch.setenv(name, "before")
    monkeypatch.chdir(tmp_path)
    return calls


def test_a_server_behind_a_proxy(started, tmp_path):
    (tmp_path / "server.toml").write_text('[limits]\nfile_bytes = "10 MB"\n')
    words = ["--config", "server.toml", "--host", "lab.example.org", "--base", "/cuiscope/", "--port", "8600"]
    assert run(["serve", *words, "--address", "10.0.0.5"]) == 0
    (command,) = started
    options = dict(zip(command[3::2], command[4::2], strict=True))
    assert options["--server.address"] == "10.0.0.5" and options["--server.port"] == "8600"
    assert options["--server.baseUrlPath"] == "cuiscope"
    assert options["--server.maxUploadSize"] == "10", "MiB, rounded up"
    assert options["--server.enableXsrfProtection"] == "true"
    assert "lab.example.org" in command
    assert os.environ[VARIABLE] == str(tmp_path / "server.toml")
    assert os.environ["FORWARDED_ALLOW_IPS"] == "", "uvicorn must not believe what a header says of addresses"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--config", "gone.toml"], "gone.toml cannot be read"),
        (["--config", "wrong.toml"], "has 1 problem"),
        (["--config", "no.toml"], "has 1 problem"),
        (["--host", "https://lab.example.org"], "without http:// or port"),
        (["--base", "../x"], "--base"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_starts(words, why, started, tmp_path, capsys):
    (tmp_path / "wrong.toml").write_text("[limits]\nsessions = 0\n")
    (tmp_path / "no.toml").write_text("[limits")
    assert run(["serve", *words]) == 2
    assert why in capsys.readouterr().err
    assert started == [] and os.environ[VARIABLE] == "before"


def test_a_second_server_on_the_same_home_is_refused(started, tmp_path, monkeypatch, capsys):
    """Commands and dashboards of one person may use that home; a home of its own is another server's."""
    with only_server():
        assert run(["serve"]) == 2 and started == []
        assert "Another server is running with the workspaces in" in capsys.readouterr().err
        assert run(["open"]) == 0
        monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "other"))
        assert run(["serve"]) == 0 and len(started) == 2
    assert run(["serve"]) == 0, "the first has ended"


def test_a_process_that_is_no_server_has_no_gate(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert gate.middleware() == [] and not is_served()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.toml"))
    with pytest.raises(InputError, match="cannot be read"):
        gate.middleware()
    assert not is_served()
