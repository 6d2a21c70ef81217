"""Bars, scatter and wins: values, ids that a click carries, how many marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.figures.maps import MapRow, slice_map
from evalcore.figures.systems import GroupRow, slice_forest
from evalcore.figures.theme import DARK, LIGHT
from evalcore.figures.two_systems import BINS, MAX_BARS, delta_bars, score_scatter

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


def test_forest_at_the_limits_of_few_and_of_clear(make_comparison) -> None:
    """Five queries are not few; a p of .05 is not clear."""
    five = replace(make_comparison("cnn", "hog", 0.3), n_pairs=5)
    chance = replace(five, p_corrected=0.05)
    fig = slice_forest(
        five, [GroupRow("CT", five), GroupRow("PET", chance)], by="modality", theme=LIGHT
    ).figure
    assert [mark.marker.color for mark in fig.data] == [LIGHT.up, LIGHT.up, LIGHT.neutral]
    assert not any("few" in tick for tick in fig.layout.yaxis.ticktext)


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
    assert drawn.alt == "Each system, by modality: highest All queries and a 0.500; lowest PET and a 0.100."
