"""The challenge page: the numbers of evalcore, every problem, the repaired file, broken files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.figures.numbers import number
from tests.ui.challenge_app import GOOD, PAGE, TRUTH, given, settled
from tests.ui.conftest import said, table_with, write_study

Open = Callable[..., AppTest]


def test_empty_state_says_what_to_bring(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert not app.exception
    assert "Bring a ground truth and at least one run" in said(app)


def test_official_score_and_board(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "bad.csv": GOOD + b"\nq9,\n"})
    assert not app.exception
    assert f"**good\\.csv** scores **{number((2 / 3 + 1) / 2, digits=4)}** over 2 images" in said(app)
    assert "would refuse **bad\\.csv**" in said(app)
    board = table_with(app, "Ignored")
    assert board["Official script"].tolist()[:2] == ["accepts", "refuses"]


def test_problems_and_repair(open_app: Open, study_folder: Path) -> None:
    app = given(
        open_app(PAGE, study=study_folder), TRUTH, {"bad.csv": b"ID,CUIs\nq1.jpg,C0000001\n\nq2,C0000001\n"}
    )
    (table,) = [t.value for t in app.dataframe if "Rule" in t.value.columns]
    assert list(zip(table["Rule"], table["Line"], table["Official script"], strict=True)) == [
        ("unknown-id", 2, "stops"),
        ("blank-line", 3, "stops"),
    ]
    assert any(b.proto.label == "Repaired file" for b in app.get("download_button"))


@pytest.mark.parametrize("edition", ["2017", "2018", "2022", "2023", "2025", "2026"])
@pytest.mark.parametrize("task", ["concepts", "captions"])
def test_example_of_every_edition(open_app: Open, study_folder: Path, edition: str, task: str) -> None:
    app = open_app(PAGE, study=study_folder, task=task, edition=edition)
    settled(app.segmented_control(key="source").set_value("An example from the open study").run())
    assert not app.exception
    board = table_with(app, "Ignored")
    # The script of 2023 fails where truth and run both have no caption, as the second run has one.
    second = "refuses" if (task, edition) == ("captions", "2023") else "accepts"
    assert board["Official script"].tolist() == ["accepts", second, "refuses"]


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"PK\x03\x04", b'"', b"\x00\x01", b"q1;C0000001", b"\n\n\n"]
)
def test_broken_runs_never_break_the_page(open_app: Open, study_folder: Path, data: bytes) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"run.csv": data})
    assert not app.exception
    assert "would refuse **run\\.csv**" in said(app)


@pytest.mark.parametrize("data", [b"", b"ID,CUIs\n", b"q1\n", b"\xff\xfe\x00"])
def test_a_broken_truth_is_told(open_app: Open, study_folder: Path, data: bytes) -> None:
    app = given(open_app(PAGE, study=study_folder), data, {"run.csv": GOOD})
    assert not app.exception
    assert "cannot be used" in said(app)


def test_zip(open_app: Open, study_folder: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("submission.csv", GOOD)
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"run.zip": buffer.getvalue()})
    assert "**run\\.zip** scores" in said(app)


def test_missing_models_are_named(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, task="captions")
    app = given(app, b"ID,Caption\nq1,Nodule\n", {"run.csv": b"ID,Caption\nq1,Nodule\n"})
    assert table_with(app, "What to do")["What to do"].str.contains("deberta").any()
    assert "The official score needs values that are not here" in said(app)


def test_hostile_names_are_shown_as_text(open_app: Open, study_folder: Path) -> None:
    name = "![x](http://evil.example)<script>.csv"
    app = given(open_app(PAGE, study=study_folder), TRUTH, {name: GOOD})
    assert not app.exception
    assert "![x](http" not in said(app)


def test_study_without_runs_or_graph(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", systems=False, graph=False, pictures=False))
    app.segmented_control(key="source").set_value("An example from the open study").run()
    assert "no system with a run file" in said(app)
    app.segmented_control(key="source").set_value("My files").run()
    assert not given(app, TRUTH, {"run.csv": GOOD}).exception
