"""The compare page: the estimate, the figures that open queries, the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import evaluate
from evalcore.study import open_study
from evalcore.values.writing import number, span
from tests.ui.conftest import said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "app.py"
PAIR = {"a": "alpha", "b": "beta"}


def test_estimate_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    alpha, beta = evaluate.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    found = evaluate.compare(alpha, beta)
    assert not app.exception
    assert f"**alpha** scores **{number(found.difference)}** higher than **beta**" in said(app)
    assert span(found.low, found.high, joint="and") in said(app)
    assert "Left unanswered and counted as 0: **beta** (1 query)" in said(app)


def test_marks_carry_query_ids(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, every_query="open", **PAIR)
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(figures) == 3, "the board, difference by query, both scores"
    carried = [
        str(point[0] if isinstance(point, list) else point)
        for figure in figures
        for trace in figure["data"]
        for point in trace.get("customdata") or ()
        if point not in ("alpha", "beta")
    ]
    assert set(carried) <= set(open_study(study_folder).image_ids) and "q1" in carried


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


def test_best_two_are_chosen_at_first(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("alpha", "beta")


def test_study_without_systems(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", systems=False))
    assert not app.exception
    assert {app.selectbox(key="a").value, app.selectbox(key="b").value} == {"@iou", "@nn-iou"}


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


@pytest.mark.parametrize(("reading", "told"), [("Simple", False), ("Expert", True)])
def test_experts_read_how_p_was_corrected_over_groups(
    open_app: Open, study_folder: Path, reading: str, told: bool
) -> None:
    app = open_app(PAGE, study=study_folder, reading=reading, part="groups", groups_table="open", **PAIR)
    corrected = "p corrected by Holm over all 2 differences in slices; "
    assert not app.exception and (corrected in said(app).replace("\\", "")) == told
