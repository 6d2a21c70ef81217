"""What is wrong with one run on the challenge page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.features.imageclef.page.app import GOOD, PAGE, TRUTH, given, opened, text
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def test_every_problem_with_its_line(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    app = opened(given(app, TRUTH, {"bad.csv": b"ID,CUIs\nq1.jpg,C0000001\n\nq2,C0000001\n"}))
    table = table_with(app, "Rule")
    assert list(zip(table["Rule"], table["Line"], table["Official script"], strict=True)) == [
        ("unknown\\-id", "2", "stops"),
        ("blank\\-line", "3", "stops"),
    ]
    assert "2 problems" in said(app)


def test_what_stops_the_script_comes_first(open_app: Open, study_folder: Path) -> None:
    run = b"ID,CUIs\nq1,C0000001;\nq9,C0000001\nq2,C0000001\n"
    app = opened(given(open_app(PAGE, study=study_folder), TRUTH, {"bad.csv": run}))
    table = table_with(app, "Rule")
    assert table["Official script"].tolist() == sorted(table["Official script"], reverse=True)
    assert set(table["Official script"]) == {"stops", "goes on"}


def test_a_file_without_problems(open_app: Open, study_folder: Path) -> None:
    app = opened(given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD}))
    assert "No problems found" in app.success[0].value and not app.table


def test_of_many_problems_the_first_are_shown_and_the_file_holds_more(
    open_app: Open, study_folder: Path
) -> None:
    run = "ID,CUIs\n" + "".join(f"x{i},C0000001\n" for i in range(300)) + "q1,C0000001\nq2,C0000001\n"
    app = opened(given(open_app(PAGE, study=study_folder), TRUTH, {"bad.csv": run.encode()}))
    assert len(table_with(app, "Rule")) == 5
    words = text(said(app))
    assert "300 problems" in words and "Up to 5 of a kind are shown; the file contains all" in words
    assert "Most frequent: unknown-id 300" in words
