"""The page Queries: what was found, the map, the table, one system against the rest; and what they open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import evaluate
from evalcore.figures import queries
from evalcore.study import open_study
from evalcore.ui import queries as sections
from evalcore.ui.components import places
from tests.ui.conftest import HOSTILE, RUNS, board, said, table_with, write_study

Open = Callable[..., AppTest]
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


def expected(metric: str = "P(organ)@5") -> pd.DataFrame:
    """The sample's values, queries x systems, by `score`."""
    study = open_study("data")
    scores = evaluate.score(study, metrics=[metric])
    ids = [study.image_ids[q] for q in scores[0].queries]
    return pd.DataFrame({one.system: one.values for one in scores}, index=ids)


def figure(app: AppTest, title: str) -> dict[str, Any]:
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    (found,) = [spec for spec in specs if title in spec["layout"]["title"]["text"]]
    return found


def carried_by(app: AppTest) -> list[list[str]]:
    """What the marks of the map carry."""
    traces = figure(app, "Every query under every system")["data"]
    (carried,) = [trace["customdata"] for trace in traces if "customdata" in trace]
    return carried


def test_the_table_is_sorted_by_difficulty_and_holds_every_value(open_app: Open) -> None:
    app = open_app(PAGE, **METRIC, **LISTED)
    assert not app.exception
    table, values = table_with(app, "Mean ↑"), expected()
    order = values.mean(axis=1).round(9).sort_values(kind="stable").index
    assert table["Query"].tolist() == list(order)
    for name in values.columns:
        assert table[f"{name} ↑"].tolist() == values.loc[order, name].tolist()
    assert table["Mean ↑"].to_numpy() == pytest.approx(values.loc[order].mean(axis=1).to_numpy())


def test_the_sentence_counts_what_pandas_counts(open_app: Open) -> None:
    app, values = open_app(PAGE, good="fixed", good_at="0.5", how="open", **METRIC), expected()
    hard, good = (values < 0.5).all(axis=1).sum(), (values >= 0.5).all(axis=1).sum()
    assert f"**{hard}** are poor for all 5 systems and **{good}** good for all" in said(app)
    assert "Good” means at least 50% of the best possible score" in said(app).replace("\\", "")
    shared = values.eq(values.max(axis=1), axis=0).sum(axis=1)
    assert f"{(shared > 1).sum()} queries have ties for first place" in said(app)
    only = open_app(PAGE, good="fixed", good_at="0.5", kind="hard", **METRIC, **LISTED)
    assert sorted(table_with(only, "Mean ↑")["Query"]) == sorted(values.index[(values < 0.5).all(axis=1)])


def test_the_map_holds_the_values_of_the_table(open_app: Open) -> None:
    app, values = open_app(PAGE, sort="id", **METRIC), expected()
    carried = carried_by(app)
    assert {query for query, _ in carried} == set(values.index)
    assert {system for _, system in carried} == {"", *values.columns}
    assert "each column is one query" in str(figure(app, "Every query")["layout"]["title"]).replace(
        "<br>", " "
    )


def test_undefined_queries_are_said_and_have_no_value(open_app: Open) -> None:
    app = open_app(PAGE, how="open", **LISTED)
    values = expected("nnCUI@10")
    empty = int(values.isna().all(axis=1).sum())
    assert empty > 0 and f"{empty} queries have no value, which is not 0" in said(app)
    table = table_with(app, "Mean ↑")
    assert table["Mean ↑"].tail(empty).isna().all() and table["Mean ↑"].notna().sum() == len(values) - empty
    zero = open_app(PAGE, undefined="zero", how="open")
    assert "Queries without a value count as 0, as chosen on the left" in said(zero)


@pytest.mark.parametrize("reading", ["Simple", "Expert"])
def test_outliers_are_as_far_away_as_matters(open_app: Open, reading: str) -> None:
    usual, far = (
        open_app(PAGE, reading=reading, how="open", link=link, **METRIC)
        for link in ({}, {"smallest_difference": "0.25"})
    )
    assert "away" not in said(usual) and ", and at least 0.25 away" in said(far).replace("\\", "")


@pytest.mark.parametrize("rest", ["mean", "best"])
def test_one_system_against_the_rest(open_app: Open, rest: str) -> None:
    app, values = open_app(PAGE, one="hog", rest=rest, **METRIC), expected()
    others = values.drop(columns="hog")
    apart = (values["hog"] - (others.max(axis=1) if rest == "best" else others.mean(axis=1))).round(9)
    text = said(app)
    tied = f", tied on {(apart == 0).sum()}" if (apart == 0).any() else ""
    counts = (
        f"on **{(apart > 0).sum()}** of 160 queries and trails on **{(apart < 0).sum()}**{tied}; the average"
    )
    assert counts in text
    ends = [t.value for t in app.dataframe if "Difference" in t.value.columns]
    leads = apart.sort_values(ascending=False, kind="stable")
    assert ends[0]["Query"].tolist() == leads[leads > 0].index[:10].tolist()
    assert ends[1]["Difference"].round(9).tolist() == leads[::-1][:10].tolist()


