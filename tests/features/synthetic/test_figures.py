"""What the figures on generated images say and draw, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import figures as synthesis
from evalcore.features.synthetic.figures.scores import ScoredGroup, ToleranceRow
from evalcore.figures.theme import LIGHT


def test_scores_are_dots_and_means():
    drawn = synthesis.score_rows(
        [ScoredGroup("a", np.array([0.0, 0.5, np.nan]), 0.1, 0.4)], score="WSI", theme=LIGHT
    )
    dots, mark = drawn.figure.data
    assert list(dots.x) == [0.0, 0.5] and list(mark.x) == [0.1, 0.25, 0.4]
    assert drawn.alt == "Mean WSI of each group: a 0.250."


def test_features_lie_on_their_own_scale():
    row = ToleranceRow("f", 10.0, 20.0, (9.0, 11.0), (19.0, 21.0), (15.0, 99.0, -99.0))
    band, *marks = synthesis.tolerance_rows([row], ["a", "b", "c"], of="", theme=LIGHT).figure.data
    assert [x for x in band.x if x is not None] == pytest.approx([-0.1, 0.1, 0.9, 1.1])
    assert [(one.x[0], one.marker.symbol[0]) for one in marks][1:] == [
        (2.0, "triangle-right"),
        (-1.0, "triangle-left"),
    ]
    assert marks[0].x[0] == 0.5


def test_shares_of_pairs_add_up():
    drawn = synthesis.pair_lines(np.full(8, 0.1), np.linspace(0, 1, 50), names=("r", "g"), of="", theme=LIGHT)
    for trace in drawn.figure.data:
        assert sum(trace.y[::2]) == pytest.approx(1.0)
    assert "within r: mean 0.100; within g: 0.500" in drawn.alt


def test_copies_are_counted_beyond_the_rings():
    training = np.array([0.5, 0.5]), np.array([0.6, 0.7])
    drawn = synthesis.nearest_cloud(
        ["x", "y"], np.ones(2), np.array([0.99, 0.65]), training=training, group="g", theme=LIGHT
    )
    assert drawn.alt == (
        "2 images of g by their nearest training image; 1 nearer by vectors than any two training images are."
    )
    assert list(drawn.figure.data[1].customdata) == ["x", "y"]


def test_the_square_is_in_the_order_asked_for():
    values = np.arange(9.0).reshape(3, 3) / 9
    heat, strip = synthesis.likeness_square(
        values, np.array([2, 0, 1]), np.array([True, False, False]), of="", theme=LIGHT
    ).figure.data
    assert heat.z[0][0] == pytest.approx(8 / 9, abs=1e-3) and strip.z[1][0] == 1


def test_a_wide_range_of_distances_is_logarithmic():
    near, far = (
        synthesis.distance_rows(["a", "b"], [1.0, end], [0.5, 0.9], distance="KL", theme=LIGHT).figure
        for end in (3.0, 900.0)
    )
    assert near.layout.xaxis.type is None and far.layout.xaxis.type == "log"
