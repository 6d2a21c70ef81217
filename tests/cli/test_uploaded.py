"""``studies``: uploaded studies are listed, removed and brought back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.study.workspace import workspace
from evalcore.study.workspace.removed import size_of

WORDS = ["studies"]


@pytest.fixture
def study() -> Path:
    folder, _ = workspace.add_first_part("Chest CT", "concepts", "concepts.csv", b"ID,CUIs\na,C0040405\n")
    assert folder is not None
    return folder


def listed(capsys: pytest.CaptureFixture[str], *more: str) -> list[dict]:
    assert run([*WORDS, *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["studies"]


def test_nothing_was_uploaded(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(WORDS) == 0
    assert capsys.readouterr().out == "No study was uploaded.\n"


def test_a_study_is_deleted_and_brought_back(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"study": "Chest_CT", "bytes": size_of(study), "days_left": None}
    assert listed(capsys) == [row]
    (one,) = listed(capsys, "--remove", "Chest_CT")
    assert (one["study"], one["days_left"]) == ("Chest_CT", 30) and one["bytes"] > row["bytes"]
    assert listed(capsys, "--bring-back", "Chest_CT") == [row] and study.is_dir()
    workspace.discard(workspace.delete_study(study))
    assert run([*WORDS, "--bring-back", "Chest_CT"]) == 2
    assert "No deleted study called 'Chest_CT'" in capsys.readouterr().err


def test_what_is_not_there_is_named_and_nothing_goes(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--remove", "Chest_CX"], ["--remove", str(study)], ["--remove", ".."]):
        assert run([*WORDS, *wrong]) == 2
        assert "Error: No " in capsys.readouterr().err
    assert study.is_dir() and workspace.deleted_studies() == []