def test_the_filter_and_the_systems_of_the_sidebar_count(open_app: Open) -> None:
    app = open_app(PAGE, where="organ=brain", link={"systems": ["hog", "texture"]}, **METRIC, **LISTED)
    assert not app.exception
    table = table_with(app, "Mean ↑")
    assert len(table) == 42 and [c for c in table.columns if c.endswith("↑")] == [
        "Mean ↑",
        "hog ↑",
        "texture ↑",
    ]
    assert "2 of 5 systems shown" in said(app) and "With 4 systems or more" in said(app)
    assert "Outlier system" not in table.columns


def test_one_system_alone_and_a_study_without_any(open_app: Open, tmp_path: Path) -> None:
    app = open_app(PAGE, link={"systems": ["hog"], "one_system": "open"}, **METRIC)
    assert not app.exception and "Select at least two systems" in said(app)
    assert not open_app(PAGE, study=write_study(tmp_path / "none", systems=False)).exception


def test_a_click_opens_the_query_with_the_systems_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    went: dict[str, Any] = {}
    monkeypatch.setattr(sections, "go", lambda page, values: went.update({"page": page, **values}))
    names = tuple(f"s{i}" for i in range(10))
    context: Any = SimpleNamespace(choice=SimpleNamespace(systems=names))
    sections.open_cell(context, ["q7", "s3"])
    assert went == {"page": "queries", "q": "q7", "a": "s3", "b": "s0"}
    sections.open_cell(context, "q8")
    assert (went["q"], went["a"], went["b"]) == ("q8", "s0", "s1")
    assert places.link(["x", "y"]) == {"a": "x", "b": "y"}


def test_many_queries_are_drawn_together_until_a_column_is_chosen(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MOST", 40)
    monkeypatch.setattr(queries, "COLUMNS", 20)
    monkeypatch.setattr(sections, "COLUMNS", 20)
    app = open_app(PAGE, **METRIC)
    drawn = figure(app, "Every query under every system")
    assert "each column is the mean of neighbouring queries" in drawn["layout"]["title"]["text"].replace(
        "<br>", " "
    )
    starts = {int(place) for (place,) in carried_by(app)}
    assert starts == set(range(0, 160, 8))
    near = open_app(PAGE, from_query="25", **METRIC)
    carried = carried_by(near)
    order = expected().mean(axis=1).round(9).sort_values(kind="stable").index
    assert list(dict.fromkeys(query for query, _ in carried)) == list(order[24:44])
    near.button(key="queries-on").click().run()
    carried = carried_by(near)
    assert carried[0][0] == order[44]
    near.button(key="queries-back").click().run()
    carried = carried_by(near)
    assert list(dict.fromkeys(query for query, _ in carried)) == list(order[24:44])
    near.button(key="queries-all").click().run()
    assert len(carried_by(near)[0]) == 1


@pytest.mark.parametrize(
    ("first", "back", "on", "before"),
    [("1", False, True, 1), ("2", True, True, 1), ("140", True, True, 120), ("141", True, False, 121)],
)
def test_the_map_is_walked_from_end_to_end(
    open_app: Open, monkeypatch: pytest.MonkeyPatch, first: str, back: bool, on: bool, before: int
) -> None:
    """160 queries, 20 at a time: from the 141st on none are left."""
    monkeypatch.setattr(queries, "MOST", 40)
    monkeypatch.setattr(sections, "COLUMNS", 20)
    app = open_app(PAGE, from_query=first, **METRIC)
    ways = {name: app.button(key=f"queries-{name}") for name in ("all", "back", "on")}
    assert [one.label for one in ways.values()] == ["All 160 queries", "Previous 20", "Next 20"]
    assert (ways["back"].disabled, ways["on"].disabled) == (not back, not on)
    if back:
        ways["back"].click().run()
        assert app.query_params["from_query"] in (str(before), [str(before)])


@pytest.mark.parametrize(("most", "cut"), [(159, True), (160, False)])
def test_a_table_that_is_cut_says_so(
    open_app: Open, monkeypatch: pytest.MonkeyPatch, most: int, cut: bool
) -> None:
    monkeypatch.setattr(sections, "ROWS", most)
    app = open_app(PAGE, **METRIC, **LISTED)
    note = f"160 queries, hardest first; the first {most} are in the table, the file contains all. Select"
    assert (note in said(app)) == cut and ("160 queries, hardest first. Select" in said(app)) != cut
    order = expected().mean(axis=1).round(9).sort_values(kind="stable").index
    assert table_with(app, "Mean ↑")["Query"].tolist() == list(order[:most])


def test_hostile_names_stay_text(open_app: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "hostile")
    (folder / "study.toml").write_text(f"[systems.alpha]\ntitle = {json.dumps(HOSTILE)}\n")
    app = open_app(PAGE, study=folder)
    assert not app.exception
    assert "![x](http" not in said(app) and "<script" not in said(app).replace("\\<script", "")


def test_all_systems_are_chosen_at_first(open_app: Open, eight: Path) -> None:
    folder = more_systems_named(eight)
    for page in ("app.py", PAGE, "app.py"):
        app = open_app(page, study=folder)
        assert not app.exception
        assert len(app.multiselect(key="systems").value) == 12
        assert "systems shown" not in said(app) and "12 systems · " in said(app)
    fewer = open_app(study=folder, link={"systems": ["alpha", "beta", "@iou"]})
    assert "2 of 12 systems shown" in said(fewer)


def more_systems_named(folder: Path) -> Path:
    text = (folder / "systems" / "beta" / "run.trec").read_text()
    for i in range(4):
        (folder / "systems" / f"weak{i}").mkdir()
        (folder / "systems" / f"weak{i}" / "run.trec").write_text(text)
    return folder


def sides(app: AppTest) -> str:
    """The letters of the systems side by side."""
    return "".join(one["title"][0] for one in board(app)["lists"])


def test_two_systems_side_by_side_at_first_and_six_at_most(open_app: Open, eight: Path) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=eight, q="q1")
    assert not app.exception and sides(app) == "AB" and len(board(app)["lists"][0]["items"]) == 4
    assert "2 of 8 systems shown; up to 6 shown side by side" in said(app)
    app.multiselect(key="also_some").set_value([f"copy{i}" for i in range(1, 5)]).run()
    assert sides(app) == "ABCDEF" and "6 of 8 systems shown" in said(app)


