"""Plugins on the pages: named by the environment, offered, shown, and their faults reported."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore as cs
from evalcore.cli import dashboard, run
from evalcore.study.workspace import uploads
from evalcore.values import extras, plugins
from tests.study.made import empty_study
from tests.ui.conftest import open_app, page_text, study_folder, table_with

__all__ = ["open_app", "study_folder"]
Open = Callable[..., AppTest]


@pytest.fixture
def plugin(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(plugins.VARIABLE, str(file))
    return file


def bare(text: str) -> str:
    """What a reader sees of escaped Markdown."""
    return text.replace("\\", "").replace("\u2060", "")


def mean_of(folder: Path, metric: str) -> float:
    (scores,) = cs.score(cs.open_study(folder), [metric], systems=["alpha"])
    return cs.summarise(scores).mean


def test_pages_offer_and_show_plugins(open_app: Open, study_folder: Path, plugin: Path) -> None:
    app = open_app(study=study_folder, measure="nDCG(mine)", k="2", reading="Expert", how="open")
    offered = app.selectbox(key="measure").options
    assert "nDCG(mine)@k" in offered and "Balance(modality)@k" in offered
    assert table_with(app, "Score ↑")["Score ↑"].max() == pytest.approx(mean_of(study_folder, "nDCG(mine)@2"))
    assert "relevance mine of mine" in bare(page_text(app))
    app.selectbox(key="measure").set_value("Balance(modality)").run()
    assert not app.exception
    shown = table_with(app, "Score ↑")["Score ↑"].max()
    assert shown == pytest.approx(mean_of(study_folder, "Balance(modality)@2"))


def test_a_plugin_that_cannot_be_loaded_is_reported_once(
    open_app: Open, study_folder: Path, plugin: Path
) -> None:
    plugin.write_text("import nothing_like_that\n")
    app = open_app(study=study_folder)
    warnings = [bare(warning.value) for warning in app.warning]
    assert any("mine.py:1: The plugin cannot be loaded: ModuleNotFoundError" in text for text in warnings)
    app.run()
    assert not any("cannot be loaded" in warning.value for warning in app.warning)


def test_reports_name_the_plugins_used(study_folder, plugin, tmp_path, monkeypatch):
    monkeypatch.setattr(extras, "is_installed", lambda _: False)  # pictures take a browser
    page = tmp_path / "report.html"
    words = ["--metric", "nDCG(mine)@2", "--metric", "Balance(organ)@2", "--out", str(page)]
    assert run(["report", str(study_folder), *words]) == 0
    text = page.read_text()
    assert "relevance mine of mine.py (source " in text and "metric Balance of mine.py (source " in text
    assert " --plugin mine.py " in text


def test_an_uploaded_file_is_read_by_ones_own_reader(study_folder: Path, plugin: Path) -> None:
    target = empty_study("tiny")
    for name in ("concepts.csv", "labels.csv"):
        kind = name.removesuffix(".csv")
        assert uploads.add_part(target, kind, name, (study_folder / name).read_bytes())[1].total("error") == 0
    data = b"q1>q2:0.5,q3:0.25\n"
    assert uploads.add_part(target, "run", "gamma.knn", data)[1].total("error") == 0
    assert (target / "systems" / "gamma" / "run.knn").read_bytes() == data
    study = cs.open_study(target)
    assert [study.image_ids[c] for c in study.runs["gamma"].candidates] == ["q2", "q3"]
    _, report = uploads.add_part(target, "run", "delta.knn", b"q1>q2:x\n")
    assert "mine.py:" in " ".join(map(str, report.problems)) and not (target / "systems" / "delta").exists()


def test_open_hands_the_files_to_the_pages(study_folder, plugin, monkeypatch):
    """Where the server starts, the environment names the file of ``--plugin``."""
    monkeypatch.delenv(plugins.VARIABLE)
    monkeypatch.setattr("sys.argv", [])
    monkeypatch.setenv("CUISCOPE_STUDY", "")
    started: list[str] = []
    monkeypatch.setattr(
        dashboard.runpy, "run_module", lambda *_, **__: started.append(os.environ[plugins.VARIABLE])
    )
    assert run(["--plugin", str(plugin), "open", str(study_folder)]) == 0
    monkeypatch.delenv(plugins.VARIABLE)
    assert started == [os.path.realpath(plugin)]
