"""How good is each system for each kind of query? Means of systems x slices as a heat map with numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.slices.slicing import FEW
from evalcore.figures.cells import heat, numbers_in_cells
from evalcore.figures.colour import blend
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import figure, nothing
from evalcore.figures.marks import BETTER, across, column_axis, muted, rectangle, room_for, row_axis
from evalcore.figures.numbers import brief, number, span, things
from evalcore.figures.words import safe, short
from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Interval

HOW_TO_READ = Reading(
    "Each row is a group of queries, each column a system. Stronger colour means a better average. The frame "
    "in the first row marks the best average; further down, a system that is clearly better there.",
    "Mean over the queries of a slice with a value. First row: the frame marks the highest mean, without a "
    "test. Slices: a frame marks a system better than that one, corrected p < .05 over all systems and "
    "slices, at least 5 queries. Empty: no query has a value.",
)
NAME, SYSTEM = 32, 18
SHORTEST, ACROSS = 7, 98
"""Characters of a system's name at least, and of all names side by side on a narrow screen."""
ROW, SLANT = 34, 3.2
"""Pixels of a row, and above the cells of each character of a name, which is slanted on a narrow screen."""


class MapRow(NamedTuple):
    """One row: its name, the number of its queries, {system: mean with interval}, and which is framed.

    ``framed``: of all queries the system with the highest mean; of a slice one that is clearly better there,
    "" for none.
    """

    name: str
    n: int
    means: Mapping[str, Interval]
    framed: str = ""


def slice_map(rows: Sequence[MapRow], systems: Sequence[str], *, by: str, metric: str, theme: Theme) -> Drawn:
    """Slices down, systems across, in the orders given; the first row is that of all queries."""
    values = np.array([[row.means[name].mean for name in systems] for row in rows], float)
    if not np.isfinite(values).any():
        return nothing(f"No query has a value under {metric}.", HOW_TO_READ, theme=theme)
    names = [short(row.name, NAME) for row in rows]
    wide = max(SHORTEST, min(SYSTEM, ACROSS // len(systems)))
    ticks = [safe(short(name, wide)) for name in systems]
    few = [" · few" if row.n < FEW else "" for row in rows]
    labels = [
        f"{safe(name)}<br>{muted(f'n = {row.n:,}{mark}', theme)}"
        for name, row, mark in zip(names, rows, few, strict=True)
    ]
    drawn = figure(
        theme=theme, height=ROW * len(rows), left=room_for([*names, "n = 1,000"]), right=8, bottom=8,
        above=max(26, round(SLANT * max(map(len, ticks)))),
        title=f"Each system, by {short(by, 24)}", subtitle=f"{metric} · mean · {BETTER}",
        traces=[_cells(rows, systems, values, theme), *_numbers(values, theme)],
        shapes=[*_frames(rows, systems, theme), across(0.5, theme.muted, 1)],
        x=column_axis(ticks, theme, side="top", automargin=False),
        y=row_axis(labels, theme, grid=False, automargin=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(rows, metric), HOW_TO_READ)


def _cells(rows: Sequence[MapRow], systems: Sequence[str], values: Floats, theme: Theme) -> Parts:
    hover = [[_hover(row, name) for name in systems] for row in rows]
    return heat(values, (theme.surface, theme.up), *_range(values), hover=hover, xgap=3, ygap=3)


def _hover(row: MapRow, name: str) -> str:
    mean = row.means[name]
    return (
        f"<b>{safe(name)}</b><br>{safe(row.name)}: {number(mean.mean)} ({span(mean.low, mean.high)})<br>"
        f"{things(mean.n, 'query')} with a value"
    )


def _range(values: Floats) -> tuple[float, float]:
    """From no colour to full colour: the lowest and the highest mean; all in full where they are level."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low, high) if high - low > SAME else (high - 1.0, high)


def _numbers(values: Floats, theme: Theme) -> list[Parts]:
    low, high = _range(values)
    return numbers_in_cells(
        values, cell=lambda value: blend(theme.surface, theme.up, (value - low) / (high - low)),
        text=brief, size=12, theme=theme,
    )  # fmt: skip


def _frames(rows: Sequence[MapRow], systems: Sequence[str], theme: Theme) -> list[Parts]:
    """A frame around what a row names."""
    line = {"color": theme.ink, "width": 2}
    return [
        rectangle(j - 0.46, i - 0.42, j + 0.46, i + 0.42, line)
        for i, row in enumerate(rows)
        for j, name in enumerate(systems)
        if name == row.framed and math.isfinite(row.means[name].mean)
    ]


def _take_away(rows: Sequence[MapRow], metric: str) -> str:
    """The take-away: the best system overall, and where another is clearly better."""
    named = [
        f"{row.name} {row.framed} ({number(row.means[row.framed].mean)})"
        for row in rows
        if row.framed and math.isfinite(row.means[row.framed].mean)
    ]
    if not named:
        return f"Means of {metric} by system and group of queries."
    better = f"clearly better: {'; '.join(named[1:7])}" if named[1:] else "no other system is clearly better"
    rest = f"; and {len(named) - 7} more" if len(named) > 7 else ""
    return f"Highest mean of {metric}: {named[0]}; {better}{rest}."
