"""The page Queries: what was found, the map, the table, one system against the rest; and what they open."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import RUNS, Open, board, page_text, table_with


@pytest.fixture
def open_eight(open_tiny: Open, study_folder: Path) -> Open:
    """A query under eight systems: alpha under six other names."""
    for i in range(6):
        folder = study_folder / "systems" / f"copy{i}"
        folder.mkdir()
        (folder / "run.trec").write_bytes((study_folder / "systems/alpha/run.trec").read_bytes())
    return partial(open_tiny, "pages/1_Queries.py?q=q1")


def test_the_filter_and_the_systems_of_the_sidebar_count(open_app: Open) -> None:
    link = {"measure": "P(organ)", "k": "5", "listed": "open", "systems": ["hog", "texture"]}
    app = open_app("pages/1_Queries.py", where="organ=brain", link=link)
    table = table_with(app, "Mean ↑")
    assert len(table) == 42
    assert [c for c in table.columns if c.endswith("↑")] == ["Mean ↑", "hog ↑", "texture ↑"]
    assert "2 of 5 systems shown" in page_text(app)


def sides(app: AppTest) -> str:
    """The letters of the systems side by side."""
    return "".join(side["title"][0] for side in board(app)["lists"])


def test_two_systems_side_by_side_at_first_and_six_at_most(open_eight: Open) -> None:
    app = open_eight()
    assert sides(app) == "AB" and len(board(app)["lists"][0]["items"]) == 4
    assert "2 of 8 systems shown; up to 6 shown side by side" in page_text(app)
    app.multiselect(key="also_some").set_value([f"copy{i}" for i in range(1, 5)]).run()
    assert sides(app) == "ABCDEF" and "6 of 8 systems shown" in page_text(app)


def test_the_address_says_which_stand_side_by_side(open_eight: Open) -> None:
    app = open_eight(a="alpha", b="beta", also=["copy1", "copy3"])
    assert app.query_params["also"] == ["copy1", "copy3"]
    assert "4 of 8 systems shown" in page_text(app)
    lists = board(app)["lists"]
    of_alpha, of_beta = RUNS["alpha"]["q1"], RUNS["beta"]["q1"]
    shown = [[item["id"] for item in side["items"]] for side in lists]
    assert shown == [of_alpha, of_beta, of_alpha, of_alpha]
    assert lists[1]["items"][0]["moved"] == "▲3", "held against A, where q4 has rank 4"
    assert lists[0]["items"][0]["moved"] == "", "A is held against none"
