"""The family of clouds: dots in a plane, or their number in cells of it."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.figures import marks
from evalcore.figures.frame import SIX, AccessibleFigure, Parts, Reading, axis, figure
from evalcore.figures.theme import Theme


def cloud(
    traces: Sequence[Parts],
    *,
    x: Parts,
    y: Parts,
    title: str,
    subtitle: str,
    theme: Theme,
    alt: str,
    reading: Reading,
    height: float = 340,
    right: float = 20,
    square: bool = False,
    notes: Sequence[Parts] = (),
    shapes: Sequence[Parts] = (),
) -> AccessibleFigure:
    """Dots or cells in a plane. ``x``, ``y``: options of its axes (`axis`); ``square``: both have one scale;
    ``right``: pixels beside it, for a scale of colours."""
    if square:
        x, y = (
            x | {"constrain": "domain"},
            y | {"scaleanchor": "x", "constraintoward": "top", "constrain": "domain"},
        )
    shown = figure(
        theme=theme,
        height=height,
        title=title,
        subtitle=subtitle,
        left=marks.Y_AXIS,
        right=right,
        bottom=48,
        traces=traces,
        notes=notes,
        shapes=shapes,
        hoverdistance=12,
        x=axis(theme, **SIX | x),
        y=axis(theme, **SIX | y),
    )
    return AccessibleFigure(shown, alt, reading)


def colour_bar(theme: Theme, **options: object) -> Parts:
    """The scale of colours beside a plane, or beside cells."""
    return {
        "thickness": 10,
        "len": 1,
        "outlinewidth": 0,
        "nticks": 5,
        "tickfont": {"size": 11, "color": theme.muted},
        **options,
    }
