"""``score STUDY`` alone: the measures that the page Overview has in its table at first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.results.board import FIRST, default_metrics
from evalcore.study import open_study
from evalcore.ui.frame import measures
from evalcore.ui.frame.choices import DEFAULT_K

DATA = Path(__file__).resolve().parents[3] / "data"
WITHOUT = {"all": [], "graph": ["graph"], "systems": ["systems"], "graph and labels": ["graph", "labels.csv"]}
FIRST_OF = {
    "all": "nnCUI@10",
    "graph": "CUI@10",
    "systems": "P(modality&organ)@10",
    "graph and labels": "CUI@10",
}


@pytest.fixture(params=WITHOUT)
def study(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    for part in WITHOUT[request.param]:
        path = folder / part
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "study.toml").unlink()  # it names the parts
    return request.param, folder


def test_page_and_command_have_the_same_measures(study: tuple[str, Path]) -> None:
    what, folder = study
    opened = open_study(folder)
    offered = [one.label(DEFAULT_K) for one in measures.choices(opened)]
    assert default_metrics(opened) == tuple(offered[:FIRST]) and offered[0] == FIRST_OF[what]


def test_they_are_those_of_score_without_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "data", "--system", "hog", "--json"]) == 0
    usual = json.loads(capsys.readouterr().out)
    named = [word for metric in default_metrics(open_study(DATA)) for word in ("--metric", metric)]
    assert run(["score", "data", "--system", "hog", "--json", *named]) == 0
    assert json.loads(capsys.readouterr().out) == usual
    assert [row["metric"] for row in usual["scores"]] == ["nnCUI@10", "CUI@10", "mean(nn-iou)@10"]
