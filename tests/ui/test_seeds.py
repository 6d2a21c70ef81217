"""Systems of several seeds on the pages: one row, the spread, whose list is looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.seeded import expected, write_seeded
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def words(app: AppTest) -> str:
    return said(app).replace("\\", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_seeded(tmp_path / "study", pictures=True)


def test_the_leaderboard_has_one_row_with_its_seeds_and_their_spread(open_app: Open, folder: Path) -> None:
    app = open_app("app.py", study=folder, metric="nDCG(organ)@2", how="open")
    assert not app.exception
    table = table_with(app, "Score ↑")
    row = table[table["System"].str.startswith("cnn")]
    assert len(row) == 1
    assert row["Score ↑"].item() == pytest.approx(expected().mean())
    assert row["Seeds"].item() == 3
    assert row["SD of seeds"].item() == pytest.approx(np.std(expected().mean(axis=1), ddof=1))
    assert "Means over seeds, query by query: cnn 3." in words(app)


def test_a_query_shows_the_first_seed_and_says_so(open_app: Open, folder: Path) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=folder, a="cnn", b="alpha")
    assert not app.exception
    assert "cnn.1 for cnn" in words(app)
    app = open_app("pages/1_Queries.py?q=q1", study=folder, a="cnn.2", b="alpha", also="@none")
    assert not app.exception
    assert app.selectbox(key="a").value == "cnn.2"
    assert " for cnn" not in words(app)


def test_compare_takes_the_system_as_one(open_app: Open, folder: Path) -> None:
    app = open_app("app.py", study=folder, a="cnn", b="alpha")
    assert not app.exception
    assert app.selectbox(key="a").value == "cnn"


def test_a_combination_is_called_by_the_seed_that_takes_part(open_app: Open, folder: Path) -> None:
    app = open_app("app.py", study=folder, systems="rrf:cnn+alpha")
    assert not app.exception
    assert app.query_params["fused"] in ("rrf:alpha+cnn.1", ["rrf:alpha+cnn.1"])
