"""Parts that several figures share: a dot on its interval, rows of names, a number beside the plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evalcore.figures.frame import Parts, axis
from evalcore.figures.theme import Theme
from evalcore.values.arrays import Offsets
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import arrow, plural, pluralize, safe

COLUMN = 96
"""Pixels of the column of numbers beside a plot."""
Y_AXIS = 66
"""Pixels of an upward axis with numbers and a title."""
HOVER = "%{hovertext}<extra></extra>"
"""Hover template: data reaches it through the field only, where it is escaped."""


def better(lower: bool = False) -> str:
    """Which way along the scale of a measure is better, as an arrow and a word."""
    return f"{arrow(lower)} better"


def better_across(lower: bool = False) -> str:
    """The same along a horizontal axis, whose arrows point right or left."""
    return better(lower).translate(str.maketrans("↑↓", "→←"))


def scatter(x: object, y: object, mode: str, hover: object = None, **options: object) -> Parts:
    """plotly's trace of marks, lines or text ("markers", "lines+markers", "text"); ``hover``: texts, escaped
    already, None for no hover."""
    on_hover = {"hoverinfo": "skip"} if hover is None else {"hovertext": hover, "hovertemplate": HOVER}
    return on_hover | {"type": "scatter", "x": x, "y": y, "mode": mode, **options}


def bars(lengths: Sequence[float], hover: Sequence[str] | None, marker: Parts, **options: Any) -> Parts:
    """Bars to the right, the first on top; ``hover`` escaped already, None for no hover."""
    on_hover = {"hoverinfo": "skip"} if hover is None else {"hovertext": hover, "hovertemplate": HOVER}
    return on_hover | {
        "type": "bar",
        "orientation": "h",
        "x": lengths,
        "y": list(range(len(lengths))),
        "marker": marker,
        **options,
    }


def hatched(shape: str, theme: Theme) -> Parts:
    """plotly's ``pattern`` of bars: lines in the colour of the page over the bar's own; "" for none."""
    return {"shape": shape, "fgcolor": theme.surface, "fillmode": "overlay", "size": 6, "solidity": 0.25}


def note(text: str, x: float, y: float, colour: str, *, size: int = 12, **options: Any) -> Parts:
    """Text at a place of the plot, escaped already, as an annotation without an arrow."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "showarrow": False,
        "font": {"size": size, "color": colour},
        **options,
    }


def number_beside(row: int, main: str, small: str, theme: Theme, *, width: int = COLUMN) -> Parts:
    """A number in ink over a smaller muted one, right-aligned beside the plot, as an annotation."""
    below = f"<br>{muted(safe(small), theme)}" if small else ""
    return note(
        f"<b>{safe(main)}</b>{below}",
        1,
        row,
        theme.ink,
        size=13,
        align="right",
        xref="paper",
        yref="y",
        xanchor="right",
        xshift=width,
    )


def muted(text: str, theme: Theme) -> str:
    """Escaped text, smaller and in muted ink."""
    return f'<span style="font-size:11px;color:{theme.muted}">{text}</span>'


def row_axis(ticks: Sequence[str], theme: Theme, **options: Any) -> Parts:
    """A category axis that reads from the top down; ``ticks`` are escaped already."""
    return axis(
        theme,
        tickvals=list(range(len(ticks))),
        ticktext=list(ticks),
        range=[len(ticks) - 0.5, -0.5],
        tickfont={"size": 13, "color": theme.ink},
        ticklabelstandoff=10,
        **options,
    )


def column_ticks(ticks: Sequence[str], theme: Theme, *, colour: str = "") -> Parts:
    """Options of an axis of columns; ``ticks`` are escaped already, in ink or a colour."""
    return {
        "tickvals": list(range(len(ticks))),
        "ticktext": list(ticks),
        "range": [-0.5, len(ticks) - 0.5],
        "tickfont": {"size": 12, "color": colour or theme.ink},
    }


