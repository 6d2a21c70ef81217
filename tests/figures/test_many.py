"""Figures of many systems: what the squares, marks and bars say, against the values they are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.evaluate.comparison import matrix_of
from evalcore.figures import maps
from evalcore.figures.theme import DARK, LIGHT
from tests.figures import many_examples
from tests.figures.conftest import Example

NAMES = tuple(many_examples.MEANS)
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


def test_a_square_carries_row_and_column_and_tells_its_own_side(drawn):
    trace = marks(drawn["pair_matrix"].figure)
    carried = carried_by(trace)
    assert len(carried) == 12
    there, back = carried["alpha", "delta"], carried["delta", "alpha"]
    assert "<b>alpha</b> − delta +0.500" in there and "+0.460 to +0.540" in there
    assert "<b>delta</b> − alpha −0.500" in back and "−0.540 to −0.460" in back
    assert "22 better, 8 tied, 10 worse" in there and "10 better, 8 tied, 22 worse" in back
    assert "4 of 6 pairs differ clearly" in drawn["pair_matrix"].alt


def test_no_numbers_where_squares_are_too_small():
    names = [f"s{i:02}" for i in range(17)]
    pair = many_examples.comparisons(NAMES, "m")[0]
    pairs = [replace(pair, system=a, baseline=b) for i, a in enumerate(names) for b in names[i + 1 :]]
    figure = maps.pair_matrix(matrix_of(pairs), metric="m", theme=DARK).figure
    assert not texts(figure) and len(marks(figure).x) == 17 * 16


def test_places(drawn):
    figure = drawn["rank_dots"].figure
    assert [trace.x[1] for trace in figure.data] == [1, 2, 3, 4]
    assert [tuple(trace.x[::2]) for trace in figure.data] == [(1, 2), (1.5, 3), (2.5, 4), (3.5, 5)]
    beside = [note.text for note in figure.layout.annotations]
    assert "<b>ab</b>" in beside[1] and "first in 45%" in beside[1]
    assert drawn["rank_dots"].alt == (
        "CUI@10: alpha has rank 1 of 4, first in 90% of the resamples; not clearly different from it: beta. "
        "40 queries."
    )


def test_overlap_above_and_shared_below(drawn):
    figure = drawn["overlap_matrix"].figure
    z = np.array(figure.data[0].z, float)
    assert (z[0, 1], z[1, 0], z[2, 3], z[3, 2]) == pytest.approx((0.1, 0.05, 0.6, 0.3))
    assert np.isnan(np.diag(z)).all()
    carried = carried_by(marks(figure))
    assert "between 0.590 and 0.700, whatever comes below" in carried["gamma", "delta"]
    assert "40 queries, 3 left out" in carried["delta", "gamma"]
    assert (
        "most similar gamma and delta (0.600), least similar alpha and beta (0.100)"
        in drawn["overlap_matrix"].alt
    )
