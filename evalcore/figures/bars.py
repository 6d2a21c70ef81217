"""The family of bars: one bar of several parts per row, the parts named below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalcore.figures import marks
from evalcore.figures.frame import NO_AXIS, AccessibleFigure, Parts, Reading, figure
from evalcore.figures.theme import MARK_CONTRAST, TEXT_CONTRAST, Theme, readable
from evalcore.values.writing import safe, share, short

ROW, NAME = 44, 22
"""Pixels of a row, and characters of its name at most."""
LEAST = 0.25
"""The smallest part of a bar with its number on it: there is room for it on narrow screens."""
LEGEND_LINE, LETTER = 20, 6.6
"""Pixels of a line of the legend, its height, and of a letter."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of every bar: its name, its colour, a length and a hover text (escaped) per row.

    ``pattern``: lines over the colour, which tell parts apart without it.
    """

    name: str
    colour: str
    lengths: Sequence[float]
    hover: Sequence[str]
    pattern: str = ""


def bar_rows(
    names: Sequence[str],
    parts: Sequence[Part],
    *,
    below: Sequence[str],
    title: str,
    subtitle: str,
    theme: Theme,
    reading: Reading,
    alt: str,
) -> AccessibleFigure:
    """One bar of length 1 per name, from the top down; ``below``: small text under each name."""
    shown = [short(text, NAME) for text in names]
    left = marks.room_for([*shown, *below])
    notes, n_lines = _legend(parts, theme.width - (0 if theme.narrow else left), theme)
    ticks = [
        f"{safe(text)}<br>{marks.muted(safe(under), theme)}" for text, under in zip(shown, below, strict=True)
    ]
    drawn = figure(
        theme=theme,
        height=ROW * len(shown) + 4,
        title=title,
        subtitle=subtitle,
        left=left,
        bottom=8 + LEGEND_LINE * n_lines,
        traces=[_trace(part, theme) for part in parts],
        notes=[*_shares(parts, theme), *notes],
        barmode="stack",
        bargap=0.36,
        x=NO_AXIS | {"range": [0, 1]},
        y=marks.row_axis(ticks, theme, grid=False),
    )
    return AccessibleFigure(drawn, alt, reading)


def _trace(part: Part, theme: Theme) -> Parts:
    marker: Parts = {
        "color": readable(part.colour, theme.surface, MARK_CONTRAST),
        "line": {"color": theme.surface, "width": 1},
    }
    if part.pattern:
        marker["pattern"] = marks.hatched(part.pattern, theme)
    return marks.bars(part.lengths, part.hover, marker, name=safe(part.name))


def _legend(parts: Sequence[Part], room: float, theme: Theme) -> tuple[list[Parts], int]:
    """The names of the parts with their signs and colours, in as many lines as they need: the notes, and how
    many lines."""
    notes: list[Parts] = []
    line, right = 1, 0
    for part in parts:
        text = f"{'▨' if part.pattern else '■'} {part.name}"
        width = round(LETTER * len(text)) + 16
        if right and right + width > room:
            line, right = line + 1, 0
        notes.append(
            marks.note(
                safe(text),
                0,
                0,
                readable(part.colour, theme.surface, TEXT_CONTRAST),
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="top",
                xshift=right,
                yshift=-8 - LEGEND_LINE * (line - 1),
            )
        )
        right += width
    return notes, line


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
