"""Lines with interval bands, named at their right ends: what every score-against-something figure shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.colour import faded
from evalcore.figures.marks import HOVER, note
from evalcore.figures.numbers import number, span
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import SystemStyle
    from evalcore.values.model import Interval

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

    Parameters
    ----------
    at
        Places on the axis, ascending, one per interval of the line. NaN leaves a gap.
    where
        What the hover text says of a place, after the name.
    mark
        Size of a mark, in pixels.
    """
    style, name = line.style, safe(line.name)
    sure = [(x, i) for x, i in zip(at, line.row, strict=True) if math.isfinite(i.low)]
    band = {
        "type": "scatter", "x": [x for x, _ in sure] + [x for x, _ in reversed(sure)],
        "y": [i.high for _, i in sure] + [i.low for _, i in reversed(sure)],
        "fill": "toself", "fillcolor": faded(style.fill, 0.15), "mode": "lines", "line": {"width": 0},
        "hoverinfo": "skip", "name": name,
    }  # fmt: skip
    hover = [
        f"{safe(short(line.name, 24))}{where(x)}  {number(i.mean)}  ({span(i.low, i.high)})"
        for x, i in zip(at, line.row, strict=True)
    ]
    drawn = {
        "type": "scatter", "x": list(at), "y": [i.mean for i in line.row], "name": name,
        "mode": "lines+markers" if len(at) <= MARKED else "lines", "line": style.line(2.5),
        "marker": style.marker(mark), "hovertext": hover, "hovertemplate": HOVER,
    }  # fmt: skip
    return [band, drawn]


def end_names(
    lines: Sequence[Line], at: Sequence[float], *, width: int, pixels: float, lowest: float = float("-inf")
) -> list[Parts]:  # fmt: skip
    """Names at the line ends in the systems' colours, moved apart, each tied to its end.

    Parameters
    ----------
    at
        Places as the axis counts them (logarithms on a logarithmic axis).
    width
        Characters of a name at most.
    pixels
        Pixels of one unit of the value.
    lowest
        Pixels below which no name may stand.
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
        text, *place, style.text, size=13, ax=22, ay=below, xanchor="left", align="left", showarrow=True,
        arrowhead=0, arrowwidth=1, arrowcolor=style.colour, standoff=5, borderpad=1,
    )  # fmt: skip


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
