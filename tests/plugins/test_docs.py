"""The page on plugins says what is true: its blocks run in order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from evalcore.cli import run
from tests.plugins.conftest import DATA

PAGE = DATA.parent / "docs" / "plugins.md"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.S | re.M)


def test_its_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample").symlink_to(DATA)
    names: dict[str, object] = {}
    printed: list[str] = []
    for language, file, text in BLOCK.findall(PAGE.read_text("utf-8")):
        if file:
            Path(file).write_text(text, "utf-8")
        elif language == "python":
            exec(compile(text, "plugins.md", "exec"), names)
            printed.append(capsys.readouterr().out)
        for line in text.splitlines() if language == "sh" else ():
            assert run(shlex.split(line)[1:]) == 0
            printed.append(capsys.readouterr().out)
    assert "mean(covered)@5" in printed[0] and printed[1] == "True\n"
    assert "shared of my_measures.py" in printed[-2] and "Any concept in common" in printed[-1]
