"""What the figures on generated images say and draw, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic import figures as synthesis
from evalcore.figures.theme import LIGHT


def test_features_lie_on_their_own_scale():
    bounds, intervals = np.array([[10.0], [20.0]]), np.array([[[9.0], [11.0]], [[19.0], [21.0]]])
    medians = pd.DataFrame([[15.0, 99.0, -99.0]], columns=["a", "b", "c"])
    drawn = synthesis.tolerance_rows(["f"], bounds, intervals, medians, of="", theme=LIGHT)
    band, *marks = drawn.figure.data
    assert [x for x in band.x if np.isfinite(x)] == pytest.approx([-0.1, 0.1, 0.9, 1.1])
    assert [(one.x[0], one.marker.symbol[0]) for one in marks][1:] == [
        (2.0, "triangle-right"),
        (-1.0, "triangle-left"),
    ]
    assert marks[0].x[0] == 0.5


def test_shares_of_pairs_add_up():
    drawn = synthesis.pair_lines(np.full(8, 0.1), np.linspace(0, 1, 50), names=("r", "g"), of="", theme=LIGHT)
    for trace in drawn.figure.data:
        assert sum(trace.y[::2]) == pytest.approx(1.0)
    assert "r 0.100, g 0.500" in drawn.alt


def test_a_wide_range_of_distances_is_logarithmic():
    near, far = (
        synthesis.distance_rows(["a", "b"], [1.0, end], [0.5, 0.9], distance="KL", theme=LIGHT).figure
        for end in (3.0, 900.0)
    )
    assert near.layout.xaxis.type is None and far.layout.xaxis.type == "log"