def column_axis(ticks: Sequence[str], theme: Theme, *, colour: str = "", **options: Any) -> Parts:
    """An axis of columns, without lines between them."""
    return axis(theme, **{**column_ticks(ticks, theme, colour=colour), "grid": False} | options)


def room_for(names: Iterable[str]) -> int:
    """Pixels a row axis with these names needs, for a fixed margin.

    plotly's automatic margin measures the texts, and then draws the whole figure a second time.
    """
    return 24 + round(7.2 * max((len(name) for name in names), default=0))


def ceiling(intervals: Iterable[Interval]) -> float:
    """Just beyond the largest mean or upper end; 1 when all are 0 or undefined."""
    ends = [x for i in intervals for x in (i.mean, i.high) if math.isfinite(x)]
    return 1.06 * max(ends, default=0.0) or 1.0


def ticks_to(largest: float) -> str:
    """d3's format of numbers up to ``largest`` on an axis: three digits; whole numbers written out."""
    return ".3~g" if largest < 1_000 else ",.0f"


def of_pairs(c: Comparison) -> str:
    """What a paired difference is, as the subtitle of a figure says it."""
    return "mean paired difference" if c.centre == "mean" else "difference of medians"


def toward_better(low: float, high: float, lower: bool) -> list[float]:
    """The range of an axis on which right, or up, is better: turned round where lower is better."""
    return [0.0 - low, 0.0 - high] if lower else [low, high]


def axis_range(values: Iterable[float], *, air: float, least: float) -> list[float]:
    """The range of an axis that covers all finite values, 0 to 1 without any, with a share of ``air`` on both
    sides; ``least`` where they are all the same."""
    known = [x for x in values if math.isfinite(x)] or [0.0, 1.0]
    room = air * (max(known) - min(known)) or least
    return [min(known) - room, max(known) + room]


def segment(
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    colour: str,
    width: float = 1.5,
    *,
    dash: str = "",
    **options: Any,
) -> Parts:
    """A straight line between two places, as a shape; ``dash``: lengths of dashes and gaps, "" for none."""
    line = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
    return {"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line, **options}


def across(y: float, colour: str, width: float = 1.5, **options: Any) -> Parts:
    """A horizontal line through the whole plot."""
    return segment(0, y, 1, y, colour, width, xref="paper", **options)


def rectangle(x0: float, y0: float, x1: float, y1: float, line: Parts, **options: Any) -> Parts:
    """A frame, or a filled area where ``fillcolor`` is among the options."""
    return {"type": "rect", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line, **options}


def level_line(
    x: float, theme: Theme, *, dash: str = "2px,3px", colour: str = "", width: float = 1.5
) -> Parts:
    """A vertical line through the whole plot, behind the marks: a mean, a cutoff, or zero."""
    return segment(x, 0, x, 1, colour or theme.muted, width, dash=dash, yref="paper", layer="below")


def above_line(text: str, x: float, theme: Theme) -> Parts:
    """The name of a vertical line, over the plot, as an annotation."""
    return note(safe(text), x, 1, theme.muted, yref="paper", yanchor="bottom")


def n_of(sizes: Iterable[int], unit: str = "query") -> str:
    """How many count: "n = 300 queries", or the range when it differs between systems."""
    return f"n = {how_many(sizes, unit)}"


def how_many(sizes: Iterable[int], unit: str = "query") -> str:
    """The same without the letter: "300 queries", "280 to 300 queries"."""
    ordered = sorted(sizes)
    if ordered[0] < ordered[-1]:
        return f"{ordered[0]:,} to {ordered[-1]:,} {plural(unit)}"
    return pluralize(ordered[0], unit)


def by_id(query_ids: Sequence[str], kept: Iterable[int]) -> Offsets:
    """The kept positions in the order of their ids, so that ties fall the same way on every page."""
    return np.array(sorted((int(i) for i in kept), key=query_ids.__getitem__), dtype=np.int64)
