"""Two correlations with satisfaction per measure, each on its interval, published ones as open marks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.colour import MARK_CONTRAST, TEXT_CONTRAST, readable
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import (
    HOVER,
    beside,
    legend_entry,
    level_line,
    on_interval,
    room_for,
    row_axis,
)
from evalcore.figures.numbers import number, span
from evalcore.figures.words import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.agreement import Agreement
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ = Reading(
    "Further right: the measure is high where people are satisfied and low where not. 0: it says "
    "nothing about satisfaction. Lines show how sure each value is. Open marks: published for other data.",
    "Spearman’s rho with satisfaction over queries, percentile bootstrap intervals, pointwise. The two of "
    "a measure share their queries: lines may overlap though they differ. Open marks: published.",
)
ROW = 46
APART = 0.16
"""How far the two of a measure lie from the middle of their row."""
SIDE = 104
SYMBOLS = ("circle", "diamond")


class Pair(NamedTuple):
    """The two values of one measure, what stands beside them, and what was published (None where nothing)."""

    metric: str
    first: Agreement
    second: Agreement
    main: str = ""
    small: str = ""
    published: tuple[float | None, float | None] = (None, None)


def paired_agreement(
    pairs: Sequence[Pair], *, names: tuple[str, str], title: str, subtitle: str, theme: Theme
) -> Drawn:
    """One row per measure, in the order given; ``names`` of the two values of each."""
    known = [one for pair in pairs for one in pair[1:3] if math.isfinite(one.spearman)]
    if not known:
        return nothing("No measure varies together with satisfaction here.", HOW_TO_READ, theme=theme)
    traces = [mark for i, pair in enumerate(pairs) for mark in _row(pair, i, names, theme)]
    colours = _colours(theme, TEXT_CONTRAST)
    legend, right = [], 0
    for i, (sign, name) in enumerate(zip("●◆", names, strict=True)):
        legend.append(legend_entry(f"{sign} {name}", right, colours[i]))
        right += 30 + round(7.0 * len(name))
    if any(value is not None for pair in pairs for value in pair.published):
        subtitle += " · open marks: published"
    drawn = figure(
        theme=theme, height=ROW * len(pairs) + 8, left=room_for(pair.metric for pair in pairs), bottom=48,
        right=SIDE if any(pair.main for pair in pairs) else 16, above=24, title=title, subtitle=subtitle,
        traces=traces, shapes=[level_line(0, theme, dash="solid")],
        notes=[
            *(beside(i, p.main, p.small, theme, width=SIDE - 6) for i, p in enumerate(pairs) if p.main),
            *legend,
        ],
        x=axis(theme, title="Spearman’s ρ with satisfaction",
               range=_reach(pairs), nticks=7, tickformat=".2~f", automargin=False),
        y=row_axis([safe(pair.metric) for pair in pairs], theme, automargin=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(pairs, names), HOW_TO_READ)


def _row(pair: Pair, row: int, names: tuple[str, str], theme: Theme) -> list[Parts]:
    """Both values of a measure, and the open marks of what was published."""
    found: list[Parts] = []
    colours = _colours(theme, MARK_CONTRAST)
    for i, one in enumerate((pair.first, pair.second)):
        y, said = row + (2 * i - 1) * APART, pair.published[i]
        ring = {"size": 11, "symbol": f"{SYMBOLS[i]}-open", "color": colours[i], "line": {"width": 2}}
        if said is not None:
            found.append({
                "type": "scatter", "x": [said], "y": [y], "mode": "markers", "name": "published",
                "marker": ring, "hovertemplate": HOVER,
                "hovertext": [safe(f"{pair.metric}, {names[i]}: published {number(said)}")],
            })  # fmt: skip
        if not math.isfinite(one.spearman):
            continue
        text = f"{pair.metric}, {names[i]}: {number(one.spearman)}"
        if math.isfinite(one.ci_low):
            text += f" ({span(one.ci_low, one.ci_high)})"
        found.append(on_interval(
            one.ci_low, one.spearman, one.ci_high, at=y, name=names[i], hover=safe(text), colour=colours[i],
            fill=colours[i], symbol=SYMBOLS[i], width=2.5, edge=1,
        ))  # fmt: skip
    return found


def _colours(theme: Theme, least: float) -> tuple[str, str]:
    return readable(theme.up, theme.surface, least), readable(theme.down, theme.surface, least)


def _reach(pairs: Sequence[Pair]) -> list[float]:
    """From 0, or below where something lies there, to just beyond the largest end."""
    ends = [x for p in pairs for one in p[1:3] for x in (one.spearman, one.ci_low, one.ci_high)]
    ends += [x for pair in pairs for x in pair.published if x is not None]
    known = [x for x in ends if math.isfinite(x)]
    low, high = min(0.0, *known), max(0.0, *known)
    room = 0.06 * (high - low)
    return [low - (room if low < 0 else 0.01), high + room]


def _take_away(pairs: Sequence[Pair], names: tuple[str, str]) -> str:
    """The take-away: every value."""
    each = [f"{p.metric} {names[0]} {_value(p.first)}, {names[1]} {_value(p.second)}" for p in pairs]
    return f"Spearman correlation with satisfaction: {'; '.join(each)}."


def _value(one: Agreement) -> str:
    return number(one.spearman) if math.isfinite(one.spearman) else "without a value"
