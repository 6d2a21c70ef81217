"""Figures of the measures page: what the cells, rings, lines and bars hold."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.figures.clouds import Marked, measure_cloud
from evalcore.figures.curves import Separated, rank_slopes, significance_curves
from evalcore.figures.maps import agreement_matrix
from evalcore.figures.theme import DARK, LIGHT, blend, contrast

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


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_can_be_read_on_their_cells(theme) -> None:
    values = np.linspace(-1, 1, 36).reshape(6, 6)
    matrix = (values + values.T) / 2
    figure = agreement_matrix(list("abcdef"), matrix, matrix, of="9 pairs", theme=theme).figure
    written = 0
    for trace in figure.data[1:]:
        for x, y in zip(trace.x, trace.y, strict=True):
            value = matrix[y, x]
            cell = blend(theme.surface, theme.up if value > 0 else theme.down, abs(value))
            assert contrast(trace.textfont.color, cell) >= 4.5
            written += 1
    assert written == 30


def test_almost_one_is_not_called_one() -> None:
    nearly = np.array([[1, 0.9999], [0.9999, 1]])
    figure = agreement_matrix(["a", "b"], nearly, np.ones((2, 2)), of="9 pairs", theme=LIGHT).figure
    assert sorted(text for trace in figure.data[1:] for text in trace.text) == ["1", ">0.99"]


def test_alt_names_most_and_least_alike() -> None:
    alt = agreement_matrix(LABELS, RHO, TAU, of="9 pairs", theme=LIGHT).alt
    assert "most similar a and b (0.80), least similar a and c (−0.10)" in alt


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


def test_values_beyond_one_and_below_zero_stay_in_the_plane() -> None:
    figure = measure_cloud(np.array([-1.0, 1.5]), np.array([0.2, 0.4]), a="a", b="b", theme=DARK).figure
    assert np.nansum(10.0 ** figure.data[0].z) == pytest.approx(2)
    low, high = figure.layout.xaxis.range
    assert low < -1 and high > 1.5


def test_who_moves_most() -> None:
    places = np.array([[1, 3], [2, 1], [3, 2]])
    drawn = rank_slopes(
        places, np.ones((3, 2)), names=SYSTEMS, labels=["iou", "dice"], systems=SYSTEMS, theme=LIGHT
    )
    assert drawn.alt == "Rank 1 over 2 measures: x under 1, y under 1; x moves most, by 2 ranks."
    assert {line.name: list(line.y) for line in drawn.figure.data} == {"x": [1, 3], "y": [2, 1], "z": [3, 2]}


def test_curves_not_below_what_the_test_can_give() -> None:
    rows = [
        Separated("weak", 1, 3, np.array([0.001, 0.2, 0.5])),
        Separated("strong", 3, 3, np.array([0.0, 0.001, 0.004])),
    ]
    curves = significance_curves(rows, measures=["weak", "strong"], theme=LIGHT, floor=0.0005)
    assert curves.alt == "Uncorrected p-values below 0.05: weak 1 of 3, strong 3 of 3."
    assert list(curves.figure.data[1].y) == [0.0005, 0.001, 0.004]
