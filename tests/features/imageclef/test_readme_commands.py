"""The commands of the README's section on ImageCLEF run as they stand, on small files of those names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.features.imageclef.test_models import FAKES, packages  # noqa: F401
from tests.features.imageclef.tiny_models import write_models

README = (Path(__file__).resolve().parents[3] / "README.md").read_text()
SECTION = README.split("## ImageCLEF caption")[1].split("\n## ")[0].replace("\\\n", " ")
COMMANDS = re.findall(r"^python -m evalcore (imageclef [^#\n]+)", SECTION, flags=re.M)
FILES = {
    "truth.csv": "ID,CUIs\na,C0040405;C0817096\nb,C0041618\n",
    "manual.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "run_a.csv": "ID,CUIs\na,C0040405\nb,C0041618\n",
    "run_b.csv": "ID,CUIs\na,C0817096\nb,C0041618\n",
    "edges.csv": "child,parent\nC0040405,C0041618\n",
    "truth.txt": "a\tC0040405,C0817096\nb\tC0041618\n",
    "DET_run.txt": "a\tC0040405\nb\tC0041618\n",
    "captions.csv": "ID,Caption\na,Chest nodule\nb,CT of the liver\n",
    "captions_a.csv": "ID,Caption\na,Chest\nb,CT of the liver\n",
    "medcat_a.json": '{"a": {"entities": {"0": {"cui": "C0817096", "start": 0, "end": 5}}}}',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "images").mkdir()
    (tmp_path / "repaired").mkdir()
    for image in "ab":
        (tmp_path / "images" / f"{image}.jpg").write_bytes(b"not a picture")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 5


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, folder: Path, packages: None, monkeypatch, capsys) -> None:  # noqa: F811
    monkeypatch.setenv("CUISCOPE_HOME", str(folder / "home"))
    if "--metric-model" in command:
        write_models(folder / "home" / "models")
    assert run(shlex.split(command)) == 0
    out = capsys.readouterr().out
    assert out.strip() or (folder / "concepts_a.csv").read_text().startswith("ID,CUIs")
