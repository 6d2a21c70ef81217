"""Two measures on the same pairs of images: where do they fall, and which pairs do they disagree on?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.figures.cells import heat
from evalcore.figures.colour import CIVIDIS_6
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER
from evalcore.figures.numbers import number, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

HOW_TO_READ = Reading(
    "Each square holds pairs of images. At the left edge the measure named below the figure sees nothing in "
    "common where the other one does. The rings are the pairs listed below; select one to see why.",
    "26 x 26 cells, colour by the logarithm of the number of pairs; rings by the largest difference of "
    "mid-ranks.",
)
CELLS = 26
SIDE = 340
SHADES = {
    "light": CIVIDIS_6,
    "dark": ("#575C6E", "#75746F", "#948E77", "#B4A76F", "#D9C75A", "#FEE838"),
}
"""The whole scale on a light page; on a dark one its lighter two thirds, so that single pairs show."""
NAME = 26


class Marked(NamedTuple):
    """A pair worth opening: where it lies, the text a click carries, and what it is called."""

    x: float
    y: float
    carries: str
    name: str


def measure_cloud(
    x: Floats, y: Floats, *, a: str, b: str, theme: Theme, marked: Sequence[Marked] = (), of: str = "",
    rho: float = np.nan,
) -> Drawn:  # fmt: skip
    """Value of every pair under measure ``a`` (across) and ``b`` (upwards), counted in cells.

    Parameters
    ----------
    x, y
        Shape (n,), no NaN. The plane is cut into 26 x 26 cells; their colour is the number of pairs on a
        logarithmic scale, because most pairs have nothing in common.
    marked
        Pairs drawn as numbered rings that a click opens.
    of
        What the pairs are, for the subtitle.
    rho
        Spearman's correlation of the two, for the take-away; NaN where there is none.
    """
    if not len(x):
        message = f"No pair of images has a value under both {a} and {b}."
        return nothing(message, HOW_TO_READ, theme=theme)
    drawn = figure(
        theme=theme, height=SIDE, title=f"{short(b, NAME)} against {short(a, NAME)}", bottom=44, right=64,
        subtitle=(f"{of} · " if of else "") + "colour: how many pairs share a cell, in steps of ten"
        + (" · rings: the pairs listed below" if marked else ""),
        traces=[_cells(x, y, a, b, theme), *([_rings(marked, theme)] if marked else [])],
        x=_side(a, x, theme), y=_side(b, y, theme),
    )  # fmt: skip
    return Drawn(drawn, _take_away(x, y, a, b, rho), HOW_TO_READ)


def _take_away(x: Floats, y: Floats, a: str, b: str, rho: float) -> str:
    """How many pairs, how many have nothing under one measure only, the correlation."""
    only_a, only_b = int(np.sum((x > 0) & (y <= 0))), int(np.sum((y > 0) & (x <= 0)))
    alike = f"; Spearman's rho {number(rho)}" if np.isfinite(rho) else ""
    return (
        f"{things(len(x), 'pair')} of images under {a} and {b}: {only_a:,} are relevant under {a} only, "
        f"{only_b:,} under {b} only{alike}."
    )


def _ends(values: Floats) -> tuple[float, float]:
    """The range of an axis: 0 to 1 widened to what there is."""
    return min(0.0, float(values.min())), max(1.0, float(values.max()))


def _side(name: str, values: Floats, theme: Theme) -> Parts:
    low, high = _ends(values)
    pad = 0.03 * (high - low)
    title = f"{safe(short(name, NAME))} · → closer"
    return axis(theme, title=title, grid=False, nticks=6, range=[low - pad, high + pad])


def _cells(x: Floats, y: Floats, a: str, b: str, theme: Theme) -> Parts:
    """The number of pairs of every cell that holds any; edges lie half a cell outside the range."""
    centres = [np.linspace(*_ends(values), CELLS) for values in (x, y)]
    at = [
        np.clip(np.rint((values - c[0]) / (c[1] - c[0])).astype(int), 0, CELLS - 1)
        for values, c in zip((x, y), centres, strict=True)
    ]
    counts = np.bincount(at[1] * CELLS + at[0], minlength=CELLS * CELLS).reshape(CELLS, CELLS)
    with np.errstate(divide="ignore"):
        shade = np.where(counts > 0, np.log10(counts), np.nan)
    hover = [
        [
            f"{safe(short(a, NAME))} about {number(cx)}<br>{safe(short(b, NAME))} about {number(cy)}<br>"
            f"{things(int(counts[j, i]), 'pair')}"
            for i, cx in enumerate(centres[0])
        ]
        for j, cy in enumerate(centres[1])
    ]
    top = max(1, int(np.ceil(np.nanmax(shade))))
    bar = {
        "thickness": 10, "len": 1, "y": 0.5, "outlinewidth": 0, "tickvals": list(range(top + 1)),
        "ticktext": [f"{10**i:,}" for i in range(top + 1)], "tickfont": {"size": 11, "color": theme.muted},
    }  # fmt: skip
    return heat(
        shade, SHADES[theme.name], 0, top, hover=hover, x=centres[0], y=centres[1], xgap=1, ygap=1,
        showscale=True, colorbar=bar,
    )  # fmt: skip


def _rings(marked: Sequence[Marked], theme: Theme) -> Parts:
    return {
        "type": "scatter", "x": [m.x for m in marked], "y": [m.y for m in marked], "mode": "markers",
        "customdata": [m.carries for m in marked], "hovertext": [safe(m.name) for m in marked],
        "hovertemplate": HOVER, "cliponaxis": False,
        "marker": {"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.down, "width": 2.5}},
    }  # fmt: skip
