"""Dots with intervals: order, values, baseline, colours."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evalcore.figures.measures import leaderboard_multiples
from evalcore.figures.systems import difference_dots, leaderboard_dots, ranked
from evalcore.figures.theme import LIGHT, style_of
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


def test_axis_says_n_and_what_is_better_and_starts_at_0(means) -> None:
    axis = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT).figure.layout.xaxis
    assert axis.title.text == "mean · n = 12 to 40 queries · → better"
    assert axis.range[0] == 0 and axis.range[1] > 0.53


def test_colours_by_name(means) -> None:
    few = {name: means[name] for name in ("hog", "lbp")}
    for shown in (means, few):
        fig = leaderboard_dots(shown, metric="CUI@10", systems=SYSTEMS, theme=LIGHT).figure
        for trace in fig.data:
            style = style_of(trace.name, SYSTEMS, LIGHT)
            assert (trace.marker.color, trace.marker.symbol) == (style.fill, style.symbol)
            assert trace.line.color == style.colour and set(trace.customdata) == {trace.name}


def test_order_of_equal_and_undefined_means(make_interval) -> None:
    nan = make_interval(math.nan)
    even = {"b": make_interval(0.2), "x": nan, "a": make_interval(0.2)}
    assert ranked(even) == ["a", "b", "x"]
    fig = leaderboard_dots(even, metric="m", systems=["a", "b", "x"], theme=LIGHT, baseline="x").figure
    assert not fig.layout.shapes and "no interval" in fig.layout.annotations[2].text


def test_alt_names_the_two_best_and_the_baseline(means) -> None:
    drawn = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT, baseline="hog")
    alt = drawn.alt
    assert alt == (
        "CUI@10: cnn has the highest mean, 0.500 (0.470 to 0.530), then lbp with 0.400; their intervals do "
        "not overlap; the baseline hog has 0.300. 3 systems, n = 12 to 40 queries."
    )


@pytest.mark.parametrize(("baseline", "named"), [("cnn", False), ("lbp", False), ("hog", True)])
def test_alt_names_a_baseline_that_is_not_among_the_first_two(means, baseline: str, named: bool) -> None:
    drawn = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=LIGHT, baseline=baseline)
    assert ("; the baseline " in drawn.alt) == named


@pytest.mark.parametrize(("half", "words"), [(0.1, "overlap."), (0.09, "do not overlap."), (0.2, "overlap.")])
def test_alt_says_whether_the_two_best_intervals_overlap(make_interval, half: float, words: str) -> None:
    """Means of 0.5 and 0.3: intervals of 0.1 to each side touch at 0.4."""
    two = {"cnn": make_interval(0.5, half), "lbp": make_interval(0.3, half)}
    alt = leaderboard_dots(two, metric="CUI@10", systems=SYSTEMS, theme=LIGHT).alt
    assert f"; their intervals {words}" in alt


def test_multiples(means) -> None:
    table = {"CUI@10": means, "P(organ)@5": {"cnn": means["hog"], "hog": means["cnn"]}}
    fig = leaderboard_multiples(table, systems=SYSTEMS, theme=LIGHT, baseline="hog").figure
    marks = [(t.xaxis or "x", t.name, t.x[1], t.y[1]) for t in fig.data]
    # The rows are the same in both panels: cnn, lbp, hog.
    assert marks == [
        ("x", "cnn", 0.5, 0),
        ("x", "lbp", 0.4, 1),
        ("x", "hog", 0.3, 2),
        ("x2", "cnn", 0.3, 0),
        ("x2", "hog", 0.5, 2),
    ]
    assert [note.text for note in fig.layout.annotations] == ["<b>CUI@10</b>", "<b>P(organ)@5</b>"]
    assert (
        leaderboard_multiples(table, systems=SYSTEMS, theme=LIGHT).alt
        == "Highest mean, over 2 metrics: cnn under 1, hog under 1."
    )


@pytest.mark.parametrize(("n", "shape"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3)), (7, (3, 3))])
def test_panels_are_balanced(means, n: int, shape: tuple[int, int]) -> None:
    table = {f"m{i}": means for i in range(n)}
    layout = leaderboard_multiples(table, systems=SYSTEMS, theme=LIGHT).figure.layout
    panels = [layout[f"xaxis{i + 1 if i else ''}"].domain for i in range(n)]
    rows = {layout[f"yaxis{i + 1 if i else ''}"].domain for i in range(n)}
    assert (len(rows), len(set(panels))) == shape


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
        "cnn minus hog under CUI@10: +0.100 (+0.060 to +0.140), p = 0.020."
    )


def test_differences_of_several_metrics_name_them(make_comparison) -> None:
    shown = [make_comparison("cnn", "hog"), make_comparison("cnn", "hog", metric="AP(organ)")]
    fig = difference_dots(shown, systems=SYSTEMS, theme=LIGHT).figure
    assert "Each metric" in fig.layout.title.text and "AP(organ)" in fig.layout.yaxis.ticktext[1]


def test_a_system_that_reads_captions_is_marked_wherever_it_is_ranked(means) -> None:
    theme = replace(LIGHT, looks={"hog": SystemLook("hog", reads=("captions",))})
    fig = leaderboard_dots(means, metric="CUI@10", systems=SYSTEMS, theme=theme, baseline="hog").figure
    marked = ["reads captions" in tick for tick in fig.layout.yaxis.ticktext]
    assert marked == [False, False, True] and "baseline · reads captions" in fig.layout.yaxis.ticktext[2]
    runs = leaderboard_dots(means, metric="m", systems=SYSTEMS, theme=theme, kind="run").figure
    assert not any("reads captions" in tick for tick in runs.layout.yaxis.ticktext)
