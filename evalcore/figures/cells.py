"""Heat maps: cells by colour, the numbers in them, and squares of names by names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.figures.colour import INKS, ink_on, scale_of
from evalcore.figures.marks import HOVER, column_axis, row_axis
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

ROW = 38
"""Pixels of a row of a square."""


def heat(
    values: Floats, colours: Sequence[str], low: float, high: float, *,
    hover: Sequence[Sequence[str]] | None = None, **options: Any,
) -> Parts:  # fmt: skip
    """The cells, from the first of the colours at ``low`` to the last at ``high``; NaN cells stay empty.

    ``hover``: by row and column, escaped already, None where nothing is said.
    """
    rows, columns = values.shape
    said: Parts = {"hoverinfo": "skip"}
    if hover is not None:
        said = {"hoverongaps": False, "hovertext": hover, "hovertemplate": HOVER}
    return said | {
        "type": "heatmap", "x": list(range(columns)), "y": list(range(rows)), "z": values, "zmin": low,
        "zmax": high, "colorscale": scale_of(*colours), "showscale": False, "xgap": 2, "ygap": 2, **options,
    }  # fmt: skip


def square(names: Sequence[str], theme: Theme, *, width: int, row: float = ROW) -> Parts:
    """Axes, height and margins of a square whose rows and columns have these names, ``width`` characters
    of each at most."""
    ticks = [safe(short(name, width)) for name in names]
    return {
        "x": column_axis(ticks, theme, tickangle=-38, side="bottom"), "y": row_axis(ticks, theme, grid=False),
        "height": max(row * len(ticks), 120), "right": 14, "bottom": slanted_room(ticks),
    }  # fmt: skip


def slanted_room(labels: Sequence[str]) -> float:
    """Pixels below a plot that slanted names take: a character about 4.6 of them."""
    return 18 + 4.6 * max(len(label) for label in labels)


def numbers_in_cells(
    values: Floats, *, cell: Callable[[float], str], text: Callable[[float], str], size: int, theme: Theme
) -> list[Parts]:
    """One trace per ink, that which reads better on its cell. ``cell`` is the colour behind a value, ``text``
    how it is written. NaN: none."""
    found: dict[str, list[tuple[int, int, str]]] = {ink: [] for ink in INKS}
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value = float(values[i, j])
        found[ink_on(cell(value))].append((int(j), int(i), text(value)))
    return [
        {
            "type": "scatter", "mode": "text", "x": [x for x, _, _ in cells], "y": [y for _, y, _ in cells],
            "text": [text for _, _, text in cells], "hoverinfo": "skip",
            "textfont": {"size": size, "color": ink, "family": theme.font},
        }
        for ink, cells in found.items()
        if cells
    ]  # fmt: skip
