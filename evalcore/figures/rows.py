"""The family of rows: a mark on its interval each, names on the left, numbers on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from evalcore.figures import marks
from evalcore.figures.frame import SIX, AccessibleFigure, Parts, Reading, axis, figure, nothing, spoken
from evalcore.figures.lines import WIDE, WIDE_NAME
from evalcore.figures.theme import SystemStyle, Theme
from evalcore.values.writing import safe, short

ROW, COLUMN, NAMED = 40, 96, 124
"""Pixels of a row, of one column of numbers, and of each of several with their names."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: a value on its interval, which is listed without a mark where it is NaN.

    ``below``: small text under the name. ``numbers``: what the columns beside the plot say, each a text and a
    smaller one under it. ``hover``: escaped already; ``click``: what a click on the mark carries, the name
    where it is None. ``hollow``: an open mark.
    """

    name: str
    value: float
    low: float
    high: float
    style: SystemStyle
    below: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    hover: str = ""
    click: str | None = None
    hollow: bool = False
    size: int = 11
    width: float = 3


def mark(row: Row, at: float, theme: Theme) -> Parts:
    """The mark of a row on its interval, a line, at a height.

    One trace, its ends without markers: plotly takes about as long for each trace as for what is in it.
    """
    return marks.scatter(
        [row.low, row.value, row.high],
        [at] * 3,
        "lines+markers",
        [row.hover] * 3,
        name=safe(row.name),
        customdata=[row.name if row.click is None else row.click] * 3,
        line={"color": row.style.colour, "width": row.width},
        marker={
            "size": [0, row.size, 0],
            "color": theme.surface if row.hollow else row.style.fill,
            "symbol": row.style.symbol,
            "opacity": 1,
            "line": {"color": row.style.colour, "width": [0, 2, 0]},
        },
    )


def interval_rows(
    rows: Sequence[Row],
    *,
    title: str,
    subtitle: str,
    x: Parts,
    theme: Theme,
    reading: Reading,
    none: str,
    alt: str = "",
    heads: Sequence[str] = (),
    lines: Sequence[tuple[float, str]] = (),
    zero: bool = False,
    apart: bool = False,
    row: float = ROW,
    name: int = 24,
) -> AccessibleFigure:
    """The rows from top to bottom; a figure that says ``none`` where no row has a value.

    ``x``: options of the axis (`axis`), its range among them. ``alt``: the take-away, where that is
    not the rows in words. ``heads``: over the columns of numbers. ``lines``: (x, label) of dotted lines
    through all rows; ``zero``: a solid one at 0; ``apart``: a line under the first row. ``row``: pixels of a
    row, ``name``: characters of a name at most, more where there is room. On a phone the columns after the
    first go under the names.
    """
    if not any(isfinite(entry.value) for entry in rows):
        return nothing(none, reading, theme=theme)
    name = max(name, WIDE_NAME if theme.width >= WIDE else 0)
    columns = range(1 if theme.narrow else max(len(entry.numbers) for entry in rows))
    named = [_named(entry, name, heads if theme.narrow else ()) for entry in rows]
    wide = NAMED if len(columns) > 1 else COLUMN
    places = [wide * (k + 1) for k in columns] if rows[0].numbers else []
    solid = [marks.level_line(0, theme, dash="solid", colour=theme.ink)] if zero else []
    drawn = figure(
        theme=theme,
        title=title,
        subtitle=subtitle,
        height=row * len(rows) + 8,
        left=marks.room_for(text for parts in named for text in parts),
        right=places[-1] if places else 16,
        bottom=48,
        above=18 if heads or any(label for _, label in lines) else 0,
        traces=[mark(entry, at, theme) for at, entry in enumerate(rows) if isfinite(entry.value)],
        notes=[
            *(
                marks.number_beside(at, *entry.numbers[k], theme, width=places[k])
                for k in columns
                for at, entry in enumerate(rows)
                if entry.numbers
            ),
            *(_head(text, width, theme) for text, width in zip(heads, places, strict=False)),
            *(marks.above_line(label, value, theme) for value, label in lines if label),
        ],
        shapes=[
            *solid,
            *(marks.level_line(value, theme) for value, _ in lines if isfinite(value)),
            *([marks.across(0.5, theme.grid)] if apart else []),
        ],
        x=axis(theme, **SIX | x),
        y=marks.row_axis([_tick(*parts, theme) for parts in named], theme, automargin=False),
    )
    what = f"{title}, {subtitle}" if subtitle else title
    return AccessibleFigure(drawn, alt or spoken(what, [_spoken(entry) for entry in rows]), reading)


def _spoken(row: Row) -> str:
    """The name of a row and its numbers, as a reader hears them."""
    numbers = [f"{main} ({small})" if small else main for main, small in row.numbers]
    return f"{row.name} {', '.join(numbers)}"


def _named(row: Row, width: int, heads: Sequence[str]) -> tuple[str, str]:
    """The name and what is below it; with the later columns where ``heads`` name them."""
    later = [
        f"{head} {main}".lower()
        for head, (main, _) in zip(heads[1:], row.numbers[1:], strict=False)
        if main != "–"
    ]
    return short(row.name, width), " · ".join(filter(None, (row.below, *later)))


def _tick(name: str, below: str, theme: Theme) -> str:
    return safe(name) + (f"<br>{marks.muted(safe(below), theme)}" if below else "")


def _head(text: str, width: int, theme: Theme) -> Parts:
    return marks.note(
        safe(text),
        1,
        1,
        theme.muted,
        xref="paper",
        yref="paper",
        xanchor="right",
        yanchor="bottom",
        xshift=width,
    )
