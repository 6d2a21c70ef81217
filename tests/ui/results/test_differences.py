"""The compare page: the estimate, the figures that open queries, the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import evaluate
from evalcore.evaluate.per_query import limits
from evalcore.report import verdicts
from evalcore.study import open_study
from evalcore.ui.components.pair import Pair, kept_listing, limits_in_words
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


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ({}, "**alpha** scores"),
        ({"show": "A wins"}, "Select a row to open it"),
        ({"good": "middle", "show": "Both good"}, "at least the median of these two systems"),
        ({"by": "difficulty"}, "By difficulty, "),
        ({"every_query": "open"}, "For each query, the score of beta is subtracted"),
    ],
)
def test_a_link_opens_the_part_that_shows_what_it_asks_for(
    open_app: Open, study_folder: Path, link: dict[str, str], says: str
) -> None:
    app = open_app(PAGE, study=study_folder, link={**PAIR, **link})
    assert not app.exception and says in said(app).replace("\\", "")
    assert {key: app.query_params[key] for key in link} == link
    others = {"**alpha** scores", "Select a row to open it", "By difficulty, "} - {says}
    assert not any(other in said(app) for other in others if "by" in link or "concepts" in other)


def test_the_address_says_nothing_of_what_is_closed(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, link={"by": "difficulty", **PAIR})
    app.query_params["part"] = "two"
    app.run()
    assert "by" not in app.query_params and "**alpha** scores" in said(app)
    app.query_params["part"] = "groups"
    app.run()
    assert "By difficulty, " in said(app) and app.query_params["by"] in ("difficulty", ["difficulty"])


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
    (said,) = [one.value for one in app.caption]
    assert "20,000 of 20,001" in said and "contains all" in said


@pytest.mark.parametrize(
    ("by", "good_at", "good", "poor"),
    [
        ("middle", 0.35, [3, 4, 5], [0, 1, 2]),
        ("quarters", 0.475, [4, 5], [0, 1]),
        ("fixed", 0.25, [2, 3, 4, 5], [0, 1]),
    ],
)
def test_good_and_poor_are_by_the_middle_by_quarters_or_by_a_value(by, good_at, good, poor) -> None:
    values = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert limits(values, by=by, fixed=0.25)[0] == pytest.approx(good_at)
    pair = Pair("a", "b", np.arange(6, dtype=np.int32), values, values, *limits(values, by=by, fixed=0.25))
    sizes = np.ones(6, np.int64)
    assert np.flatnonzero(kept_listing(pair, "Both good", differ=None, sizes=sizes)).tolist() == good
    assert np.flatnonzero(kept_listing(pair, "Both poor", differ=None, sizes=sizes)).tolist() == poor


def test_quarters_of_equal_values_are_good_and_none_is_poor() -> None:
    values = np.full(5, 0.5)
    pair = Pair(
        "a", "b", np.arange(5, dtype=np.int32), values, values, *limits(values, by="quarters", fixed=0)
    )
    assert not kept_listing(pair, "Both poor", differ=None, sizes=np.ones(5, np.int64)).any()
    assert "poor” means less, because" in limits_in_words(pair, by="quarters")
    assert limits(np.empty(0), by="quarters", fixed=0) == (0, 0)


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


def test_judgements_in_words() -> None:
    def of(low: float, high: float) -> str:
        gap = SimpleNamespace(low=low, high=high, level=0.95, spread=float("nan"), n_pairs=9)
        return verdicts.matters(gap, SimpleNamespace(smallest_difference=0.02, plain=True))

    assert of(0.03, 0.05) == "That is larger than **0.02**, the smallest difference that matters to you."
    assert of(-0.01, 0.01).startswith("That is too small to matter")
    assert of(0.01, 0.05).startswith("It may or may not be larger")
    assert of(float("nan"), float("nan")) == ""


@pytest.mark.parametrize(("reading", "told"), [("Simple", False), ("Expert", True)])
def test_experts_read_how_p_was_corrected_over_groups(
    open_app: Open, study_folder: Path, reading: str, told: bool
) -> None:
    app = open_app(PAGE, study=study_folder, reading=reading, part="groups", groups_table="open", **PAIR)
    corrected = "p corrected by Holm over all 2 differences in slices; "
    assert not app.exception and (corrected in said(app).replace("\\", "")) == told
