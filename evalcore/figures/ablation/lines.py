"""How does a score change as related concepts earn more? Lines against alpha, named at their right ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, faded, readable
from evalcore.figures.curves import LABEL_GAP, spread
from evalcore.figures.frame import axis, empty_figure, figure
from evalcore.figures.marks import BETTER, TOLD, above_line, ceiling, level_line, n_of
from evalcore.figures.theme import DASHES, OKABE_ITO, SYMBOLS, SystemStyle
from evalcore.figures.words import count, safe, short, span, three
from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.model import Interval

HEIGHT = 260
LABEL_WIDTH = 15
"""Characters of a name at a line's end at most."""
_OF_THRESHOLD = (None, OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[4])
"""Colours of the thresholds 0 to 4; the first, which is IoU, is grey."""


@dataclass(frozen=True, slots=True)
class AlphaLine:
    """One line: its name, one interval per alpha, its look, and whether it holds the setting in use."""

    name: str
    row: Sequence[Interval]
    style: SystemStyle
    current: bool = False


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where the order changes, marked by a ring; ``told`` says what happens there."""

    alpha: float
    value: float
    told: str


def threshold_style(threshold: int, theme: Theme) -> SystemStyle:
    """The fixed look of a threshold, 0 to 4, and its name in words."""
    fill = _OF_THRESHOLD[threshold] or theme.neutral
    line = readable(fill, theme.surface, MARK_CONTRAST)
    return SystemStyle(
        threshold_name(threshold), line, fill, line, readable(fill, theme.surface, TEXT_CONTRAST),
        SYMBOLS[threshold], DASHES[threshold],
    )  # fmt: skip


def threshold_name(threshold: int) -> str:
    """ "0 steps = IoU", "1 step", "2 steps"."""
    return "0 steps = IoU" if threshold == 0 else count(threshold, "step")


def alpha_lines(
    lines: Sequence[AlphaLine],
    alphas: Sequence[float],
    *,
    title: str,
    metric: str,
    theme: Theme,
    current: float | None = None,
    crossings: Sequence[Crossing] = (),
    zero: bool = False,
) -> go.Figure:
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
    shown = [line for line in lines if any(math.isfinite(i.mean) for i in line.row)]
    if not shown:
        return empty_figure(f"No query has a value under {metric}.", theme=theme, title=title)
    low, high = value_range(shown, zero=zero)
    height = max(HEIGHT, LABEL_GAP * len(shown))
    shapes, notes = [], _labels(shown, alphas, theme, height / (high - low))
    if current is not None:
        shapes.append(level_line(current, theme))
        notes.append(above_line("now", current, theme))
    traces = [trace for line in shown for trace in _line(alphas, line)]
    traces += [_mark(line, alphas, current) for line in shown if line.current and current in alphas]
    traces += [_rings(crossings, theme)] if crossings else []
    widest = max(len(short(line.name, LABEL_WIDTH)) for line in shown)
    return figure(
        theme=theme, height=height, title=title, right=28 + 7.2 * widest, bottom=46, above=14,
        subtitle=f"{metric} · {n_of(i.n for line in shown for i in line.row)}"
        f"{'' if zero else ' · axis not from 0'}",
        traces=traces, notes=notes, shapes=shapes, x=_alpha_axis(alphas, theme),
        y=axis(theme, title=BETTER, range=[low, high], nticks=6),
    )  # fmt: skip


def alpha_lines_alt(lines: Sequence[AlphaLine], alphas: Sequence[float], *, title: str, metric: str) -> str:
    """The take-away: the best place on each line, held against where the line begins."""
    shown = [line for line in lines if any(math.isfinite(i.mean) for i in line.row)]
    if not shown:
        return f"{title}: no query has a value under {metric}."
    told = []
    for line in shown:
        means = [i.mean for i in line.row]
        best = int(np.nanargmax(means))
        told.append(
            f"{line.name}: {three(means[0])} at α {alphas[0]:g}, "
            + ("the same throughout" if max(means) - min(means) <= SAME
               else f"highest {three(means[best])} at α {alphas[best]:g}, {three(means[-1])} at the end")
        )  # fmt: skip
    return f"{title}, {metric} against α. {'; '.join(told)}."


def value_range(lines: Sequence[AlphaLine], *, zero: bool = False) -> tuple[float, float]:
    """The range of an axis that holds all intervals of the lines, with some air."""
    every = [i for line in lines for i in line.row]
    if zero:
        return 0.0, ceiling(every)
    ends = [x for i in every for x in (i.mean, i.low, i.high) if math.isfinite(x)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    air = 0.08 * (high - low) or 0.05
    return low - air, high + air


def _line(alphas: Sequence[float], line: AlphaLine) -> list[Parts]:
    style, sure = line.style, [
        (a, i) for a, i in zip(alphas, line.row, strict=True) if math.isfinite(i.low)
    ]  # fmt: skip
    band = {
        "type": "scatter", "x": [a for a, _ in sure] + [a for a, _ in reversed(sure)],
        "y": [i.high for _, i in sure] + [i.low for _, i in reversed(sure)],
        "fill": "toself", "fillcolor": faded(style.fill, 0.13), "mode": "lines", "line": {"width": 0},
        "hoverinfo": "skip", "name": safe(line.name),
    }  # fmt: skip
    told = [
        f"{safe(short(line.name, 24))}, α {a:g}: {three(i.mean)}  ({span(i.low, i.high)})"
        for a, i in zip(alphas, line.row, strict=True)
    ]
    drawn = {
        "type": "scatter", "x": list(alphas), "y": [i.mean for i in line.row], "name": safe(line.name),
        "mode": "lines+markers" if len(alphas) <= 12 else "lines",
        "line": {"color": style.colour, "width": 2.5, "dash": style.dash},
        "marker": {"size": 6, "color": style.fill, "symbol": style.symbol,
                   "line": {"color": style.edge, "width": 1}},
        "hovertext": told, "hovertemplate": TOLD,
    }  # fmt: skip
    return [band, drawn]


def _mark(line: AlphaLine, alphas: Sequence[float], current: float | None) -> Parts:
    """The setting in use, a larger mark on its line."""
    i = line.row[list(alphas).index(current)]  # type: ignore[arg-type]
    return {
        "type": "scatter", "x": [current], "y": [i.mean], "mode": "markers", "name": safe(line.name),
        "hovertext": [f"now: {safe(short(line.name, 24))}, {three(i.mean)}"], "hovertemplate": TOLD,
        "marker": {"size": 13, "color": line.style.fill, "symbol": line.style.symbol,
                   "line": {"color": line.style.edge, "width": 2}},
    }  # fmt: skip


def _rings(crossings: Sequence[Crossing], theme: Theme) -> Parts:
    return {
        "type": "scatter", "x": [c.alpha for c in crossings], "y": [c.value for c in crossings],
        "mode": "markers", "hovertext": [safe(c.told) for c in crossings], "hovertemplate": TOLD,
        "name": "the order changes",
        "marker": {"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 1.75}},
    }  # fmt: skip


def _labels(
    lines: Sequence[AlphaLine], alphas: Sequence[float], theme: Theme, pixels: float
) -> list[Parts]:  # fmt: skip
    """Names at the line ends, moved apart, each tied to its end; the line in use is bold."""
    ends = [max(j for j, i in enumerate(line.row) if math.isfinite(i.mean)) for line in lines]
    wanted = [pixels * line.row[j].mean for line, j in zip(lines, ends, strict=True)]
    placed = spread(wanted, LABEL_GAP, float("-inf"), float("inf"))
    labels = []
    for line, j, here, there in zip(lines, ends, wanted, placed, strict=True):
        text = safe(short(line.name, LABEL_WIDTH))
        labels.append({
            "text": f"<b>{text}</b>" if line.current else text, "x": alphas[j], "y": line.row[j].mean,
            "ax": 20, "ay": here - there, "xanchor": "left", "align": "left", "showarrow": True,
            "arrowhead": 0, "arrowwidth": 1, "arrowcolor": line.style.colour, "standoff": 5,
            "font": {"size": 13, "color": line.style.text or theme.ink}, "borderpad": 1,
        })  # fmt: skip
    return labels


def _alpha_axis(alphas: Sequence[float], theme: Theme) -> Parts:
    low, high = min(alphas), max(alphas)
    pad = 0.03 * (high - low) or 0.05
    return axis(
        theme, title="α: credit for related findings", grid=False, range=[low - pad, high + pad], nticks=6
    )
