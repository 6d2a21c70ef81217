"""What the figures on generated images say and draw, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import figures as synthesis
from evalcore.figures.theme import LIGHT


def test_shares_of_pairs_add_up():
    pairs = {"r": np.full(8, 0.1), "g": np.linspace(0, 1, 50)}
    drawn = synthesis.pair_lines(pairs, theme=LIGHT)
    for trace in drawn.figure.data:
        assert sum(trace.y[::2]) == pytest.approx(1.0)
    assert "r 0.100, g 0.500" in drawn.alt
