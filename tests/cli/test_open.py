"""``open`` hands the study and the words of Streamlit on; what is served is tested in tests/browser."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

from evalcore.cli import run

APP = str(Path(__file__).resolve().parents[2] / "app.py")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words that Streamlit is started with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["cuiscope"])
    monkeypatch.setattr(runpy, "run_module", lambda name, run_name: calls.append([name, *sys.argv[1:]]))
    monkeypatch.setenv("CUISCOPE_STUDY", "before")
    return calls


def test_a_study_a_port_and_options_of_streamlit(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(["open", "mine", "--port", "8600", "--server.maxUploadSize", "5"]) == 0
    assert os.environ["CUISCOPE_STUDY"] == str((tmp_path / "mine").resolve())
    assert started == [["streamlit", "run", APP, "--server.port", "8600", "--server.maxUploadSize", "5"]]
    assert run(["open", "--server.address", "::1"]) == 0
    assert started[1] == ["streamlit", "run", APP, "--server.address", "::1"]


SIGN_IN = "a proxy that signs them in: cuiscope serve."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone"], "does not exist"),
        (["gone", "--port", "8600"], "does not exist"),
        (["--port", "0"], "--port"),
        (["--port", "x"], "--port"),
        (["--server.address", "0.0.0.0"], SIGN_IN),
        (["--port", "8600", "--server.address=192.168.1.20"], SIGN_IN),
        (["--server.address", "127.0.0.1", "--server.address", "::"], SIGN_IN),
        (["--server.address", ""], SIGN_IN),
    ],
)
def test_what_cannot_be_opened_is_refused_before_anything_starts(
    words: list[str], message: str, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["open", *words]) == 2
    assert message in capsys.readouterr().err
    assert started == []
