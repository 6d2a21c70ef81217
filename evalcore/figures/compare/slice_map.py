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

    from evalcore.arrays import Floats
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.model import Interval

HOW_TO_READ = Reading(
    "Each row is one kind of query, each column a system. Stronger colour means a better average; the frame "
    "marks the best of the row. A frame in a different column from the first row means a different winner.",
    "Mean over the queries of a slice with a value. Frames mark the highest mean of a row (level ones too), "
    "without a test. Empty: no query has a value.",
)
NAME, SYSTEM = 32, 18
SHORTEST, ACROSS = 7, 98
"""Characters of a system's name at least, and of all names side by side on a narrow screen."""
ROW, SLANT = 34, 3.2
"""Pixels of a row, and above the cells of each character of a name, which is slanted on a narrow screen."""


class MapRow(NamedTuple):
    """One row: its name, the number of its queries, and {system: mean with interval}."""

    name: str
    n: int
    means: Mapping[str, Interval]


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
        shapes=[*_best(values, theme), across(0.5, theme.muted, 1)],
        x=column_axis(ticks, theme, side="top", automargin=False),
        y=row_axis(labels, theme, grid=False, automargin=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(rows, systems, values, metric), HOW_TO_READ)


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


def _best(values: Floats, theme: Theme) -> list[Parts]:
    """A frame around the highest mean of each row, and those level with it."""
    line = {"color": theme.ink, "width": 2}
    return [
        rectangle(j - 0.46, i - 0.42, j + 0.46, i + 0.42, line)
        for i, row in enumerate(values)
        if np.isfinite(row).any()
        for j in np.flatnonzero(row >= np.nanmax(row) - SAME).tolist()
    ]


def _take_away(rows: Sequence[MapRow], systems: Sequence[str], values: Floats, metric: str) -> str:
    """The take-away: the best system of every row."""
    best = [
        f"{row.name} {systems[int(np.nanargmax(means))]} ({number(float(np.nanmax(means)))})"
        for row, means in zip(rows, values, strict=True)
        if math.isfinite(float(np.max(means, where=np.isfinite(means), initial=-np.inf)))
    ]
    rest = f"; and {len(best) - 6} more" if len(best) > 6 else ""
    return f"Highest mean of {metric} in each row: {'; '.join(best[:6])}{rest}."
