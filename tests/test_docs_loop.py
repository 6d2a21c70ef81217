"""The pages on the development loop and on several studies say what is true: their commands run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.evaluate.across_studies import FEW_STUDIES, too_few_studies

ROOT = Path(__file__).resolve().parent.parent
HOW_TO = ROOT / "docs" / "how-to"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder: a study of their own, one in a repository, and the sample."""
    for name in ("my_study", "study", "sample"):
        shutil.copytree(ROOT / "data", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(text: str) -> list[list[str]]:
    """The commands of each shell block, in the order of the page."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.mark.usefixtures("reader")
def test_the_loop(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command, then the step of the workflow: hog is saved, texture is worse."""
    text = (HOW_TO / "continuous-integration.md").read_text("utf-8")
    codes = {}
    for program, *words in commands(text):
        assert program == "cuiscope"
        if words[0] == "watch":
            Path("ckpts").mkdir()
            shutil.copy("step_100.trec", "ckpts")
            words.append("--once")
        codes[" ".join(words)] = run(words)
    assert [code for words, code in codes.items() if "mine=step_200.trec" in words] == [3]
    assert {code for words, code in codes.items() if "mine=step_200.trec" not in words} == {0}
    out, err = capsys.readouterr()
    assert "step_100  nnCUI@10 0.6400" in out and "Declined: mine under nnCUI@10" in err
    (step,) = re.findall(r"^ +cuiscope (score .*) > comment.md", text, flags=re.M)
    words = shlex.split(step)
    Path("scores").mkdir()
    shutil.copy("main.json", "scores")
    for name, code in (("step_100", 0), ("step_200", 3)):
        shutil.copy(f"{name}.trec", "run.trec")
        assert run(words) == code
    assert capsys.readouterr().out.count("| System | Metric | Then | Now |") == 2


@pytest.mark.usefixtures("reader")
def test_several_studies(capsys: pytest.CaptureFixture[str]) -> None:
    text = (HOW_TO / "several-studies.md").read_text("utf-8")
    for program, *words in commands(text):
        assert program == "cuiscope" and run(words) == 0
    assert "hog has the highest mean over 2 studies" in capsys.readouterr().out
    studies, wider = re.findall(r"^\| (?:studies|times as wide) \| (.+) \|$", text, flags=re.M)
    for n, times in zip(studies.split(" | "), wider.split(" | "), strict=True):
        said = too_few_studies(int(n))
        assert f"about {times} times as wide" in said or (int(n) >= FEW_STUDIES and said == "")
