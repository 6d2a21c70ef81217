"""For which kinds of queries do two systems differ? The paired difference slice by slice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.evaluate.slices import FEW
from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.leaderboard import farthest
from evalcore.figures.theme import MARK_CONTRAST, TEXT_CONTRAST, Theme, blend, pair_of, readable
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import (
    brief,
    extreme,
    number,
    p_equals,
    pluralize,
    safe,
    short,
    signed,
    signed_span,
    span,
    upper_first,
)

HOW_TO_READ = Reading(
    "Right of the line the first system is better for these queries, left of it the second. Grey: may be "
    "chance. Open marks: very few queries. Select a mark to see only these queries.",
    "Mean paired difference over the queries of a group scored for both; bootstrap interval; two-sided "
    "paired permutation test, p corrected over the comparisons of all systems chosen times the groups (all "
    "queries: as it is). Colour: p < .05. Open marks: fewer than 5 queries. Selecting a mark adds the "
    "conditions of a group to the filter.",
)
NAME = 32
ROW = 34
SIDE = 108
"""Pixels of a row, and of the column of numbers."""


class Row(NamedTuple):
    """One row: its name, the comparison (system minus baseline), what a click on it carries ("" nothing)."""

    name: str
    comparison: Comparison
    click: str = ""


def slice_forest(overall: Comparison, rows: Sequence[Row], *, by: str, theme: Theme) -> Drawn:
    """The difference over all queries, then slice by slice, in the order given.

    A slice without a query with a value for both keeps its row, without a mark.
    """
    c = overall
    if not any(math.isfinite(row.comparison.difference) for row in rows):
        return nothing(
            f"No query has a value for both {c.system} and {c.baseline}.", HOW_TO_READ, theme=theme
        )
    everyone = [Row("All queries", overall), *rows]
    traces = [
        _mark(row, place, theme)
        for place, row in enumerate(everyone)
        if math.isfinite(row.comparison.difference)
    ]
    notes = [_forest_numbers(row, place, theme, tested=place > 0) for place, row in enumerate(everyone)]
    names = [short(row.name, NAME) for row in everyone]
    drawn = figure(
        theme=theme,
        height=ROW * len(everyone) + 8,
        left=marks.room_for([*names, "n = 1,000"]),
        right=SIDE,
        bottom=48,
        title=f"{short(c.system, 24)} − {short(c.baseline, 24)}, by {short(by, 24)}",
        subtitle=f"{c.metric} · {marks.of_pairs(c)} and its {c.level:.0%} interval",
        traces=traces,
        notes=notes,
        shapes=[marks.level_line(0, theme, dash="solid", colour=theme.ink), marks.across(0.5, theme.grid)],
        x=axis(
            theme,
            title=safe(f"difference (right of 0: {short(c.system, 20)} better)"),
            range=_reach(everyone),
            nticks=6,
            tickformat=marks.ticks_to(farthest(row.comparison for row in everyone)),
            automargin=False,
        ),
        y=marks.row_axis(
            [_label(row, name, theme) for row, name in zip(everyone, names, strict=True)],
            theme,
            automargin=False,
        ),
    )
    return Drawn(drawn, _forest_take_away(overall, rows, by), HOW_TO_READ)


def _label(row: Row, name: str, theme: Theme) -> str:
    few = " · few" if row.comparison.n_pairs < FEW else ""
    return f"{safe(name)}<br>{marks.muted(f'n = {row.comparison.n_pairs:,}{few}', theme)}"


def _mark(row: Row, place: int, theme: Theme) -> Parts:
    """A square on its interval: blue right of 0, orange left of it, grey where chance may explain it."""
    c, colour = row.comparison, _colour(row.comparison, theme)
    line = readable(colour, theme.surface, MARK_CONTRAST)
    small = c.n_pairs < FEW
    return marks.on_interval(
        c.low,
        c.difference,
        c.high,
        at=place,
        name=row.name,
        hover=_forest_hover(row),
        colour=line,
        fill=theme.surface if small else colour,
        symbol="square" if place else "diamond",
        size=10 if place else 13,
        width=1.5 if small else 3,
        click=row.click,
    )


def _forest_hover(row: Row) -> str:
    c = row.comparison
    return (
        f"<b>{safe(row.name)}</b><br>{safe(c.system)} − {safe(c.baseline)} {_signed(c.difference)}<br>"
        f"{c.level:.0%} interval {signed_span(c.low, c.high)}<br>{safe(p_equals(c.p))}, corrected "
        f"{safe(p_equals(c.p_corrected))}<br>"
        f"{pluralize(c.n_pairs, 'query')}: {c.wins:,} better, {c.ties:,} tied, {c.losses:,} worse"
    )


def _forest_numbers(row: Row, place: int, theme: Theme, *, tested: bool) -> Parts:
    """The difference and its p beside the plot; "no value" where there is none."""
    c = row.comparison
    if not math.isfinite(c.difference):
        return marks.beside(place, "–", "no value", theme, width=SIDE)
    p = p_equals(c.p_corrected) if tested and c.correction != "none" else p_equals(c.p)
    note = marks.beside(place, _signed(c.difference), p, theme, width=SIDE)
    if c.p_corrected < CLEAR:
        note["font"] = {"size": 13, "color": readable(_colour(c, theme), theme.surface, TEXT_CONTRAST)}
    return note


def _colour(c: Comparison, theme: Theme) -> str:
    if not c.p_corrected < CLEAR:
        return theme.neutral
    first, second = pair_of(c.system, c.baseline, theme)
    return first if c.lead > 0 else second


def _signed(value: float) -> str:
    """A difference; 0 where only the rounding of sums is left of it."""
    return signed(value if abs(value) > SAME else 0.0)


def _reach(rows: Sequence[Row]) -> list[float]:
    """Axis range, symmetric around 0; the intervals of tiny slices count as the others do."""
    reach = farthest(row.comparison for row in rows)
    return marks.toward_better(-reach, reach, rows[0].comparison.lower_is_better)


def _forest_take_away(overall: Comparison, rows: Sequence[Row], by: str) -> str:
    """The take-away: overall, and the slices where the first is better, and worse, by most."""
    c = overall
    known = sorted(
        (row for row in rows if math.isfinite(row.comparison.difference)), key=lambda row: row.comparison.lead
    )
    ends = [_one(row) for row in dict.fromkeys((known[-1], known[0]))]
    start = f"{c.system} minus {c.baseline} under {c.metric}: {_signed(c.difference)} over all queries"
    way = "lowest to the highest" if c.lower_is_better else "highest to the lowest"
    return f"{start}; by {by} from the {way}: {' and '.join(ends)}."


def _one(row: Row) -> str:
    c, n = row.comparison, pluralize(row.comparison.n_pairs, "query")
    return f"{row.name} {_signed(c.difference)} ({n}, {p_equals(c.p_corrected)})"


# How good is each system for each kind of query? Means of systems x slices as a heat map with numbers.

SLICE_MAP_READING = Reading(
    "Each row is a group of queries, each column a system. Stronger colour means a better average. The frame "
    "in the first row marks the best average; further down, a system that is clearly better there.",
    "Mean over the queries of a slice with a value. First row: the frame marks the best mean, without a "
    "test. Slices: a frame marks a system better than that one, corrected p < .05 over all systems and "
    "slices, at least 5 queries. Empty: no query has a value.",
)
NAME_SLICE_MAP, SYSTEM = 32, 18
SHORTEST, ACROSS = 7, 98
"""Characters of a system's name at least, and of all names side by side on a narrow screen."""
ROW_SLICE_MAP, SLANT = 34, 3.2
"""Pixels of a row, and above the cells of each character of a name, which is slanted on a narrow screen."""


