"""Numbers in the cells of a heat map, each in the ink that reads better on its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.colour import contrast

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.arrays import Floats
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

INKS = ("#10161C", "#FFFFFF")


def numbers_in_cells(
    values: Floats, *, cell: Callable[[float], str], text: Callable[[float], str], size: int, theme: Theme
) -> list[Parts]:
    """One trace per ink; ``cell`` is the colour behind a value, ``text`` how it is written. NaN: none."""
    found: dict[str, list[tuple[int, int, str]]] = {ink: [] for ink in INKS}
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value = float(values[i, j])
        best = max(INKS, key=lambda ink: contrast(ink, cell(value)))
        found[best].append((int(j), int(i), text(value)))
    return [
        {
            "type": "scatter", "mode": "text", "x": [x for x, _, _ in cells], "y": [y for _, y, _ in cells],
            "text": [text for _, _, text in cells], "hoverinfo": "skip",
            "textfont": {"size": size, "color": ink, "family": theme.font},
        }
        for ink, cells in found.items()
        if cells
    ]  # fmt: skip
