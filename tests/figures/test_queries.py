"""Queries one by one: under two systems, and as a map; what a click carries, and many of them in groups."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from evalcore.figures.queries import COLUMNS, GROUPED, query_map
from evalcore.figures.theme import LIGHT
from evalcore.figures.two_systems import BINS, MAX_BARS, delta_bars, score_scatter

PAIR = {"a": "cnn", "b": "hog", "metric": "CUI@10"}


def test_bars_are_sorted_and_carry_their_query() -> None:
    ids, deltas = ["q3", "q1", "q4", "q2", "q5"], np.array([0.1, -0.3, 0.1, 0.0, np.nan])
    (bars,) = delta_bars(ids, deltas, theme=LIGHT, **PAIR).figure.data
    # Equal differences stand in the order of the ids; the undefined query is left out.
    assert list(bars.customdata) == ["q3", "q4", "q2", "q1"]
    assert list(bars.y) == [0.1, 0.1, 0.0, -0.3] and list(bars.x) == [1, 2, 3, 4]
    assert list(bars.marker.color) == [LIGHT.up, LIGHT.up, LIGHT.neutral, LIGHT.down]
    (turned,) = delta_bars(ids[::-1], deltas[::-1], theme=LIGHT, **PAIR).figure.data
    assert turned == bars, "the order of the input changes nothing"


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
    (dots,) = fig.data
    points = zip(dots.customdata, dots.x, dots.y, dots.marker.color, strict=True)
    assert {*points} == {("q2", 0.9, 0.1, LIGHT.up), ("q1", 0.2, 0.6, LIGHT.down)}
    assert {(note.x, note.y): note.text for note in fig.layout.annotations} == {
        (1.0, 1.0): "both good",
        (0.0, 0.0): "both poor",
        (1.0, 0.0): "only cnn good",
        (0.0, 1.0): "only hog good",
    }
    assert fig.layout.xaxis.title.text == "cnn · ↑ better" and fig.layout.yaxis.scaleanchor == "x"


# The map: every query a column.

SYSTEMS = tuple(f"system-{i}" for i in range(10))


def draw(n: int, m: int = 4, **more):
    values = np.random.default_rng(n).random((n, m))
    values[: n // 10] = np.nan
    hard = np.zeros(n, bool)
    hard[-n // 4 :] = True
    options = {"hard": hard, "metric": "P@10", "order": "hardest first", "theme": LIGHT}
    return values, query_map([f"q{i:05}" for i in range(n)], SYSTEMS[:m], values, **options, **more)


def cells_of(figure) -> dict[tuple[int, int], float]:
    """{(row, column): value} of the cells with a value."""
    (cells,) = [trace for trace in figure.data if trace.type == "heatmap"]
    return {place: value for place, value in np.ndenumerate(cells.z) if np.isfinite(value)}


@pytest.mark.parametrize("m", [4, 10])
def test_many_queries_are_drawn_as_means_of_neighbours_and_said_so(m: int) -> None:
    values, drawn = draw(9_927, m)
    cells = cells_of(drawn.figure)
    assert max(j for _, j in cells) == COLUMNS - 1
    ends = np.linspace(0, len(values), COLUMNS + 1).round().astype(int).tolist()
    for j, (start, end) in enumerate(pairwise(ends)):
        if (1, j) in cells:
            expected = np.nanmean(values[start:end], axis=0)
            assert [cells[i, j] for i in range(1, m + 1)] == pytest.approx(expected.tolist())
    assert "each column is the mean of neighbouring queries" in drawn.figure.layout.title.text.replace(
        "<br>", " "
    )
    assert drawn.how_to_read == GROUPED
    assert "9,927 queries" in drawn.alt and "992 without a value" in drawn.alt
    assert len(json.dumps(drawn.figure.to_plotly_json(), default=lambda array: array.tolist())) < 700_000
