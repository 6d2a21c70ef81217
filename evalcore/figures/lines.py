"""The family of lines: with bands of intervals, named at their right ends, or below them on a phone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, log10

import numpy as np

from evalcore.figures import marks
from evalcore.figures.frame import PLACES, SIX, AccessibleFigure, Parts, Reading, axis, figure, spoken
from evalcore.figures.theme import SystemStyle, Theme, faded
from evalcore.values.arrays import Floats
from evalcore.values.model import Interval
from evalcore.values.writing import number, safe, short, span

GAP = 19
"""Pixels between two names at the line ends."""
NAME, WIDE, WIDE_NAME = 20, 700, 28
"""Characters of a name; pixels from which names have more room, and their characters there."""
MARKED = 12
"""Up to so many places a line has a mark at each."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of means: its name, one interval per place, its look, and whether its name is bold."""

    name: str
    row: Sequence[Interval]
    style: SystemStyle
    bold: bool = False

    @property
    def has_value(self) -> bool:
        return any(isfinite(interval.mean) for interval in self.row)


@dataclass(frozen=True, slots=True)
class Curve:
    """A line as it is drawn: places and heights (NaN leaves a gap), hover texts, escaped already.

    ``band``: (place, low, high) of the intervals. ``mark``: pixels of a mark at each place, 0 for none.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float] | Floats
    style: SystemStyle
    hover: Sequence[str]
    band: Sequence[tuple[float, float, float]] | None = None
    bold: bool = False
    mark: int = 0
    width: float = 2.5


def curve_of(line: Line, at: Sequence[float], where: Callable[[float], str], *, mark: int) -> Curve:
    """The means and the band of a line; ``where``: what the hover text says of a place, after the name."""
    row = line.row
    hover = [
        f"{safe(short(line.name, 24))}{where(x)}  {number(i.mean)}  ({span(i.low, i.high)})"
        for x, i in zip(at, row, strict=True)
    ]
    band = [(x, i.low, i.high) for x, i in zip(at, row, strict=True) if isfinite(i.low)]
    mark = mark if len(at) <= MARKED else 0
    return Curve(line.name, list(at), [i.mean for i in row], line.style, hover, band, line.bold, mark)


def lines(
    curves: Sequence[Curve],
    *,
    x: Parts,
    y: Parts,
    title: str,
    subtitle: str,
    theme: Theme,
    reading: Reading,
    alt: str = "",
    height: float = 300,
    bottom: float = 48,
    over: Sequence[Parts] = (),
    upright: tuple[float, str] | None = None,
    **layout: object,
) -> AccessibleFigure:
    """The curves, each named at its right end, where names are moved apart.

    ``x``, ``y``: options of the axes (`axis`); y has its range (logarithms on a logarithmic axis).
    ``alt``: the take-away, where that is not each curve with its ends. ``over``: traces over the lines.
    ``upright``: place and name of a dotted line. ``layout``: further ones of plotly's layout.
    """
    height, name = max(height, GAP * len(curves)), WIDE_NAME if theme.width >= WIDE else NAME
    log_x, log_y = (side.get("type") == "log" for side in (x, y))
    notes = _end_names(curves, name, height, y["range"], log_x, log_y)
    shapes = []
    if upright is not None:
        shapes.append(marks.level_line(upright[0], theme))
        notes.append(marks.above_line(upright[1], log10(upright[0]) if log_x else upright[0], theme))
    drawn = figure(
        theme=theme,
        height=height,
        title=title,
        subtitle=subtitle,
        left=marks.Y_AXIS,
        right=28 + 7.2 * max(len(short(curve.name, name)) for curve in curves),
        bottom=bottom,
        above=14,
        traces=[*(trace for curve in curves for trace in _traces(curve)), *over],
        notes=notes,
        shapes=shapes,
        x=axis(theme, **PLACES | x),
        y=axis(theme, **SIX | y),
        **layout,
    )
    return AccessibleFigure(drawn, alt or spoken(f"{title}, {subtitle}", list(map(_spoken, curves))), reading)


def _spoken(curve: Curve) -> str:
    """The name of a curve and its heights at both ends."""
    known = [(x, float(y)) for x, y in zip(curve.x, curve.y, strict=True) if isfinite(y)]
    return (
        f"{curve.name} {', '.join(f'{number(y)} at {x:g}' for x, y in dict.fromkeys((known[0], known[-1])))}"
    )


def _traces(curve: Curve) -> list[Parts]:
    """The band, where there is one, then the line with the marks of its system."""
    style, name, parts = curve.style, safe(curve.name), []
    if curve.band is not None:
        around = [(x, high) for x, _, high in curve.band] + [(x, low) for x, low, _ in reversed(curve.band)]
        parts.append(
            marks.scatter(
                [x for x, _ in around],
                [y for _, y in around],
                "lines",
                fill="toself",
                fillcolor=faded(style.fill, 0.15),
                line={"width": 0},
                name=name,
            )
        )
    mode, look = "lines+markers" if curve.mark else "lines", style.line(curve.width)
    drawn = marks.scatter(curve.x, curve.y, mode, curve.hover, name=name, line=look)
    return [*parts, drawn | {"marker": style.marker(curve.mark or 6)}]


def _end_names(
    curves: Sequence[Curve], width: int, height: float, ends: Sequence[float], log_x: bool, log_y: bool
) -> list[Parts]:
    """Names at the line ends in the systems' colours, moved apart, each tied to its end."""
    places = []
    for curve in curves:
        last = max(i for i, y in enumerate(curve.y) if isfinite(y))
        x, y = float(curve.x[last]), float(curve.y[last])
        places.append((log10(x) if log_x else x, log10(y) if log_y else y))
    wanted = [height * (y - ends[0]) / (ends[1] - ends[0]) for _, y in places]
    names = []
    for curve, place, here, there in zip(curves, places, wanted, spread(wanted, GAP), strict=True):
        text, style = safe(short(curve.name, width)), curve.style
        names.append(
            marks.note(
                f"<b>{text}</b>" if curve.bold else text,
                *place,
                style.text,
                size=13,
                ax=22,
                ay=here - there,
                xanchor="left",
                align="left",
                showarrow=True,
                arrowhead=0,
                arrowwidth=1,
                arrowcolor=style.colour,
                standoff=5,
                borderpad=1,
            )
        )
    return names


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Positions from 0 on, at least ``gap`` apart, in the order of ``wanted`` and as near to it as possible.

    Least squares: subtract the gaps, pool neighbours that are out of order, add the gaps again.

    >>> spread([10, 11, 50], gap=10)
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
    placed = np.empty(len(order))
    placed[order] = [max(total / size, 0.0) for total, size in pools for _ in range(size)]
    placed[order] += gap * np.arange(len(order))
    return placed.tolist()
