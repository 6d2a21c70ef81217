"""For which kinds of queries do two systems differ? The paired difference slice by slice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.slices.slicing import FEW
from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, readable
from evalcore.figures.differences import farthest
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import (
    across,
    beside,
    level_line,
    muted,
    on_interval,
    room_for,
    row_axis,
)
from evalcore.figures.numbers import p_equals, signed, signed_span, things
from evalcore.figures.theme import pair_of
from evalcore.figures.words import safe, short
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.model import Comparison

HOW_TO_READ = Reading(
    "Right of the line the first system is better for these queries, left of it the second. Grey: the "
    "difference may be due to chance, as several kinds of queries are compared. Open marks: very "
    "few queries. Select a mark to see only these queries.",
    "Mean paired difference over the queries of a slice with a value for both; bootstrap interval; two-sided "
    "paired permutation test, p corrected over the slices shown (all queries: as it is). Colour: "
    "p < .05. Open marks: fewer than 5 queries. Selecting a mark adds the conditions of a slice to the "
    "filter.",
)
NAME = 32
ROW = 34
SIDE = 108
"""Pixels of a row, and of the column of numbers."""


class Row(NamedTuple):
    """One row: its name, the comparison (system minus baseline), what a click on it carries ("" nothing)."""

    name: str
    found: Comparison
    click: str = ""


def slice_forest(overall: Comparison, rows: Sequence[Row], *, by: str, theme: Theme) -> Drawn:
    """The difference over all queries, then slice by slice, in the order given.

    A slice without a query with a value for both keeps its row, without a mark.
    """
    c = overall
    if not any(math.isfinite(row.found.difference) for row in rows):
        return nothing(
            f"No query has a value for both {c.system} and {c.baseline}.", HOW_TO_READ, theme=theme
        )
    everyone = [Row("All queries", overall), *rows]
    traces = [
        _mark(row, place, theme) for place, row in enumerate(everyone) if math.isfinite(row.found.difference)
    ]
    notes = [_numbers(row, place, theme, tested=place > 0) for place, row in enumerate(everyone)]
    names = [short(row.name, NAME) for row in everyone]
    drawn = figure(
        theme=theme, height=ROW * len(everyone) + 8, left=room_for([*names, "n = 1,000"]), right=SIDE,
        bottom=48,
        title=f"{short(c.system, 24)} − {short(c.baseline, 24)}, by {short(by, 24)}",
        subtitle=f"{c.metric} · mean paired difference and its {c.level:.0%} interval",
        traces=traces, notes=notes,
        shapes=[level_line(0, theme, dash="solid", colour=theme.ink), across(0.5, theme.grid)],
        x=axis(theme, title=safe(f"difference (right of 0: {short(c.system, 20)} better)"),
               range=_reach(everyone), nticks=6, tickformat=".3~g", automargin=False),
        y=row_axis([_label(row, name, theme) for row, name in zip(everyone, names, strict=True)], theme,
                   automargin=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(overall, rows, by), HOW_TO_READ)


def _label(row: Row, name: str, theme: Theme) -> str:
    few = " · few" if row.found.n_pairs < FEW else ""
    return f"{safe(name)}<br>{muted(f'n = {row.found.n_pairs:,}{few}', theme)}"


def _mark(row: Row, place: int, theme: Theme) -> Parts:
    """A square on its interval: blue right of 0, orange left of it, grey where chance may explain it."""
    c, colour = row.found, _colour(row.found, theme)
    line = readable(colour, theme.surface, MARK_CONTRAST)
    small = c.n_pairs < FEW
    return on_interval(
        c.low, c.difference, c.high, at=place, name=row.name, hover=_hover(row), colour=line,
        fill=theme.surface if small else colour, symbol="square" if place else "diamond",
        size=10 if place else 13, width=1.5 if small else 3, click=row.click,
    )  # fmt: skip


def _hover(row: Row) -> str:
    c = row.found
    return (
        f"<b>{safe(row.name)}</b><br>{safe(c.system)} − {safe(c.baseline)} {_signed(c.difference)}<br>"
        f"{c.level:.0%} interval {signed_span(c.low, c.high)}<br>{safe(p_equals(c.p))}, corrected "
        f"{safe(p_equals(c.p_corrected))}<br>"
        f"{things(c.n_pairs, 'query')}: {c.wins:,} better, {c.ties:,} equal, {c.losses:,} worse"
    )


def _numbers(row: Row, place: int, theme: Theme, *, tested: bool) -> Parts:
    """The difference and its p beside the plot; "no value" where there is none."""
    c = row.found
    if not math.isfinite(c.difference):
        return beside(place, "–", "no value", theme, width=SIDE)
    p = p_equals(c.p_corrected) if tested and c.correction != "none" else p_equals(c.p)
    note = beside(place, _signed(c.difference), p, theme, width=SIDE)
    if c.p_corrected < CLEAR:
        note["font"] = {"size": 13, "color": readable(_colour(c, theme), theme.surface, TEXT_CONTRAST)}
    return note


def _colour(c: Comparison, theme: Theme) -> str:
    if not c.p_corrected < CLEAR:
        return theme.neutral
    first, second = pair_of(c.system, c.baseline, theme)
    return first if c.difference > 0 else second


def _signed(value: float) -> str:
    """A difference; 0 where only the rounding of sums is left of it."""
    return signed(value if abs(value) > SAME else 0.0)


def _reach(rows: Sequence[Row]) -> list[float]:
    """Axis range, symmetric around 0; the intervals of tiny slices count as the others do."""
    reach = farthest(row.found for row in rows)
    return [-reach, reach]


def _take_away(overall: Comparison, rows: Sequence[Row], by: str) -> str:
    """The take-away: overall, and the slices with the highest and the lowest difference."""
    c = overall
    known = sorted(
        (row for row in rows if math.isfinite(row.found.difference)), key=lambda r: r.found.difference
    )
    ends = [_one(row) for row in dict.fromkeys((known[-1], known[0]))]
    start = f"{c.system} minus {c.baseline} under {c.metric}: {_signed(c.difference)} over all queries"
    return f"{start}; by {by} from the highest to the lowest: {' and '.join(ends)}."


def _one(row: Row) -> str:
    c, n = row.found, things(row.found.n_pairs, "query")
    return f"{row.name} {_signed(c.difference)} ({n}, {p_equals(c.p_corrected)})"
