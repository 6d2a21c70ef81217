"""How far is each group from the real images? One distance, beside that of halves of the real images."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from evalcore.figures.colour import faded
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, rectangle, room_for, row_axis
from evalcore.figures.numbers import count, listed, number, span
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "The further right, the less a group as a whole looks like the real images. The band is how far apart "
    "two halves of the real images are: a group within it is as near as real images are to each other.",
    "Distance between Gaussians fitted to the vectors; band: range over random halves of the archetypes "
    "(each half has fewer images, so the band errs on the generous side); logarithmic beyond a factor of 50.",
)
ROW, NAME = 44, 26
WIDE = 50


def far(value: float) -> str:
    """A distance of any size: three digits, thousands separated.

    >>> far(0.0123), far(188074.6)
    ('0.0123', '188,075')
    """
    return count(round(value)) if abs(value) >= 10_000 else number(value)


def distance_rows(
    groups: Sequence[str], values: Sequence[float], halves: Sequence[float], *, distance: str, theme: Theme
) -> Drawn:
    """Groups down, their distance across; ``halves``: the distances of random halves of the real images."""
    known = {name: value for name, value in zip(groups, values, strict=True) if isfinite(value)}
    if not known:
        return nothing("No group has a distance: see the message beside it.", HOW_TO_READ, theme=theme)
    names = [short(name, NAME) for name in known]
    positive = [one for one in (*known.values(), *halves) if one > 0]
    log = min(known.values()) > 0 and max(positive) > WIDE * min(positive)
    ends: Parts = {"type": "log"} if log else {"range": [0, 1.08 * max(positive, default=1.0)]}
    ends_at = listed([f"{name} {far(value)}" for name, value in known.items()])
    subtitle, said, shapes = distance, f"{distance} from the real images: {ends_at}", []
    if halves:
        low, high = min(halves), max(halves)
        band = f"halves of the real images {span(low, high)}"
        subtitle, said = f"{subtitle} · {band}", f"{said}; {band}"
        shapes = [rectangle(
            max(low, 1e-12) if log else low, 0, high, 1, {"width": 0}, yref="paper", layer="below",
            fillcolor=faded(theme.accent, 0.18),
        )]  # fmt: skip
    drawn = figure(
        theme=theme, height=ROW * len(known) + 20, left=room_for(names), right=24, bottom=48, shapes=shapes,
        traces=[_dots(known, groups, distance, theme)], title="How far from the real images?",
        subtitle=subtitle, x=axis(theme, title="→ less like the real images", **ends),
        y=row_axis([safe(name) for name in names], theme, automargin=False),
    )  # fmt: skip
    return Drawn(drawn, f"{said}.", HOW_TO_READ)


def _dots(known: Mapping[str, float], groups: Sequence[str], distance: str, theme: Theme) -> Parts:
    styles = [style_of(name, groups, theme) for name in known]
    return {
        "type": "scatter", "mode": "markers", "x": list(known.values()), "y": list(range(len(known))),
        "hovertext": [f"<b>{safe(name)}</b><br>{safe(distance)} {far(at)}" for name, at in known.items()],
        "hovertemplate": HOVER,
        "marker": {
            "size": 13, "color": [one.fill for one in styles], "symbol": [one.symbol for one in styles],
            "line": {"color": [one.colour for one in styles], "width": 2},
        },
    }  # fmt: skip
