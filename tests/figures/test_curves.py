"""Curves over k: values, bands, names at the line ends that keep apart."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.figures.curves import metric_curves
from evalcore.figures.lines import GAP, spread
from evalcore.figures.theme import DARK, style_of

KS = [1, 5, 10]


@pytest.fixture
def lines(make_interval):
    return {
        "cnn": [make_interval(m) for m in (0.6, 0.5, 0.41)],
        "hog": [make_interval(m) for m in (0.7, 0.5, 0.40)],
    }


def draw(lines, ks=KS, **options):
    return metric_curves(lines, ks, metric="P(organ)@k", systems=["cnn", "hog"], theme=DARK, **options).figure


def test_lines_and_bands(lines) -> None:
    fig = draw(lines)
    styles = {name: style_of(name, ["cnn", "hog"], DARK) for name in lines}
    assert len(fig.data) == 4
    for band, line in zip(fig.data[::2], fig.data[1::2], strict=True):
        row = lines[line.name]
        assert list(line.x) == KS and list(line.y) == [i.mean for i in row]
        assert line.line.color == styles[line.name].colour and line.line.dash == styles[line.name].dash
        assert list(band.x) == [1, 5, 10, 10, 5, 1]
        assert list(band.y) == [i.high for i in row] + [i.low for i in reversed(row)]
    assert fig.layout.yaxis.range[0] == 0 and fig.layout.yaxis.title.text == "mean · ↑ better"
    assert "P(organ)@k as k grows" in fig.layout.title.text and "n = 40 queries" in fig.layout.title.text


def test_names_stand_at_the_line_ends_and_do_not_overlap(lines) -> None:
    fig = draw(lines, baseline="hog")
    notes = {note.text: note for note in fig.layout.annotations}
    assert set(notes) == {"cnn", "<b>hog</b>"}
    plot = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    scale = plot / fig.layout.yaxis.range[1]
    at = [scale * note.y - note.ay for note in fig.layout.annotations]
    assert abs(at[0] - at[1]) >= GAP - 1e-9
    assert notes["cnn"].y == 0.41 and notes["cnn"].x == 10
    assert notes["cnn"].font.color == style_of("cnn", ["cnn", "hog"], DARK).text


@given(st.lists(st.floats(0, 300), min_size=1, max_size=12), st.floats(1, 30))
def test_spread_keeps_order_and_distance(wanted: list[float], gap: float) -> None:
    placed = spread(wanted, gap, 0, math.inf)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    assert all(placed[b] - placed[a] >= gap - 1e-6 for a, b in pairwise(order))
    if all(wanted[b] - wanted[a] >= gap for a, b in pairwise(order)):
        assert placed == pytest.approx(wanted)
    assert min(placed) >= -1e-9
