"""Mean satisfaction of queries by how much the relevance of their first rows varies."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, faded, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, Y_AXIS, legend_entry, reach
from evalcore.figures.numbers import number, span, things
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.satisfaction.choices import Resample
    from evalcore.features.satisfaction.variance import Point
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

DRAWN: Mapping[Resample, str] = MappingProxyType({"users": "participants", "queries": "queries"})
HEIGHT = 260
SYMBOLS, SIGNS = ("circle", "diamond", "square"), "●◆■"


def satisfaction_by_spread(
    points: Sequence[Point], *, title: str, rows: int, per_person: bool, theme: Theme, of: str = "",
    resample: Resample = "users",
) -> Drawn:  # fmt: skip
    """One line, or one for each kind of queries that the points name (``among``).

    ``rows``: how many first rows the spread is of. ``per_person``: satisfaction is 0 to 1 for each.
    ``of``: begins the line below the title. ``resample``: what the intervals' bootstrap drew.
    """
    if not points:
        why = "Too few queries to group them by how relevance varies."
        return nothing(why, _how_to_read(resample), theme=theme)
    names = list(dict.fromkeys(one.among for one in points))
    colours = (theme.up, theme.neutral, theme.down)
    traces: list[Parts] = []
    notes: list[Parts] = []
    for i, name in enumerate(names):
        colour = readable(colours[i % 3], theme.surface, MARK_CONTRAST)
        own = [one for one in points if one.among == name]
        traces.append(_line(own, name, colour, SYMBOLS[i % 3]))
        if name:
            text = readable(colours[i % 3], theme.surface, TEXT_CONTRAST)
            notes.append(legend_entry(f"{SIGNS[i % 3]} {name}{'' if i else ' mean'}", 90 * i, text))
    scale = "0 to 1 for each person" if per_person else "as marked"
    n = sum(one.n for one in points)
    drawn = figure(
        theme=theme, height=HEIGHT, title=title,
        subtitle=f"{of}mean and 95% interval · {things(n, 'query')}",
        left=Y_AXIS, right=16, above=24 if notes else 8, bottom=52, traces=traces, notes=notes,
        x=axis(theme, title=f"standard deviation of relevance, first {things(rows, 'row')}",
               rangemode="tozero", nticks=6, tickformat=".2~f", automargin=False),
        y=axis(theme, title=f"satisfaction, {scale}", nticks=6, tickformat=".2~f", automargin=False,
               range=reach((x for one in points for x in (one.low, one.satisfaction, one.high)), air=0.08,
                           least=0.1)),
    )  # fmt: skip
    return Drawn(drawn, _take_away(points, names), _how_to_read(resample))


def _how_to_read(resample: Resample) -> Reading:
    return Reading(
        "Each mark is a group of searches. Further right: some of their first images fit well and others do "
        "not. Further up: people were more satisfied. Bars show how sure the average is.",
        "Queries in groups of about equal size by the population standard deviation of relevance in the "
        f"first rows; mean satisfaction with a percentile bootstrap interval over {DRAWN[resample]}, "
        "pointwise.",
    )


def _line(points: Sequence[Point], name: str, colour: str, symbol: str) -> Parts:
    return {
        "type": "scatter", "mode": "lines+markers", "name": safe(name or "all"),
        "x": [one.spread for one in points], "y": [one.satisfaction for one in points],
        "error_y": {
            "type": "data", "symmetric": False, "array": [one.high - one.satisfaction for one in points],
            "arrayminus": [one.satisfaction - one.low for one in points], "color": colour, "thickness": 1.5,
            "width": 4,
        },
        "line": {"color": faded(colour, 0.6), "width": 1.5, "dash": "dot"},
        "marker": {"size": 10, "color": colour, "symbol": symbol, "opacity": 1},
        "hovertext": [_hover(one) for one in points], "hovertemplate": HOVER,
    }  # fmt: skip


def _hover(one: Point) -> str:
    among = f"{one.among} mean relevance, " if one.among else ""
    ends = f" ({span(one.low, one.high)})" if math.isfinite(one.low) else ""
    return safe(
        f"{among}standard deviation {number(one.spread)}: satisfaction {number(one.satisfaction)}{ends}, "
        f"{things(one.n, 'query')}"
    )


def _take_away(points: Sequence[Point], names: Sequence[str]) -> str:
    """The take-away: from the least to the most varying group, line by line."""
    parts = []
    for name in names:
        own = [one for one in points if one.among == name]
        among = f" among queries of {name} mean relevance" if name else ""
        parts.append(f"{number(own[0].satisfaction)} to {number(own[-1].satisfaction)}{among}")
    return f"Mean satisfaction from the least to the most varying relevance: {'; '.join(parts)}."
