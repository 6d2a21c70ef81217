"""Dots with intervals: order, values, baseline, colours."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evalcore.figures.systems import difference_dots, leaderboard_dots, ranked
from evalcore.figures.theme import LIGHT
from evalcore.values.model import SystemLook

SYSTEMS = ["cnn", "hog", "lbp"]


@pytest.fixture
def means(make_interval):
    return {
        "hog": make_interval(0.3, 0.02),
        "cnn": make_interval(0.5, 0.03),
        "lbp": make_interval(0.4, 0.01, n=12),
    }


def dots_of(fig) -> dict[str, tuple[float, float]]:
    """The mark in the middle of each interval."""
    return {t.name: (t.x[1], t.y[1]) for t in fig.data if t.marker.size[1] > 0}


def test_best_first_with_the_baseline_marked(means) -> None:
    fig = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT, baseline="hog").figure
    assert dots_of(fig) == {"cnn": (0.5, 0), "lbp": (0.4, 1), "hog": (0.3, 2)}
    assert fig.layout.yaxis.ticktext[2].startswith("hog<br>") and "baseline" in fig.layout.yaxis.ticktext[2]
    assert fig.layout.yaxis.range == (2.5, -0.5)
    assert fig.layout.shapes[0].x0 == fig.layout.shapes[0].x1 == 0.3
    without = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT).figure
    assert [y for _, y in dots_of(without).values()] == [0, 1, 2] and not without.layout.shapes
    assert list(dots_of(without)) == ["cnn", "lbp", "hog"]


def test_values_and_intervals_are_those_given(means) -> None:
    fig = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT).figure
    lines = {t.name: (t.x[0], t.x[2]) for t in fig.data}
    assert all(t.marker.size[0] == t.marker.size[2] == 0 for t in fig.data)
    assert lines == {name: (i.low, i.high) for name, i in means.items()}
    texts = [note.text for note in fig.layout.annotations]
    assert texts[0].startswith("<b>0.500</b>") and "0.470 – 0.530" in texts[0]


def test_order_of_equal_and_undefined_means(make_interval) -> None:
    nan = make_interval(math.nan)
    even = {"b": make_interval(0.2), "x": nan, "a": make_interval(0.2)}
    assert ranked(even) == ["a", "b", "x"]
    fig = leaderboard_dots(even, metric="m", systems=["a", "b", "x"], theme=LIGHT, baseline="x").figure
    assert not fig.layout.shapes and "no interval" in fig.layout.annotations[2].text


def test_differences(make_comparison) -> None:
    shown = [make_comparison("cnn", "hog", 0.1), make_comparison("lbp", "hog", -0.02)]
    fig = difference_dots(shown, systems=SYSTEMS, theme=LIGHT).figure
    assert dots_of(fig) == {"cnn": (0.1, 0), "lbp": (-0.02, 1)}
    assert fig.layout.shapes[0].x0 == 0
    assert fig.layout.title.text.startswith("<b>Difference from hog</b>")
    assert "CUI@10 · mean paired difference and its 95% interval" in fig.layout.title.text
    assert fig.layout.xaxis.title.text == "difference (right of 0: better than hog) · n = 40 pairs"
    assert fig.layout.xaxis.range[0] == -fig.layout.xaxis.range[1]
    assert "p = 0.020" in fig.layout.annotations[0].text and "<b>+0.100</b>" in fig.layout.annotations[0].text
    assert difference_dots(shown[:1], systems=SYSTEMS, theme=LIGHT).alt == (
        "Difference from hog, CUI@10 · mean paired difference and its 95% interval: cnn +0.100 (p = 0.020)."
    )


def test_a_system_that_reads_captions_is_marked_wherever_it_is_ranked(means) -> None:
    theme = replace(LIGHT, looks={"hog": SystemLook(reads=("captions",))})
    fig = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=theme, baseline="hog").figure
    marked = ["reads captions" in tick for tick in fig.layout.yaxis.ticktext]
    assert marked == [False, False, True] and "baseline · reads captions" in fig.layout.yaxis.ticktext[2]
    runs = leaderboard_dots(means, metric="m", systems=SYSTEMS, theme=theme, kind="run").figure
    assert not any("reads captions" in tick for tick in runs.layout.yaxis.ticktext)
