"""The page Queries: what was found, the map, the table, one system against the rest; and what they open."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import RUNS, Open, board, page_text, table_with, write_study

PAGE = "pages/1_Queries.py"
METRIC = {"measure": "P(organ)", "k": "5"}
LISTED = {"listed": "open"}


@pytest.fixture
def eight(tmp_path: Path) -> Path:
    """The tiny study with eight systems: alpha under seven other names."""
    return more_systems(write_study(tmp_path / "eight"), 6)


def more_systems(folder: Path, n: int) -> Path:
    text = (folder / "systems" / "alpha" / "run.trec").read_text()
    for i in range(n):
        (folder / "systems" / f"copy{i}").mkdir()
        (folder / "systems" / f"copy{i}" / "run.trec").write_text(text)
    return folder


def test_the_filter_and_the_systems_of_the_sidebar_count(open_app: Open) -> None:
    app = open_app(PAGE, where="organ=brain", link={"systems": ["hog", "texture"]}, **METRIC, **LISTED)
    table = table_with(app, "Mean ↑")
    assert len(table) == 42 and [c for c in table.columns if c.endswith("↑")] == [
        "Mean ↑",
        "hog ↑",
        "texture ↑",
    ]
    assert "2 of 5 systems shown" in page_text(app)


def sides(app: AppTest) -> str:
    """The letters of the systems side by side."""
    return "".join(side["title"][0] for side in board(app)["lists"])


def test_two_systems_side_by_side_at_first_and_six_at_most(open_app: Open, eight: Path) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=eight, q="q1")
    assert sides(app) == "AB" and len(board(app)["lists"][0]["items"]) == 4
    assert "2 of 8 systems shown; up to 6 shown side by side" in page_text(app)
    app.multiselect(key="also_some").set_value([f"copy{i}" for i in range(1, 5)]).run()
    assert sides(app) == "ABCDEF" and "6 of 8 systems shown" in page_text(app)


def test_the_address_says_which_stand_side_by_side(open_app: Open, eight: Path) -> None:
    link = {"a": "alpha", "b": "beta", "also": ["copy1", "copy3"]}
    app = open_app("pages/1_Queries.py?q=q1", study=eight, q="q1", link=link)
    assert app.query_params["also"] == ["copy1", "copy3"]
    assert "4 of 8 systems shown" in page_text(app)
    lists = board(app)["lists"]
    assert [[item["id"] for item in side["items"]] for side in lists] == [
        RUNS["alpha"]["q1"],
        RUNS["beta"]["q1"],
        RUNS["alpha"]["q1"],
        RUNS["alpha"]["q1"],
    ]
    assert lists[1]["items"][0]["moved"] == "▲3", "held against A, where q4 has rank 4"
    assert lists[0]["items"][0]["moved"] == "", "A is held against none"
