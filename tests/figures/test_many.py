"""Figures of many systems: what the squares, marks and bars say, against the values they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.figures.theme import LIGHT
from tests.figures import many_examples
from tests.figures.conftest import Example

VALUES = np.array(list(many_examples.MEANS.values()))


@pytest.fixture
def drawn():
    return {name: example.draw(LIGHT) for name, example in many_examples.examples_of("", Example).items()}


def texts(figure):
    """{(column, row): text} of the numbers in squares."""
    return {
        (x, y): text
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "text"
        for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)
    }


def marks(figure):
    (trace,) = [one for one in figure.data if one.type == "scatter" and one.mode == "markers"]
    return trace


def carried_by(trace):
    """{(row, column): hover text}"""
    return {tuple(one): text for one, text in zip(trace.customdata, trace.hovertext, strict=True)}


def test_squares_are_row_minus_column(drawn):
    figure = drawn["pair_matrix"].figure
    z = np.array(figure.data[0].z, float)
    expected = VALUES[:, None] - VALUES[None, :]
    np.fill_diagonal(expected, np.nan)
    assert z == pytest.approx(expected, nan_ok=True)
    assert (figure.data[0].zmin, figure.data[0].zmax) == pytest.approx((-0.5, 0.5)), "0 in the middle"
    found = texts(figure)
    # a star where the corrected p is below .05: not for alpha and beta, nor beta and gamma
    assert (found[1, 0], found[0, 1]) == ("+.100", "−.100")
    assert (found[3, 0], found[0, 3], found[2, 1]) == ("+.500*", "−.500*", "+.050")
    assert len(found) == 12


def test_overlap_above_and_shared_below(drawn):
    figure = drawn["overlap_matrix"].figure
    z = np.array(figure.data[0].z, float)
    assert (z[0, 1], z[1, 0], z[2, 3], z[3, 2]) == pytest.approx((0.1, 0.05, 0.6, 0.3))
    assert np.isnan(np.diag(z)).all()
    carried = carried_by(marks(figure))
    assert "between 0.590 and 0.700, whatever comes below" in carried["gamma", "delta"]
    assert "40 queries, 3 left out" in carried["delta", "gamma"]
    assert "highest gamma and delta 0.600; lowest beta and alpha 0.050" in drawn["overlap_matrix"].alt
