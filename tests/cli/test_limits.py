"""--max-bytes and CUISCOPE_MAX_BYTES: how much of one file a command reads; pictures that were cut off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalcore.cli import run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "concepts.csv").write_text("ID,CUIs\na,C0000001\nb,C0000001\n")
    (tmp_path / "captions.csv").write_text("ID,Caption\n" + "a," + "x" * 4_000 + "\nb,y\n")
    return tmp_path


def checked(study: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, list[str]]:
    code = run(["check", str(study), "--json", *options])
    return code, [problem["rule"] for problem in json.loads(capsys.readouterr().out)["problems"]]


def test_the_option_and_the_variable_change_the_cap(
    study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked(study, capsys) == (0, [])
    assert checked(study, capsys, "--max-bytes", "2kB") == (2, ["too-large"])
    assert checked(study, capsys, "--max-bytes", "4100") == (0, [])
    monkeypatch.setenv("CUISCOPE_MAX_BYTES", "2kB")
    assert checked(study, capsys) == (2, ["too-large"])
    assert checked(study, capsys, "--max-bytes", "1GB") == (0, [])
    monkeypatch.delenv("CUISCOPE_MAX_BYTES")
    assert checked(study, capsys) == (0, []), "the option applies to its command only"


@pytest.mark.parametrize("size", ["", "lots", "1_000", "-5", "0", "1e9"])
def test_what_is_no_size_is_refused(study: Path, size: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(study), "--max-bytes", size]) == 2
    assert f"{size!r} is not a size such as 500MB, 4GB or 2000000000." in capsys.readouterr().err
