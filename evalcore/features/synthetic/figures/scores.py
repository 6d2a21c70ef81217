"""How like real images is each group of generated ones? Every image a dot, the mean with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.figures.colour import faded
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, beside, dot_on_interval, note, rectangle, row_axis
from evalcore.figures.numbers import listed, number, span, things
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

HOW_TO_READ = Reading(
    "Each dot is one image, the box the middle half of its group. 1: everything the real images have in "
    "common is there; 0: nothing of it. The large mark is the average with its 95% interval.",
    "Dots: score of each image (in large groups evenly spaced ranks); box: quartiles; mark: mean with its "
    "percentile bootstrap interval over images.",
)
NOTHING = "No image has a score: there are no features to compare, or none that the real images share."
ROW, NAME, COLUMN = 72, 32, 84
DOTS = 900
"""Dots in all, so that the figure stays quick."""


class ScoredGroup(NamedTuple):
    """A group: its name, the scores of its images (NaN for none), the interval of their mean."""

    name: str
    values: Floats
    low: float
    high: float


def score_rows(groups: Sequence[ScoredGroup], *, score: str, theme: Theme) -> Drawn:
    """Groups down, scores across from 0 to 1."""
    known = [one._replace(values=np.sort(one.values[np.isfinite(one.values)])) for one in groups]
    known = [one for one in known if len(one.values)]
    if not known:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    names = [short(one.name, NAME) for one in known]
    traces, notes, shapes = [], [], []
    for row, one in enumerate(known):
        style = style_of(one.name, [each.name for each in groups], theme)
        mean = float(one.values.mean())
        traces.append(_dots(one, row, max(DOTS // len(known), 20), style.colour))
        hover = f"<b>{safe(one.name)}</b><br>mean {number(mean)} ({span(one.low, one.high)})"
        traces.append(dot_on_interval(mean, one.low, one.high, row=row, style=style, hover=hover, size=13))
        # Above its row, so that narrow screens keep their width for the scores.
        notes.append(
            note(safe(names[row]), 0, row, theme.ink, size=13, xref="paper", xanchor="left", yshift=25)
        )
        notes.append(beside(row, number(mean), things(len(one.values), "image"), theme, width=COLUMN))
        first, third = np.quantile(one.values, [0.25, 0.75])
        ends = first, row - 0.16, third, row + 0.34
        shapes.append(rectangle(*ends, {"width": 0}, layer="below", fillcolor=faded(style.fill, 0.18)))
    drawn = figure(
        theme=theme, height=ROW * len(known), left=14, right=COLUMN, bottom=44,
        title="How like the real images?", subtitle=f"{score} of each image, mean and 95% interval",
        traces=traces, notes=notes, shapes=shapes, hoverdistance=12,
        x=axis(theme, title="→ more like the real images", range=[-0.02, 1.02], tickformat=".1f"),
        y=row_axis([""] * len(names), theme, grid=False, automargin=False),
    )  # fmt: skip
    means = [f"{one.name} {number(float(one.values.mean()))}" for one in known]
    return Drawn(drawn, f"Mean {score} of each group: {listed(means)}.", HOW_TO_READ)


def _dots(one: ScoredGroup, row: int, most: int, colour: str) -> Parts:
    """The images as dots, those of equal scores side by side."""
    n = len(one.values)
    kept = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
    values = one.values[kept]
    # a fixed low-discrepancy sequence spreads equal scores over the row, the same way every time
    above = row + 0.09 + 0.42 * ((np.arange(len(values)) * 0.6180339887498949) % 1.0 - 0.5)
    return {
        "type": "scatter", "mode": "markers", "x": values, "y": above, "hovertemplate": HOVER,
        "hovertext": [f"{safe(one.name)}: {number(value)}" for value in values.tolist()],
        "marker": {"size": 5, "color": colour, "opacity": 0.45},
    }  # fmt: skip