class MapRow(NamedTuple):
    """One row: its name, the number of its queries, {system: mean with interval}, and which is framed.

    ``framed``: of all queries the system with the best mean; of a slice one that is clearly better there,
    "" for none.
    """

    name: str
    n: int
    means: Mapping[str, Interval]
    framed: str = ""


def slice_map(rows: Sequence[MapRow], systems: Sequence[str], *, by: str, metric: str, theme: Theme) -> Drawn:
    """Slices down, systems across, in the orders given; the first row is that of all queries."""
    values = np.array([[row.means[name].mean for name in systems] for row in rows], float)
    first = next(iter(rows[0].means.values()))
    if not np.isfinite(values).any():
        return nothing(f"No query has a value under {metric}.", SLICE_MAP_READING, theme=theme)
    shades = _shades(values, first.lower_is_better, theme)
    names = [short(row.name, NAME_SLICE_MAP) for row in rows]
    wide = max(SHORTEST, min(SYSTEM, ACROSS // len(systems)))
    ticks = [safe(short(name, wide)) for name in systems]
    few = [" · few" if row.n < FEW else "" for row in rows]
    labels = [
        f"{safe(name)}<br>{marks.muted(f'n = {row.n:,}{mark}', theme)}"
        for name, row, mark in zip(names, rows, few, strict=True)
    ]
    drawn = figure(
        theme=theme,
        height=ROW_SLICE_MAP * len(rows),
        left=marks.room_for([*names, "n = 1,000"]),
        right=8,
        bottom=8,
        above=max(26, round(SLANT * max(map(len, ticks)))),
        title=f"Each system, by {short(by, 24)}",
        subtitle=f"{metric} · {first.centre} · {marks.better(first.lower_is_better)}",
        traces=[_cells(rows, systems, values, shades), *_numbers(values, shades, theme)],
        shapes=[*_frames(rows, systems, theme), marks.across(0.5, theme.muted, 1)],
        x=marks.column_axis(ticks, theme, side="top", automargin=False),
        y=marks.row_axis(labels, theme, grid=False, automargin=False),
    )
    return Drawn(drawn, _take_away(rows, metric), SLICE_MAP_READING)


class Shades(NamedTuple):
    """Two colours, and the values that have them; in between they are blended."""

    colours: tuple[str, str]
    low: float
    high: float


def _shades(values: Floats, lower: bool, theme: Theme) -> Shades:
    """From no colour for the worst mean to full colour for the best; all in full where they are level."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    level = high - low <= SAME
    if lower:
        return Shades((theme.up, theme.surface), low, low + 1.0 if level else high)
    return Shades((theme.surface, theme.up), high - 1.0 if level else low, high)


def _cells(rows: Sequence[MapRow], systems: Sequence[str], values: Floats, shades: Shades) -> Parts:
    hover = [[_hover(row, name) for name in systems] for row in rows]
    return marks.heat(values, *shades, hover=hover, xgap=3, ygap=3)


def _hover(row: MapRow, name: str) -> str:
    mean = row.means[name]
    return (
        f"<b>{safe(name)}</b><br>{safe(row.name)}: {number(mean.mean)} ({span(mean.low, mean.high)})<br>"
        f"{pluralize(mean.n, 'query')} with a value"
    )


def _numbers(values: Floats, shades: Shades, theme: Theme) -> list[Parts]:
    low, high = shades.low, shades.high
    return marks.numbers_in_cells(
        values,
        cell=lambda value: blend(*shades.colours, (value - low) / (high - low)),
        text=brief,
        size=12,
        theme=theme,
    )


def _frames(rows: Sequence[MapRow], systems: Sequence[str], theme: Theme) -> list[Parts]:
    """A frame around what a row names."""
    line = {"color": theme.ink, "width": 2}
    return [
        marks.rectangle(j - 0.46, i - 0.42, j + 0.46, i + 0.42, line)
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
    first = rows[0].means[rows[0].framed]
    best = f"{upper_first(extreme(first.lower_is_better))} {first.centre}"
    return f"{best} of {metric}: {named[0]}; {better}{rest}."
