"""Agreement with satisfaction: how far its axis reaches."""

from __future__ import annotations

import pytest

from evalcore.features.satisfaction.agreement import Agreement
from evalcore.features.satisfaction.figures import Pair, paired_agreement
from evalcore.figures.theme import LIGHT


@pytest.mark.parametrize(
    ("low", "high", "axis"),
    [(0.2, 0.5, (-0.01, 0.53)), (-0.2, 0.3, (-0.23, 0.33)), (-0.5, -0.1, (-0.53, 0.03))],
)
def test_the_axis_of_agreement_holds_0_and_every_end(low, high, axis):
    """6% of the range beyond an end, and a sliver left of 0 where nothing lies there."""
    one = Agreement("RBP", "original", 10, (low + high) / 2, low, high, 0.01)
    drawn = paired_agreement([Pair("RBP", one, one)], names=("a", "b"), title="T", subtitle="", theme=LIGHT)
    assert drawn.figure.layout.xaxis.range == pytest.approx(axis)
