"""The command of the guide that needs models runs on tiny ones; tests/test_docs.py runs the others."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.features.imageclef.test_models import FAKES, packages  # noqa: F401
from tests.features.imageclef.tiny_models import write_models
from tests.test_docs import DOCS, blocks_of

BLOCKS = blocks_of(DOCS / "how-to" / "check-an-imageclef-run.md")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for block in BLOCKS:
        if block.file:
            (tmp_path / block.file).parent.mkdir(exist_ok=True)
            (tmp_path / block.file).write_text(block.text)
    (tmp_path / "images").mkdir()
    for image in "ab":
        (tmp_path / "images" / f"{image}.jpg").write_bytes(b"not a picture")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_caption_metrics_of_models(folder: Path, packages: None, monkeypatch, capsys) -> None:  # noqa: F811
    monkeypatch.setenv("CUISCOPE_HOME", str(folder / "home"))
    write_models(folder / "home" / "models")
    (command,) = (b.text for b in BLOCKS if b.why)
    assert run(shlex.split(command.replace("\\\n", " "))[1:]) == 0
    assert capsys.readouterr().out.strip()
