"""Satisfaction by how relevance varies: what is drawn where there is no interval."""

from __future__ import annotations

from math import nan

import pytest

from evalcore.features.satisfaction.figures import satisfaction_by_spread
from evalcore.features.satisfaction.variance import Point
from evalcore.figures.theme import LIGHT


def test_one_participant_has_marks_without_intervals():
    points = [Point("", 0.1, 0.4, nan, nan, 9), Point("", 0.3, 0.6, nan, nan, 9)]
    drawn = satisfaction_by_spread(points, title="T", rows=5, per_person=True, theme=LIGHT).figure
    assert drawn.data[0].hovertext[0].endswith("satisfaction 0.400, 9 queries")
    assert drawn.layout.yaxis.range == pytest.approx((0.384, 0.616))  # 8% of the range beyond either mark
