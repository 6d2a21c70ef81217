"""Measures by one statistic: a mark on its interval each, its name over it, and a line where chance lies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import MARK_CONTRAST, readable
from evalcore.figures.frame import NO_AXIS, axis, figure
from evalcore.figures.marks import BETTER, above_line, level_line, muted, note, on_interval, reach
from evalcore.figures.numbers import brief
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme


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
    marks: Sequence[Mark], *, statistic: str, chance: float, theme: Theme, row: int, width: int, title: str,
    subtitle: str,
) -> go.Figure:  # fmt: skip
    """The marks in the order given; those without a value are named only.

    ``row``: pixels of a row; ``width``: characters of a name at most.
    """
    known = [one for one in marks if math.isfinite(one.value)]
    ends = [chance, *(x for one in known for x in (one.value, one.low, one.high))]
    lift = row // 4 + 7
    return figure(
        theme=theme, height=row * len(marks) + 8, left=8, right=8, bottom=48, above=18, title=title,
        subtitle=subtitle,
        traces=[_mark(one, place, theme) for place, one in enumerate(marks) if math.isfinite(one.value)],
        notes=[
            *(text for place, one in enumerate(marks) for text in _words(one, place, width, lift, theme)),
            above_line("chance", chance, theme),
        ],
        shapes=[level_line(chance, theme)],
        x=axis(theme, title=safe(f"{statistic} · {BETTER.replace('↑', '→')}"), nticks=6, tickformat=".2~f",
               range=reach(ends, air=0.05, least=0.1), automargin=False),
        y=NO_AXIS | {"range": [len(marks) - 0.6, -0.9]},
    )  # fmt: skip


def _mark(one: Mark, place: int, theme: Theme) -> Parts:
    colour = one.colour or theme.accent
    return on_interval(
        one.low, one.value, one.high, at=place, name=one.name, hover=one.hover, click=one.click,
        colour=readable(colour, theme.surface, MARK_CONTRAST), fill=theme.surface if one.hollow else colour,
    )  # fmt: skip


def _words(one: Mark, place: int, width: int, lift: int, theme: Theme) -> list[Parts]:
    """Name and value over the mark, at both ends of the row: so they have room on a phone too."""
    ends = f"{brief(one.low)} to {brief(one.high)}" if math.isfinite(one.low) else ""
    said = f"<b>{brief(one.value)}</b> {muted(ends, theme)}"
    if not math.isfinite(one.value):
        said = muted("no value", theme)
    return [
        note(
            text, x, place, theme.ink, size=13, xanchor=side, xref="paper", yshift=lift, bgcolor=theme.surface
        )
        for text, x, side in ((safe(short(one.name, width)), 0, "left"), (said, 1, "right"))
    ]
