"""Which similarity of concepts orders pairs as people do? A dot on its interval for each, best first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import MARK_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, axis, figure, nothing
from evalcore.figures.marks import BETTER, HOVER, above_line, level_line, muted
from evalcore.figures.numbers import brief, number, span, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "Further right: the measure puts pairs of concepts in an order more like that of the people who rated "
    "them. At the dotted line it does no better than chance. Filled: similarity by the hierarchy. Open: "
    "relatedness, which also counts what merely belongs together. If two lines overlap a lot, do not call "
    "one better.",
    "Spearman’s rho between the measure and the mean ratings over the pairs with two known concepts, "
    "unconnected ones 0; percentile bootstrap over pairs, the same draws wherever n agrees. Filled: "
    "similarity; open: relatedness. Overlap of intervals is no test.",
)
NAME = 30
ROW = 40


class RatedRow(NamedTuple):
    """A similarity of concepts: its name, whether it is relatedness, rho with its interval, and the pairs."""

    name: str
    relatedness: bool
    rho: float
    low: float
    high: float
    n: int


def rated_concepts(rows: Sequence[RatedRow], *, ratings: str, level: float, theme: Theme) -> Drawn:
    """The similarities in the order given; those without a value are named without a mark.

    ``ratings``: what they are held against, such as the name of a file; ``level`` of the intervals.
    """
    known = [row for row in rows if math.isfinite(row.rho)]
    if not known:
        return nothing("No measure knows enough of the rated concepts.", HOW_TO_READ, theme=theme)
    ends = [x for row in known for x in (row.rho, row.low, row.high) if math.isfinite(x)] + [0.0]
    room = 0.05 * (max(ends) - min(ends)) or 0.1
    sizes = sorted({row.n for row in known})
    n = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    drawn = figure(
        theme=theme, height=ROW * len(rows) + 8, left=8, right=8, bottom=48, above=18,
        title=f"Measures against {short(ratings, 40)}",
        subtitle=f"Agreement in order (Spearman’s rho) and its {level:.0%} interval · n = {n} pairs",
        traces=[_mark(row, place, level, theme) for place, row in enumerate(rows) if row in known],
        notes=[*(note for place, row in enumerate(rows) for note in _words(row, place, theme)),
               above_line("chance", 0.0, theme)],
        shapes=[level_line(0.0, theme)],
        x=axis(theme, title=safe(f"agreement in order · {BETTER.replace('↑', '→')}"),
               range=[min(ends) - room, max(ends) + room], nticks=6, tickformat=".2~f", automargin=False),
        y=NO_AXIS | {"range": [len(rows) - 0.6, -0.9]},
    )  # fmt: skip
    best = max(known, key=lambda row: row.rho)
    said = (
        f"{things(len(known), 'measure')} against {ratings}: {best.name} agrees most, rho {number(best.rho)} "
        f"({span(best.low, best.high)}) over {things(best.n, 'pair')}."
    )
    return Drawn(drawn, said, HOW_TO_READ)


def _mark(row: RatedRow, place: int, level: float, theme: Theme) -> Parts:
    line = readable(theme.accent, theme.surface, MARK_CONTRAST)
    kind = "relatedness" if row.relatedness else "similarity"
    ends = span(row.low, row.high)
    said = f"<b>{safe(row.name)}</b> ({kind})<br>{number(row.rho)}, {level:.0%} interval {ends}"
    return {
        "type": "scatter", "x": [row.low, row.rho, row.high], "y": [place] * 3, "mode": "lines+markers",
        "name": safe(row.name), "line": {"color": line, "width": 3},
        "hovertext": [f"{said}<br>{things(row.n, 'pair')}"] * 3, "hovertemplate": HOVER,
        "marker": {
            "size": [0, 11, 0], "symbol": "circle", "opacity": 1, "line": {"color": line, "width": [0, 2, 0]},
            "color": theme.surface if row.relatedness else theme.accent,
        },
    }  # fmt: skip


def _words(row: RatedRow, place: int, theme: Theme) -> list[Parts]:
    """Name and value over the mark, at both ends of the row: so they have room on a phone too."""
    finite = math.isfinite(row.rho)
    said = f"<b>{brief(row.rho)}</b> " if finite else ""
    ends = f"{brief(row.low)} to {brief(row.high)}" if finite else "no value"
    common = {
        "y": place, "yshift": 17, "xref": "paper", "showarrow": False, "bgcolor": theme.surface,
        "font": {"size": 13, "color": theme.ink},
    }  # fmt: skip
    return [
        {"text": safe(short(row.name, NAME)), "x": 0, "xanchor": "left", **common},
        {"text": f"{said}{muted(safe(ends), theme)}", "x": 1, "xanchor": "right", **common},
    ]
