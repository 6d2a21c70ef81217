"""The family of bars: one bar of one or several parts per row, or columns over an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.figures import marks
from evalcore.figures.frame import NO_AXIS, PLACES, SIX, AccessibleFigure, Parts, Reading, axis, figure
from evalcore.figures.theme import MARK_CONTRAST, TEXT_CONTRAST, Theme, readable
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import safe, share, short

LEAST = 0.25
"""The smallest part of a bar with its number on it: there is room for it on narrow screens."""
LEGEND_LINE, LETTER = 20, 6.6
"""Pixels of a line of the legend, its height, and of a letter."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of every bar: its name, colours (one, or one per row), lengths, and hover texts, escaped.

    ``pattern``: lines over the colour, which tell parts apart without it.
    """

    name: str
    colour: str | Sequence[str]
    lengths: Sequence[float]
    hover: Sequence[str]
    pattern: str = ""


def bar_rows(
    names: Sequence[str],
    parts: Sequence[Part],
    *,
    title: str,
    subtitle: str,
    theme: Theme,
    reading: Reading,
    alt: str,
    below: Sequence[str] = (),
    x: Parts | None = None,
    whole: float = 0,
    row: float = 40,
    name: int = 28,
    gap: float = 0.4,
) -> AccessibleFigure:
    """One bar per name, from the top down; parts with names stand one behind the other, and are named below.

    ``below``: small text under each name. ``x``: options of the axis, which is not drawn without. ``whole``:
    how long all of a bar is. ``name``: characters of a name at most.
    """
    shown = [short(text, name) for text in names]
    left = marks.room_for([*shown, *below])
    named = [(f"{'▨' if part.pattern else '■'} {part.name}", str(part.colour)) for part in parts if part.name]
    notes, n_lines = legend(named, theme.width - (0 if theme.narrow else left), theme)
    under = [f"<br>{marks.muted(safe(text), theme)}" for text in below] or [""] * len(shown)
    longest = max(map(sum, zip(*(part.lengths for part in parts), strict=True)))
    drawn = figure(
        theme=theme,
        height=row * len(shown) + 4,
        title=title,
        subtitle=subtitle,
        left=left,
        bottom=(8 if x is None else 48) + LEGEND_LINE * n_lines,
        traces=[_trace(part, theme) for part in parts],
        notes=[*(_shares(parts, theme) if notes else []), *notes],
        barmode="stack" if notes else "overlay",
        bargap=gap,
        x=axis(theme, **x) if x else NO_AXIS | {"range": [0, whole or longest or 1.0]},
        y=marks.row_axis(
            [safe(text) + more for text, more in zip(shown, under, strict=True)], theme, grid=False
        ),
    )
    return AccessibleFigure(drawn, alt, reading)


def _trace(part: Part, theme: Theme) -> Parts:
    several = not isinstance(part.colour, str)
    colour = part.colour if several else readable(str(part.colour), theme.surface, MARK_CONTRAST)
    marker = {"color": colour, "line": {"color": theme.surface, "width": 1}}
    if part.pattern:
        marker["pattern"] = marks.hatched(part.pattern, theme)
    return marks.bars(part.lengths, part.hover, marker, name=safe(part.name))


def legend(
    entries: Sequence[tuple[str, str]], room: float, theme: Theme, *, below: int = 8
) -> tuple[list[Parts], int]:
    """Names with their signs and colours under a plot, ``below`` pixels from it, in as many lines as they
    need: the notes, and how many lines."""
    notes: list[Parts] = []
    line, right = 1, 0
    for text, colour in entries:
        width = round(LETTER * len(text)) + 16
        if right and right + width > room:
            line, right = line + 1, 0
        notes.append(
            marks.note(
                safe(text),
                0,
                0,
                readable(colour, theme.surface, TEXT_CONTRAST),
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="top",
                xshift=right,
                yshift=-below - LEGEND_LINE * (line - 1),
            )
        )
        right += width
    return notes, line if notes else 0


def _shares(parts: Sequence[Part], theme: Theme) -> list[Parts]:
    """The shares on the parts, where there is room."""
    notes: list[Parts] = []
    for row in range(len(parts[0].lengths)):
        start = 0.0
        for part in parts:
            length = part.lengths[row]
            if length >= LEAST:
                text, middle = f"<b>{share(length)}</b>", start + length / 2
                notes.append(marks.note(text, middle, row, theme.ink, bgcolor=theme.surface, borderpad=1))
            start += length
    return notes


def columns(
    x: Sequence[float] | Floats | Offsets,
    heights: Sequence[float] | Floats | Offsets,
    *,
    colours: Sequence[str],
    hover: Sequence[str],
    across: Parts,
    upward: Parts,
    title: str,
    subtitle: str,
    theme: Theme,
    alt: str,
    reading: Reading,
    height: float,
    gap: float,
    options: Parts,
    edge: Parts | None = None,
    notes: Sequence[Parts] = (),
    shapes: Sequence[Parts] = (),
) -> AccessibleFigure:
    """Columns over an axis; ``hover``: escaped already; ``across``, ``upward``: options of the axes.

    ``options``: further ones of plotly's trace; ``edge``: the line around each column.
    """
    trace: dict[str, Any] = {
        "type": "bar",
        "x": x,
        "y": heights,
        "hovertext": hover,
        "hovertemplate": marks.HOVER,
        "marker": {"color": colours, "line": edge or {"width": 0}},
    }
    drawn = figure(
        theme=theme,
        height=height,
        title=title,
        subtitle=subtitle,
        left=marks.Y_AXIS,
        bottom=46,
        traces=[trace | options],
        notes=notes,
        shapes=shapes,
        bargap=gap,
        x=axis(theme, **PLACES | across),
        y=axis(theme, **SIX | upward),
    )
    return AccessibleFigure(drawn, alt, reading)
