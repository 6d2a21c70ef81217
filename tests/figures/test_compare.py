"""Bars, scatter and wins: values, ids that a click carries, how many marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.figures.clouds import CELLS, MAX_MARKS, score_scatter
from evalcore.figures.deltas import BINS, MAX_BARS, delta_bars
from evalcore.figures.maps import MapRow, slice_map
from evalcore.figures.systems import GroupRow, slice_forest
from evalcore.figures.theme import DARK, LIGHT

PAIR = {"a": "cnn", "b": "hog", "metric": "CUI@10"}


def test_bars_are_sorted_and_carry_their_query() -> None:
    ids, deltas = ["q3", "q1", "q4", "q2", "q5"], np.array([0.1, -0.3, 0.1, 0.0, np.nan])
    (bars,) = delta_bars(ids, deltas, theme=LIGHT, **PAIR).figure.data
    # Equal differences stand in the order of the ids; the undefined query is left out.
    assert list(bars.customdata) == ["q3", "q4", "q2", "q1"]
    assert list(bars.y) == [0.1, 0.1, 0.0, -0.3] and list(bars.x) == [1, 2, 3, 4]
    assert list(bars.marker.color) == [LIGHT.up, LIGHT.up, LIGHT.neutral, LIGHT.down]


def test_the_order_of_the_input_changes_nothing() -> None:
    ids, deltas = np.array(["q3", "q1", "q4", "q2"]), np.array([0.1, -0.3, 0.1, 0.0])
    turned = delta_bars(list(ids[::-1]), deltas[::-1], theme=LIGHT, **PAIR).figure
    assert turned.to_json() == delta_bars(list(ids), deltas, theme=LIGHT, **PAIR).figure.to_json()


def test_bars_say_what_they_show() -> None:
    fig = delta_bars(["a", "b", "c"], np.array([0.5, 0.0, np.nan]), theme=DARK, **PAIR).figure
    assert "<b>cnn − hog</b>" in fig.layout.title.text
    assert "CUI@10 · 2 queries · 1 tied · 1 without a value" in fig.layout.title.text
    assert fig.layout.annotations[0].text == "▲ <b>cnn better</b><br>1 · 50%"
    assert fig.layout.yaxis.title.text == "difference · ↑ better for cnn"
    assert fig.layout.yaxis.range[0] == -fig.layout.yaxis.range[1]


@pytest.mark.parametrize("n", [MAX_BARS, MAX_BARS + 1, 9_927])
def test_many_queries_become_bins(n: int) -> None:
    rng = np.random.default_rng(0)
    ids, deltas = [f"q{i:05d}" for i in range(n)], rng.normal(size=n)
    (bars,) = delta_bars(ids, deltas, theme=LIGHT, **PAIR).figure.data
    assert len(bars.x) == (n if n <= MAX_BARS else BINS)
    assert np.sum(bars.width) == pytest.approx(n)
    # Every id that a click can open lies in its bin: its own difference is near the bar's.
    place = {name: i for i, name in enumerate(ids)}
    own = np.array([deltas[place[name]] for name in bars.customdata])
    assert np.all(np.diff(own) <= 0) and np.all(np.diff(bars.y) <= 0)
    if n > MAX_BARS:
        assert np.dot(bars.y, bars.width) / n == pytest.approx(deltas.mean())
        assert "select to open" in bars.hovertext[0]


def test_delta_alt() -> None:
    alt = delta_bars(["a", "b", "c", "d"], np.array([0.1, -0.3, 0.0, np.nan]), theme=LIGHT, **PAIR).alt
    assert alt == (
        "CUI@10 over 3 queries: cnn is better on 1, hog on 1, tied on 1; the differences run from −0.300 "
        "to +0.100."
    )


def test_scatter_shows_the_values_and_carries_the_ids() -> None:
    ids, x, y = ["q2", "q1", "q3"], np.array([0.9, 0.2, np.nan]), np.array([0.1, 0.6, 0.3])
    fig = score_scatter(ids, x, y, good_at=0.5, theme=LIGHT, **PAIR).figure
    points = {
        name: (px, py)
        for name, px, py in zip(*[fig.data[0][k] for k in ("customdata", "x", "y")], strict=True)
    }
    assert points == {"q2": (0.9, 0.1), "q1": (0.2, 0.6)}
    colours = dict(zip(fig.data[0].customdata, fig.data[0].marker.color, strict=True))
    assert colours == {"q2": LIGHT.up, "q1": LIGHT.down}
    assert {note.text for note in fig.layout.annotations} == {
        "both good",
        "both poor",
        "only cnn good",
        "only hog good",
    }
    corner = {(note.x, note.y): note.text for note in fig.layout.annotations}
    assert corner[(1.0, 0.0)] == "only cnn good" and corner[(0.0, 1.0)] == "only hog good"
    assert fig.layout.xaxis.title.text == "cnn · ↑ better" and fig.layout.yaxis.scaleanchor == "x"


def test_queries_at_one_place_share_a_dot() -> None:
    ids, x = ["q3", "q1", "q2"], np.array([0.5, 0.5, 0.1])
    (dots,) = score_scatter(ids, x, x, good_at=0.5, theme=LIGHT, **PAIR).figure.data
    assert sorted(dots.customdata) == ["q1", "q2"]
    shared = list(dots.customdata).index("q1")
    assert dots.hovertext[shared] == "2 queries here; select to open q1"
    assert dots.marker.size[shared] > dots.marker.size[1 - shared]


def test_scatter_of_many_queries_stays_light() -> None:
    rng = np.random.default_rng(1)
    n = 9_927
    x, y = rng.random(n), rng.random(n)
    fig = score_scatter([f"q{i}" for i in range(n)], x, y, good_at=0.5, theme=LIGHT, **PAIR).figure
    (dots,) = fig.data
    assert len(dots.x) <= CELLS**2 <= MAX_MARKS
    # The query that a dot opens lies in the dot's cell.
    first = np.array([int(name[1:]) for name in dots.customdata])
    assert np.all(np.abs(x[first] - dots.x) <= 0.51 / CELLS) and np.all(
        np.abs(y[first] - dots.y) <= 0.51 / CELLS
    )
    assert len(fig.to_json()) < 300_000


def test_scatter_alt() -> None:
    x, y = np.array([0.9, 0.2, 0.7]), np.array([0.1, 0.6, 0.8])
    assert score_scatter(["a", "b", "c"], x, y, good_at=0.5, theme=DARK, **PAIR).alt == (
        "CUI@10 over 3 queries; good means at least 0.500: both good on 1, only cnn on 1, only hog on 1, "
        "both poor on 0."
    )


def test_what_a_mark_stands_for_is_said_as_it_is() -> None:
    ids = [f"q{i:05d}" for i in range(MAX_BARS + 1)]
    deltas = np.random.default_rng(0).normal(size=len(ids))
    few, many = (delta_bars(ids[:n], deltas[:n], theme=LIGHT, **PAIR).how_to_read for n in (3, len(ids)))
    assert few.plain.startswith("Each bar is one query.") and "one query" not in many.plain
    assert "average of several queries" in many.plain and "mean of neighbours" in many.technical
    apart = score_scatter(
        ["a", "b"], np.array([0.1, 0.2]), np.array([0.1, 0.9]), good_at=0.5, theme=LIGHT, **PAIR
    )
    merged = score_scatter(
        ["a", "b"], np.array([0.1, 0.1]), np.array([0.9, 0.9]), good_at=0.5, theme=LIGHT, **PAIR
    )
    assert "several" not in apart.how_to_read.plain and "a larger one several" in merged.how_to_read.plain


def test_forest_marks_what_chance_may_explain_and_what_is_small(make_comparison) -> None:
    clear = make_comparison("cnn", "hog", 0.3)
    worse = replace(clear, difference=-0.3, low=-0.4, high=-0.2)
    chance = replace(clear, p=0.03, p_corrected=0.3)
    small = replace(chance, n_pairs=4)
    empty = replace(chance, difference=np.nan, low=np.nan, high=np.nan, p_corrected=np.nan, n_pairs=0)
    rows = [
        GroupRow("CT", clear, "modality=CT"),
        GroupRow("MRI", worse, "modality=MRI"),
        GroupRow("PET", chance),
        GroupRow("US", small),
        GroupRow("none", empty, "modality="),
    ]
    fig = slice_forest(clear, rows, by="modality", theme=LIGHT).figure
    fills = [mark.marker.color for mark in fig.data]
    assert fills == [LIGHT.up, LIGHT.up, LIGHT.down, LIGHT.neutral, LIGHT.surface]
    assert [mark.y[0] for mark in fig.data] == [0, 1, 2, 3, 4]
    assert [mark.customdata[0] for mark in fig.data] == ["", "modality=CT", "modality=MRI", "", ""]
    assert "n = 4 · few" in fig.layout.yaxis.ticktext[4] and "n = 0 · few" in fig.layout.yaxis.ticktext[5]
    beside = [note.text for note in fig.layout.annotations]
    # All queries are one test, the slices are several: their p is corrected.
    assert "p = 0.010" in beside[0] and "p = 0.020" in beside[1]
    assert "+0.300" in beside[0] and "p = 0.300" in beside[3] and "no value" in beside[5]
    assert fig.layout.xaxis.range[0] == -fig.layout.xaxis.range[1]


def test_forest_alt_names_the_highest_and_the_lowest_slice(make_comparison) -> None:
    three = [
        GroupRow(name, make_comparison("cnn", "hog", of))
        for name, of in (("CT", 0.1), ("PET", -0.2), ("US", 0.3))
    ]
    alt = slice_forest(make_comparison("cnn", "hog", 0.05), three, by="modality", theme=LIGHT).alt
    assert alt == (
        "cnn minus hog under CUI@10: +0.0500 over all queries; by modality from the highest to the lowest: "
        "US +0.300 (40 queries, p = 0.020) and PET −0.200 (40 queries, p = 0.020)."
    )


def test_forest_at_the_limits_of_few_and_of_clear(make_comparison) -> None:
    """Five queries are not few; a p of .05 is not clear."""
    five = replace(make_comparison("cnn", "hog", 0.3), n_pairs=5)
    chance = replace(five, p_corrected=0.05)
    fig = slice_forest(
        five, [GroupRow("CT", five), GroupRow("PET", chance)], by="modality", theme=LIGHT
    ).figure
    assert [mark.marker.color for mark in fig.data] == [LIGHT.up, LIGHT.up, LIGHT.neutral]
    assert not any("few" in tick for tick in fig.layout.yaxis.ticktext)


def test_forest_shows_a_rounded_away_difference_as_none(make_comparison) -> None:
    level = make_comparison("cnn", "hog", 1e-17)
    drawn = slice_forest(level, [GroupRow("CT", level)], by="modality", theme=LIGHT)
    assert "<b>0</b>" in drawn.figure.layout.annotations[1].text and "0.000000" not in drawn.alt


def test_map_frames_what_is_clearly_better(make_interval) -> None:
    """PET has a higher mean under b, too, but nothing says that the difference is clear."""
    rows = [
        MapRow("All queries", 40, {"a": make_interval(0.5), "b": make_interval(0.4)}, "a"),
        MapRow("CT", 9, {"a": make_interval(0.2), "b": make_interval(0.3)}, "b"),
        MapRow("PET", 4, {"a": make_interval(0.1), "b": make_interval(0.2)}),
    ]
    drawn = slice_map(rows, ("a", "b"), by="modality", metric="CUI@10", theme=DARK)
    frames = [
        (round(s.x0 + 0.46), round(s.y0 + 0.42)) for s in drawn.figure.layout.shapes if s.type == "rect"
    ]
    assert frames == [(0, 0), (1, 1)]
    cells = drawn.figure.data[0]
    assert (cells.zmin, cells.zmax) == (0.1, 0.5)
    assert "n = 4 · few" in drawn.figure.layout.yaxis.ticktext[2]
    assert drawn.alt == ("Highest mean of CUI@10: All queries a (0.500); clearly better: CT b (0.300).")
