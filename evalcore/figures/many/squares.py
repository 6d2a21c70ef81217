"""A square of systems by systems: the frame of both matrices, and the marks that a click meets."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.figures.frame import Parts
from evalcore.figures.marks import ROW_CELLS, click_marks, square
from evalcore.figures.theme import Theme

NAME = 22
"""Characters of a name at most."""
MOST_NUMBERS = 16
"""With more systems the squares are too small for numbers."""


def frame_of(systems: Sequence[str], theme: Theme) -> Parts:
    """Axes, height and margins of a square with these rows and columns."""
    row = ROW_CELLS if len(systems) <= MOST_NUMBERS else 22
    return square(systems, theme, width=NAME, row=row) | {"hoverdistance": -1}


def marks(systems: Sequence[str], hover: Sequence[Sequence[str]]) -> Parts:
    """Invisible marks over the squares off the diagonal: plotly cannot report clicks on a heat map.

    Each carries its row and its column; ``hover``: by row and column, escaped already, "" for no mark.
    """
    cells = [(i, j) for i in range(len(systems)) for j in range(len(systems)) if i != j and hover[i][j]]
    return click_marks(
        [(j, i) for i, j in cells],
        [[systems[i], systems[j]] for i, j in cells],
        [hover[i][j] for i, j in cells],
        ROW_CELLS - 4,
    )
