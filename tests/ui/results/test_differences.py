"""The compare page: the estimate, the figures that open queries, the table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import evaluate
from evalcore.study import open_study
from evalcore.values.writing import number
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]
PAGE = "app.py"
PAIR = {"a": "alpha", "b": "beta"}


def test_table_has_one_row_per_query_largest_difference_first(open_app: Open, study_folder: Path) -> None:
    table = table_with(open_app(PAGE, study=study_folder, every_query="open", **PAIR), "A − B")
    gaps = np.abs(table["A − B"].to_numpy(float))
    defined = gaps[np.isfinite(gaps)]
    assert len(table) == 6 and (np.diff(defined) <= 0).all()
    assert table["Query"].iloc[-1] == "q6" and np.isnan(gaps[-1])


def test_swap_exchanges_the_systems(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    app.button(key="swap").click().run()
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("beta", "alpha")
    assert "**alpha** scores" in said(app)


def test_same_system_twice_is_a_hint(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, a="alpha", b="alpha")
    assert "A and B are the same system" in said(app) and len(app.get("plotly_chart")) == 1


def test_the_verdict_names_the_difference_that_matters(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, reading="Expert", smallest_difference="0.9", **PAIR)
    alpha, beta = evaluate.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    found = evaluate.compare(alpha, beta)
    assert found.high < 0.9
    assert "too small to matter: within **0.9** in either direction" in said(app)
    reach = (1.959963984540054 + 0.8416212335729143) * found.spread / np.sqrt(found.n_pairs)
    assert f"queries can detect a difference of {number(reach)} with 80% power; 0.9 needs" in said(app)
    plain = open_app(PAGE, study=study_folder, **PAIR)
    assert "power" not in said(plain) and "matters" not in said(plain)


@pytest.mark.parametrize(("reading", "shown"), [("Simple", False), ("Expert", True)])
def test_experts_read_how_p_was_corrected_over_groups(open_app: Open, reading: str, shown: bool) -> None:
    link = {"a": "hog", "b": "texture", "part": "groups", "by": "modality", "groups_table": "open"}
    app = open_app(PAGE, reading=reading, link=link)
    corrected = re.search(r"p corrected by Holm over all \d+ differences in slices; ", said(app))
    assert not app.exception and bool(corrected) == shown