@pytest.mark.parametrize("layout", ["Cards", "Dense", "Table"])
def test_the_address_says_which_stand_side_by_side(open_app: Open, eight: Path, layout: str) -> None:
    link = {"a": "alpha", "b": "beta", "also": ["copy1", "copy3"], "as": layout, "n": "20"}
    app = open_app("pages/1_Queries.py?q=q1", study=eight, q="q1", link=link)
    assert not app.exception
    assert app.query_params["also"] == ["copy1", "copy3"]
    assert "4 of 8 systems shown" in said(app)
    if layout == "Dense":
        lists = board(app)["lists"]
        assert [[item["id"] for item in one["items"]] for one in lists] == [
            RUNS["alpha"]["q1"],
            RUNS["beta"]["q1"],
            RUNS["alpha"]["q1"],
            RUNS["alpha"]["q1"],
        ]
        assert lists[1]["items"][0]["moved"] == "▲3", "held against A, where q4 has rank 4"
        assert lists[0]["items"][0]["moved"] == "", "A is held against none"
    if layout == "Table":
        tables = [t.value for t in app.table]
        assert [t["Image"].tolist() for t in tables] == [
            RUNS[name]["q1"] for name in ("alpha", "beta", "alpha", "alpha")
        ]
        assert set(tables[0]["Also in"]) == {"3 other lists"} and "Rank in A · alpha" not in tables[0]
        assert tables[1]["Rank in A · alpha"].tolist() == ["4", "3", "2", "1"]


def test_what_is_beside_a_and_b_is_kept(open_app: Open, eight: Path) -> None:
    app = open_app("pages/1_Queries.py?q=q1", study=eight, q="q1", link={"also": "@none"})
    assert sides(app) == "AB"
    app.multiselect(key="also_some").set_value(["copy1"]).run()
    app.button(key="go-right").click().run()
    assert sides(app) == "ABC" and app.query_params["also"] in ("copy1", ["copy1"])
    app.multiselect(key="also_some").set_value([]).run()
    assert sides(app) == "AB" and "also" not in app.query_params


def test_scores_beside_a_and_b_are_those_of_the_measure(open_app: Open, eight: Path) -> None:
    scores = evaluate.score(open_study(eight), metrics=["nnCUI@10"], systems=["copy1"])
    value = float(scores[0].values[0])
    app = open_app(
        "pages/1_Queries.py?q=q1", study=eight, q="q1", link={"a": "beta", "b": "alpha", "also": ["copy1"]}
    )
    third = board(app)["lists"][2]
    assert 0.995 < value < 1 and third["title"] == "C · copy1"
    assert third["score"].replace(" %", "%").startswith(">99% of the best achievable score")
