"""Lines with interval bands, named at their right ends: what every score-against-something figure shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.frame import NO_AXIS, Parts, axis, figure
from evalcore.figures.marks import BETTER, above_line, level_line, muted, note, on_interval, reach, scatter
from evalcore.figures.theme import MARK_CONTRAST, SystemStyle, Theme, faded, readable
from evalcore.values.model import Interval
from evalcore.values.writing import brief, number, safe, short, span

LABEL_GAP = 19
"""Pixels between two names at the line ends."""
MARKED = 12
"""Up to so many places a line has a mark at each."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name, one interval per place, its look, and whether its name is bold."""

    name: str
    row: Sequence[Interval]
    style: SystemStyle
    bold: bool = False

    @property
    def has_value(self) -> bool:
        return any(math.isfinite(interval.mean) for interval in self.row)


def band_and_line(
    line: Line, at: Sequence[float], where: Callable[[float], str], *, mark: int
) -> list[Parts]:
    """The band of the intervals, then the line of the means with the system's markers.

    ``at``: places on the axis, ascending, one per interval of the line. NaN leaves a gap. ``where``: what the
    hover text says of a place, after the name. ``mark``: size of a mark, in pixels.
    """
    style, name = line.style, safe(line.name)
    sure = [(x, i) for x, i in zip(at, line.row, strict=True) if math.isfinite(i.low)]
    band = scatter(
        [x for x, _ in sure] + [x for x, _ in reversed(sure)],
        [i.high for _, i in sure] + [i.low for _, i in reversed(sure)],
        "lines",
        fill="toself",
        fillcolor=faded(style.fill, 0.15),
        line={"width": 0},
        name=name,
    )
    hover = [
        f"{safe(short(line.name, 24))}{where(x)}  {number(i.mean)}  ({span(i.low, i.high)})"
        for x, i in zip(at, line.row, strict=True)
    ]
    drawn = scatter(
        list(at),
        [i.mean for i in line.row],
        "lines+markers" if len(at) <= MARKED else "lines",
        hover,
        name=name,
        line=style.line(2.5),
        marker=style.marker(mark),
    )
    return [band, drawn]


def end_names(
    lines: Sequence[Line], at: Sequence[float], *, width: int, pixels: float, lowest: float = float("-inf")
) -> list[Parts]:
    """Names at the line ends in the systems' colours, moved apart, each tied to its end.

    ``at``: places as the axis counts them (logarithms on a logarithmic axis). ``width``: characters of a name
    at most. ``pixels``: pixels of one unit of the value. ``lowest``: pixels below which no name may stand.
    """
    ends = [max(j for j, i in enumerate(line.row) if math.isfinite(i.mean)) for line in lines]
    wanted = [pixels * line.row[j].mean for line, j in zip(lines, ends, strict=True)]
    placed = spread(wanted, LABEL_GAP, lowest, float("inf"))
    names = []
    for line, j, here, there in zip(lines, ends, wanted, placed, strict=True):
        text = safe(short(line.name, width))
        place = at[j], line.row[j].mean
        names.append(tied(f"<b>{text}</b>" if line.bold else text, place, here - there, line.style))
    return names


def tied(text: str, place: tuple[float, float], below: float, style: SystemStyle) -> Parts:
    """A name, escaped already, right of a place and so many pixels below it, with a line to it."""
    return note(
        text,
        *place,
        style.text,
        size=13,
        ax=22,
        ay=below,
        xanchor="left",
        align="left",
        showarrow=True,
        arrowhead=0,
        arrowwidth=1,
        arrowcolor=style.colour,
        standoff=5,
        borderpad=1,
    )


def room_for_names(lines: Sequence[Line], width: int) -> float:
    """Right margin that the names at the line ends need, in pixels."""
    return 28 + 7.2 * max(len(short(line.name, width)) for line in lines)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least ``gap`` apart, in the order of ``wanted`` and as near to it as possible.

    Least squares: subtract the gaps, pool neighbours that are out of order, add the gaps again. The
    result lies within ``low`` to ``high`` where that is wide enough.

    >>> spread([10, 11, 50], gap=10, low=0, high=100)
    [5.5, 15.5, 50.0]
    """
    order = np.argsort(wanted, kind="stable")
    pools: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        total, size = float(wanted[i]) - gap * rank, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before, n = pools.pop()
            total, size = total + before, size + n
        pools.append((total, size))
    room = max(low, high - gap * (len(order) - 1))
    flat = [min(max(total / size, low), room) for total, size in pools for _ in range(size)]
    placed = dict(zip(order.tolist(), (x + gap * rank for rank, x in enumerate(flat)), strict=True))
    return [placed[i] for i in range(len(order))]


# Measures by one statistic: a mark on its interval each, its name over it, and a line where chance lies.


class Mark(NamedTuple):
    """One measure: its name, the statistic (NaN for none) with its interval, and the hover text, escaped
    already; whether the mark is open, what a click carries, and its colour, the accent without one."""

    name: str
    value: float
    low: float
    high: float
    hover: str
    hollow: bool = False
    click: str | None = None
    colour: str = ""


def against_chance(
    marks: Sequence[Mark],
    *,
    statistic: str,
    chance: float,
    theme: Theme,
    row: int,
    width: int,
    title: str,
    subtitle: str,
) -> go.Figure:
    """The marks in the order given; those without a value are named only.

    ``row``: pixels of a row; ``width``: characters of a name at most.
    """
    known = [mark for mark in marks if math.isfinite(mark.value)]
    ends = [chance, *(x for mark in known for x in (mark.value, mark.low, mark.high))]
    lift = row // 4 + 7
    return figure(
        theme=theme,
        height=row * len(marks) + 8,
        left=8,
        right=8,
        bottom=48,
        above=18,
        title=title,
        subtitle=subtitle,
        traces=[_mark(mark, place, theme) for place, mark in enumerate(marks) if math.isfinite(mark.value)],
        notes=[
            *(text for place, mark in enumerate(marks) for text in _words(mark, place, width, lift, theme)),
            above_line("chance", chance, theme),
        ],
        shapes=[level_line(chance, theme)],
        x=axis(
            theme,
            title=safe(f"{statistic} · {BETTER.replace('↑', '→')}"),
            nticks=6,
            tickformat=".2~f",
            range=reach(ends, air=0.05, least=0.1),
            automargin=False,
        ),
        y=NO_AXIS | {"range": [len(marks) - 0.6, -0.9]},
    )


def _mark(mark: Mark, place: int, theme: Theme) -> Parts:
    colour = mark.colour or theme.accent
    return on_interval(
        mark.low,
        mark.value,
        mark.high,
        at=place,
        name=mark.name,
        hover=mark.hover,
        click=mark.click,
        colour=readable(colour, theme.surface, MARK_CONTRAST),
        fill=theme.surface if mark.hollow else colour,
    )


def _words(mark: Mark, place: int, width: int, lift: int, theme: Theme) -> list[Parts]:
    """Name and value over the mark, at both ends of the row: so they have room on a phone too."""
    ends = f"{brief(mark.low)} to {brief(mark.high)}" if math.isfinite(mark.low) else ""
    value = f"<b>{brief(mark.value)}</b> {muted(ends, theme)}"
    if not math.isfinite(mark.value):
        value = muted("no value", theme)
    return [
        note(
            text, x, place, theme.ink, size=13, xanchor=side, xref="paper", yshift=lift, bgcolor=theme.surface
        )
        for text, x, side in ((safe(short(mark.name, width)), 0, "left"), (value, 1, "right"))
    ]
