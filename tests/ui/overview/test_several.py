"""The overview over several studies: the numbers of `board`, who is missing, and what cannot be added."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.cli import run
from evalcore.study.workspace import workspace
from evalcore.ui.frame import studies
from tests.ui.conftest import said, table_with, write_study

LOOK = {"look": "Several studies", "measure": "P(organ)", "k": "2"}


@pytest.fixture
def another(tmp_path: Path) -> Path:
    """A second study: without beta, and alpha finds less for q1."""
    folder = write_study(tmp_path / "second")
    shutil.rmtree(folder / "systems" / "beta")
    lines = (
        (folder / "systems" / "alpha" / "run.trec").read_text().replace("q1 Q0 q2 1 1.0", "q1 Q0 q2 9 0.0")
    )
    (folder / "systems" / "alpha" / "run.trec").write_text(lines)
    assert workspace.remember(folder)
    return folder


def test_it_shows_the_numbers_of_the_command_and_names_who_is_missing(
    open_app: Callable[..., AppTest], study_folder: Path, another: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = open_app(study=study_folder, **LOOK, studies="second", baseline="beta")
    assert not app.exception
    shown = table_with(app, "Over studies ↑")
    assert run(["board", str(study_folder), str(another), "--metric", "P(organ)@2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["system"] for row in rows] == shown["System"].tolist() == ["alpha", "beta"]
    alpha, beta = rows
    assert shown["tiny"].tolist() == [alpha["mean:tiny"], beta["mean:tiny"]]
    assert shown["second"][0] == alpha["mean:second"] < alpha["mean:tiny"]
    assert shown["Over studies ↑"][0] == alpha["mean"]
    text = said(app).replace("\\", "")
    assert "Missing in second, so without a mean over studies: beta." in text
    assert "The baseline beta is not in every study." in text
    assert "drawn from 2 studies only" in text and "No other system is in every study" in text


def test_a_study_that_cannot_be_added_is_named(
    open_app: Callable[..., AppTest], study_folder: Path, another: Path
) -> None:
    app = open_app(study=study_folder, **LOOK, studies="sample")  # none of its systems is called alpha
    assert not app.exception
    text = said(app).replace("\\", "")
    assert "sample is left out. It has none of the selected systems; it has caption-tfidf, hog" in text
    assert "Add a study to compare" in text
    (another / "labels.csv").unlink()
    app = open_app(study=study_folder, **LOOK, studies="second")
    text = said(app).replace("\\", "")
    assert not app.exception and "second is left out. No label column called 'organ'" in text


def test_without_another_study_nothing_is_offered(open_app: Callable[..., AppTest]) -> None:
    studies._not_written_down.clear()  # what tests of a workspace that cannot be written to opened
    app = open_app(closer="open")
    assert not app.exception
    looks = next(one for one in app.button_group if one.key == "look")
    assert "Several studies" not in looks.options
