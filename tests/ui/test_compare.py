"""The compare page: the estimate, the figures that open queries, the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import evaluate
from evalcore.figures.numbers import number, span
from evalcore.study import open_study
from tests.ui.conftest import said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/2_Compare.py"
PAIR = {"a": "alpha", "b": "beta"}


def test_estimate_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    alpha, beta = evaluate.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    found = evaluate.compare(beta, alpha)
    assert not app.exception
    assert f"**alpha** scores **{number(found.difference)}** higher than **beta**" in said(app)
    assert span(found.low, found.high, joint="and") in said(app)
    assert "Left unanswered and counted as 0: **beta** (1 query)" in said(app)


def test_marks_carry_query_ids(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(figures) == 5
    # How often each wins, difference by query, both scores; then the slices, whose marks carry conditions.
    carried = [
        str(point[0] if isinstance(point, list) else point)
        for figure in figures[:3]
        for trace in figure["data"]
        for point in trace.get("customdata") or ()
    ]
    assert set(carried) <= set(open_study(study_folder).image_ids) and "q1" in carried


def test_table_has_one_row_per_query_largest_difference_first(open_app: Open, study_folder: Path) -> None:
    table = table_with(open_app(PAGE, study=study_folder, **PAIR), "A − B")
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
    assert "A and B are the same system" in said(app) and not app.get("plotly_chart")


def test_best_two_are_chosen_at_first(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder)
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("alpha", "beta")


@pytest.mark.parametrize("show", ["Both good", "Both poor", "Measures differ", "No findings"])
def test_filters_never_break(open_app: Open, study_folder: Path, show: str) -> None:
    app = open_app(PAGE, study=study_folder, show=show, **PAIR)
    assert not app.exception


def test_study_without_systems(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, study=write_study(tmp_path / "bare", systems=False))
    assert not app.exception
    assert {app.selectbox(key="a").value, app.selectbox(key="b").value} == {"@iou", "@nn-iou"}


def test_a_table_holds_every_row_it_is_sorted_by() -> None:
    def page() -> None:
        import pandas as pd

        from evalcore.ui.components import table

        table.show(pd.DataFrame({"score": range(1_500)}), key="all", alt="all", file="all")
        table.show(
            pd.DataFrame({"score": range(table.ROWS_SHOWN + 1)}),
            key="cut",
            alt="cut",
            file="cut",
            choose=True,
        )

    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.exception
    assert [len(one.value) for one in app.dataframe] == [1_500, 20_000]
    assert [one.value for one in app.caption] == [
        "", "The first 20,000 of 20,001 are shown and sorted; the file holds all."
    ]  # fmt: skip
