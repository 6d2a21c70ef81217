"""A square of systems by systems: the frame of both matrices, and the marks that a click meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.frame import axis
from evalcore.figures.marks import HOVER, row_axis
from evalcore.figures.measures.matrix import slanted_room
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.arrays import Floats
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

ROW = 38
NAME = 22
"""Pixels of a row, and characters of a name at most."""
MOST_NUMBERS = 16
"""With more systems the squares are too small for numbers."""


def frame_of(systems: Sequence[str], theme: Theme) -> Parts:
    """Axes, height and margins of a square with these rows and columns."""
    ticks = [safe(short(name, NAME)) for name in systems]
    k = len(systems)
    return {
        "x": axis(
            theme, grid=False, tickvals=list(range(k)), ticktext=ticks, tickangle=-38, side="bottom",
            range=[-0.5, k - 0.5], tickfont={"size": 12, "color": theme.ink},
        ),
        "y": row_axis(ticks, theme, grid=False),
        "height": max((ROW if k <= MOST_NUMBERS else 22) * k, 120), "right": 14,
        "bottom": slanted_room(ticks), "hoverdistance": -1,
    }  # fmt: skip


def marks(systems: Sequence[str], hover: Sequence[Sequence[str]]) -> Parts:
    """Invisible marks over the squares off the diagonal: plotly cannot report clicks on a heat map.

    Each carries its row and its column; ``hover``: by row and column, escaped already, "" for no mark.
    """
    cells = [(i, j) for i in range(len(systems)) for j in range(len(systems)) if i != j and hover[i][j]]
    return {
        "type": "scatter", "mode": "markers", "x": [j for _, j in cells], "y": [i for i, _ in cells],
        "customdata": [[systems[i], systems[j]] for i, j in cells],
        "hovertext": [hover[i][j] for i, j in cells], "hovertemplate": HOVER,
        "marker": {"symbol": "square", "size": ROW - 4, "opacity": 0},
        "selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}},
    }  # fmt: skip


def colours(values: Floats, scale: Sequence[Sequence[object]], low: float, high: float) -> Parts:
    """The heat map: NaN cells stay empty."""
    k = len(values)
    return {
        "type": "heatmap", "x": list(range(k)), "y": list(range(k)), "z": values, "zmin": low, "zmax": high,
        "colorscale": [list(stop) for stop in scale], "showscale": False, "xgap": 2, "ygap": 2,
        "hoverinfo": "skip",
    }  # fmt: skip
