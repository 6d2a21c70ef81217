"""Satisfaction by how relevance varies: what is drawn where there is no interval."""

from __future__ import annotations

from math import nan

import pytest

from evalcore.features.satisfaction.agreement import Agreement, Point
from evalcore.features.satisfaction.figures import Pair, paired_agreement, satisfaction_by_spread
from evalcore.figures.theme import LIGHT


def test_one_participant_has_marks_without_intervals():
    points = [Point("", 0.1, 0.4, nan, nan, 9), Point("", 0.3, 0.6, nan, nan, 9)]
    drawn = satisfaction_by_spread(points, title="T", rows=5, per_person=True, theme=LIGHT).figure
    assert drawn.data[0].hovertext[0].endswith("satisfaction 0.400, 9 queries")
    assert drawn.layout.yaxis.range == pytest.approx((0.384, 0.616))  # 8% of the range beyond either mark


@pytest.mark.parametrize(
    ("low", "high", "axis"),
    [(0.2, 0.5, (-0.01, 0.53)), (-0.2, 0.3, (-0.23, 0.33)), (-0.5, -0.1, (-0.53, 0.03))],
)
def test_the_axis_of_agreement_holds_0_and_every_end(low, high, axis):
    """6% of the range beyond an end, and a sliver left of 0 where nothing lies there."""
    one = Agreement("RBP", "original", 10, (low + high) / 2, low, high, 0.01)
    drawn = paired_agreement([Pair("RBP", one, one)], names=("a", "b"), title="T", subtitle="", theme=LIGHT)
    assert drawn.figure.layout.xaxis.range == pytest.approx(axis)
