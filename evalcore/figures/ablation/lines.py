"""How does a score change as related concepts earn more? Lines against alpha, named at their right ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.bands import LABEL_GAP, Line, band_and_line, end_names, room_for_names
from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import BETTER, HOVER, above_line, ceiling, ends_of, level_line, n_of, reach
from evalcore.figures.numbers import number, things
from evalcore.figures.theme import DASHES, OKABE_ITO, SYMBOLS, SystemStyle
from evalcore.figures.words import safe, short
from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "Moving right gives more credit to related (not identical) concepts. A ring marks where two lines "
    "cross; the dotted line is the setting in use.",
    "Mean at each α with its bootstrap interval over queries, pointwise; rings: linear "
    "interpolation between the values of α tried.",
)
HEIGHT = 260
LABEL_WIDTH = 15
"""Characters of a name at a line's end at most."""
_OF_THRESHOLD = (None, OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[4])
"""Colours of the thresholds 0 to 4; the first, which is IoU, is grey."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where the order changes, marked by a ring; ``hover`` says what happens there."""

    alpha: float
    value: float
    hover: str


def threshold_style(threshold: int, theme: Theme) -> SystemStyle:
    """The fixed look of a threshold, 0 to 4, and its name in words."""
    fill = _OF_THRESHOLD[threshold] or theme.neutral
    line = readable(fill, theme.surface, MARK_CONTRAST)
    return SystemStyle(
        threshold_name(threshold), line, fill, readable(fill, theme.surface, TEXT_CONTRAST),
        SYMBOLS[threshold], DASHES[threshold],
    )  # fmt: skip


def threshold_name(threshold: int) -> str:
    """ "0 steps = IoU", "1 step", "2 steps"."""
    return "0 steps = IoU" if threshold == 0 else things(threshold, "step")


def alpha_lines(
    lines: Sequence[Line], alphas: Sequence[float], *, title: str, metric: str, theme: Theme,
    current: float | None = None, crossings: Sequence[Crossing] = (), zero: bool = False,
) -> Drawn:  # fmt: skip
    """A score against alpha with interval bands, one line per threshold or per system.

    Parameters
    ----------
    lines
        NaN means leave a gap; a line without any value is left out.
    alphas
        Ascending, as many as every row has intervals.
    title, metric
        What the lines are about, and the score on the axis.
    current
        The alpha in use, marked by a dotted line; the line in use has a larger mark there.
    crossings
        Places where one line overtakes another.
    zero
        Whether the axis starts at 0. It does not by default, so that small changes can be seen, and
        the subtitle says so.
    """
    shown = [line for line in lines if line.has_value]
    if not shown:
        return nothing(f"No query has a value under {metric}.", HOW_TO_READ, theme=theme, title=title)
    low, high = value_range(shown, zero=zero)
    height = max(HEIGHT, LABEL_GAP * len(shown))
    shapes, notes = [], end_names(shown, alphas, width=LABEL_WIDTH, pixels=height / (high - low))
    if current is not None:
        shapes.append(level_line(current, theme))
        notes.append(above_line("now", current, theme))
    traces = [
        trace for line in shown for trace in band_and_line(line, alphas, lambda a: f", α {a:g}:", mark=6)
    ]
    traces += [_mark(line, alphas, current) for line in shown if line.bold and current in alphas]
    traces += [_rings(crossings, theme)] if crossings else []
    drawn = figure(
        theme=theme, height=height, title=title, bottom=46, above=14,
        right=room_for_names(shown, LABEL_WIDTH),
        subtitle=f"{metric} · {n_of(i.n for line in shown for i in line.row)}"
        f"{'' if zero else ' · axis not from 0'}",
        traces=traces, notes=notes, shapes=shapes, x=_alpha_axis(alphas, theme),
        y=axis(theme, title=BETTER, range=[low, high], nticks=6),
    )  # fmt: skip
    return Drawn(drawn, _take_away(shown, alphas, title, metric), HOW_TO_READ)


def _take_away(shown: Sequence[Line], alphas: Sequence[float], title: str, metric: str) -> str:
    """The best place on each line, held against where the line begins."""
    summary = []
    for line in shown:
        means = [i.mean for i in line.row]
        best = int(np.nanargmax(means))
        summary.append(
            f"{line.name}: {number(means[0])} at α {alphas[0]:g}, "
            + ("the same throughout" if max(means) - min(means) <= SAME
               else f"highest {number(means[best])} at α {alphas[best]:g}, {number(means[-1])} at the end")
        )  # fmt: skip
    return f"{title}, {metric} against α. {'; '.join(summary)}."


def value_range(lines: Sequence[Line], *, zero: bool = False) -> tuple[float, float]:
    """The range of an axis that holds all intervals of the lines, with some air."""
    every = [i for line in lines for i in line.row]
    if zero:
        return 0.0, ceiling(every)
    low, high = reach(ends_of(every), air=0.08, least=0.05)
    return low, high


def _mark(line: Line, alphas: Sequence[float], current: float | None) -> Parts:
    """The setting in use, a larger mark on its line."""
    i = line.row[list(alphas).index(current)]  # type: ignore[arg-type]
    return {
        "type": "scatter", "x": [current], "y": [i.mean], "mode": "markers", "name": safe(line.name),
        "hovertext": [f"now: {safe(short(line.name, 24))}, {number(i.mean)}"], "hovertemplate": HOVER,
        "marker": line.style.marker(13, 2),
    }  # fmt: skip


def _rings(crossings: Sequence[Crossing], theme: Theme) -> Parts:
    return {
        "type": "scatter", "x": [c.alpha for c in crossings], "y": [c.value for c in crossings],
        "mode": "markers", "hovertext": [safe(c.hover) for c in crossings], "hovertemplate": HOVER,
        "name": "the order changes",
        "marker": {"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 1.75}},
    }  # fmt: skip


def _alpha_axis(alphas: Sequence[float], theme: Theme) -> Parts:
    low, high = min(alphas), max(alphas)
    pad = 0.03 * (high - low) or 0.05
    return axis(
        theme, title="Credit for related concepts (α)", grid=False, range=[low - pad, high + pad], nticks=6
    )
