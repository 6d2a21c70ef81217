"""Parts that several figures share: a dot on its interval, rows of names, a number beside the plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.figures.frame import axis
from evalcore.figures.numbers import things
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.arrays import Offsets
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import SystemStyle, Theme
    from evalcore.model import Interval

ROW = 40
BETTER = "↑ better"
COLUMN = 96
"""Pixels of the column of numbers beside a plot."""
Y_AXIS = 66
"""Pixels of an upward axis with numbers and a title."""
HOVER = "%{hovertext}<extra></extra>"
"""Hover template: data reaches it through the field only, where it is escaped."""


def dot_on_interval(
    value: float, low: float, high: float, *, row: int, style: SystemStyle, hover: str, size: int = 11
) -> list[Parts]:
    """The value as the system's marker on its interval, which is a line; ``hover`` is the hover text, escaped
    already; a click carries the system's name.

    One trace, its ends without markers: plotly takes about as long for each trace as for what is in it.
    """
    trace = {
        "type": "scatter", "x": [low, value, high], "y": [row] * 3, "mode": "lines+markers",
        "name": safe(style.name), "line": {"color": style.colour, "width": 3},
        "customdata": [style.name] * 3, "hovertext": [hover] * 3, "hovertemplate": HOVER,
        "marker": {"size": [0, size, 0], "color": style.fill, "symbol": style.symbol, "opacity": 1,
                   "line": {"color": style.edge, "width": [0, 2, 0]}},
    }  # fmt: skip
    return [trace]


def beside(row: int, main: str, small: str, theme: Theme, *, width: int = COLUMN) -> Parts:
    """A number in ink over a smaller muted one, right-aligned beside the plot, as an annotation."""
    below = f"<br>{muted(safe(small), theme)}" if small else ""
    return {
        "text": f"<b>{safe(main)}</b>{below}", "align": "right", "showarrow": False,
        "xref": "paper", "x": 1, "xanchor": "right", "xshift": width, "y": row, "yref": "y",
        "font": {"size": 13, "color": theme.ink},
    }  # fmt: skip


def muted(text: str, theme: Theme) -> str:
    """Escaped text, smaller and in muted ink."""
    return f'<span style="font-size:11px;color:{theme.muted}">{text}</span>'


def row_axis(ticks: Sequence[str], theme: Theme, **options: Any) -> Parts:
    """A category axis that reads from the top down; ``ticks`` are escaped already."""
    return axis(
        theme, tickvals=list(range(len(ticks))), ticktext=list(ticks), range=[len(ticks) - 0.5, -0.5],
        tickfont={"size": 13, "color": theme.ink}, ticklabelstandoff=10, **options,
    )  # fmt: skip


def room_for(names: Iterable[str]) -> int:
    """Pixels a row axis with these names needs, for a fixed margin.

    plotly's automatic margin measures the texts, and then draws the whole figure a second time.
    """
    return 24 + round(7.2 * max((len(name) for name in names), default=0))


def score_axis(intervals: Iterable[Interval], theme: Theme, **options: Any) -> Parts:
    """A score axis from 0 to just beyond the largest mark."""
    return axis(theme, range=[0, ceiling(intervals)], **{"tickangle": 0} | options)


def ceiling(intervals: Iterable[Interval]) -> float:
    """Just beyond the largest mean or upper end; 1 when all are 0 or undefined."""
    ends = [x for i in intervals for x in (i.mean, i.high) if math.isfinite(x)]
    return 1.06 * max(ends, default=0.0) or 1.0


def level_line(x: float, theme: Theme, *, dash: str = "2px,3px", colour: str = "") -> Parts:
    """A vertical line through the whole plot, behind the marks: a mean, a cutoff, or zero."""
    line = {"color": colour or theme.muted, "width": 1.5, "dash": dash}
    return {
        "type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line, "layer": "below",
    }  # fmt: skip


def above_line(text: str, x: float, theme: Theme) -> Parts:
    """The name of a vertical line, over the plot, as an annotation."""
    return {
        "text": safe(text), "x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False,
        "font": {"size": 12, "color": theme.muted},
    }  # fmt: skip


def n_of(sizes: Iterable[int], one: str = "query", many: str = "queries") -> str:
    """How many count: "n = 300 queries", or the range when it differs between systems."""
    ordered = sorted(sizes)
    if ordered[0] < ordered[-1]:
        return f"n = {ordered[0]:,} to {ordered[-1]:,} {many}"
    return f"n = {things(ordered[0], one, many)}"


def by_id(query_ids: Sequence[str], kept: Iterable[int]) -> Offsets:
    """The kept positions in the order of their ids, so that ties fall the same way on every page."""
    return np.array(sorted((int(i) for i in kept), key=query_ids.__getitem__), dtype=np.int64)
