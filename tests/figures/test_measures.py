"""Figures of the measures page: what the cells, rings, lines and bars hold."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.figures.measures import Marked, Separated, agreement_matrix, measure_cloud, significance_curves
from evalcore.figures.theme import LIGHT

LABELS, SYSTEMS = ["a", "b", "c"], ["x", "y", "z"]
RHO = np.array([[1, 0.9, -0.2], [0.9, 1, 0.4], [-0.2, 0.4, 1]])
TAU = np.array([[1, 0.8, -0.1], [0.8, 1, 0.3], [-0.1, 0.3, 1]])


def test_both_coefficients_in_one_matrix() -> None:
    cells = agreement_matrix(LABELS, RHO, TAU, of="9 pairs", theme=LIGHT).figure.data[0].z
    assert [cells[0, 1], cells[0, 2], cells[1, 2]] == [0.9, -0.2, 0.4]
    assert [cells[1, 0], cells[2, 0], cells[2, 1]] == [0.8, -0.1, 0.3]
    assert np.isnan(np.diag(cells)).all()
    alone = agreement_matrix(LABELS, RHO, TAU, of="9 pairs", theme=LIGHT, both=False).figure.data[0].z
    assert alone[0, 1] == alone[1, 0] == 0.8


def test_cells_count_every_pair() -> None:
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.5, 1.0])
    marked = [Marked(0.0, 0.5, "q\tc", "1: q and c")]
    drawn = measure_cloud(x, y, a="a", b="b", theme=LIGHT, marked=marked, rho=0.5)
    cells, rings = drawn.figure.data
    assert np.nansum(10.0**cells.z) == pytest.approx(4)
    assert (10 ** cells.z[0, 0], 10 ** cells.z[-1, -1]) == (2, 1)
    assert list(rings.customdata) == ["q\tc"]
    assert "0 are relevant under a only, 1 under b only; Spearman's rho 0.500" in drawn.alt
    assert "rho" not in measure_cloud(x, y, a="a", b="b", theme=LIGHT).alt


def test_curves_not_below_what_the_test_can_give() -> None:
    rows = [
        Separated("weak", 1, 3, np.array([0.001, 0.2, 0.5])),
        Separated("strong", 3, 3, np.array([0.0, 0.001, 0.004])),
    ]
    curves = significance_curves(rows, measures=["weak", "strong"], theme=LIGHT, floor=0.0005)
    assert curves.alt == "Uncorrected p-values below 0.05: weak 1 of 3, strong 3 of 3."
    assert list(curves.figure.data[1].y) == [0.0005, 0.001, 0.004]
