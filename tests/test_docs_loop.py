"""What the page on the development loop says beside what `test_docs` runs."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run

ROOT = Path(__file__).resolve().parent.parent
HOW_TO = ROOT / "docs" / "how-to"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder: a study of their own, and the same in a repository."""
    for name in ("my_study", "study"):
        shutil.copytree(ROOT / "data", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("reader")
def test_the_loop(capsys: pytest.CaptureFixture[str]) -> None:
    """What the page says ends with exit code 3 does, what goes on goes on, and the workflow does both."""
    text = (HOW_TO / "continuous-integration.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M)
    commands = [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]
    assert [run(words) for words in commands] == [0] * len(commands)
    worse = [*commands[-1][:2], "step_100.trec", "step_200.trec", *commands[-1][4:]]
    assert run(worse) == 3
    assert "Declined: step_100 under nnCUI@10" in capsys.readouterr().err
    (step,) = re.findall(r"^ +cuiscope (compare .*) > comment.md", text, flags=re.M)
    shutil.copy("step_200.trec", "main.trec")
    for name, code in (("step_200", 0), ("step_100", 3)):
        shutil.copy(f"{name}.trec", "run.trec")
        assert run(shlex.split(step.replace("main.trec.gz", "main.trec"))) == code
    assert capsys.readouterr().out.count("| System | Minus | Metric |") == 2
