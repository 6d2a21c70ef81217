"""What does each match add to the score? Bars that start where the one above ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalcore.figures.colour import blend
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.explain.matches import NAME, Match, hover, matches_of
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import HOVER, beside, muted, row_axis
from evalcore.figures.numbers import number, signed, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.relevance.explain import Explanation


HOW_TO_READ = Reading(
    "How the score comes about: shared concepts add a full part (solid), related concepts a smaller "
    "one (hatched). Together they are the score.",
    "Exact matches add 1/|A ∪ B|, counted neighbour matches alpha/|A ∪ B| (additive form); the parts sum "
    "to the value.",
)
MEASURE = "nn-iou"
"""The measure the parts of an explanation add up to."""
AMOUNT = 68
"""Pixels of the column of amounts."""


def contribution_bars(explanation: Explanation, *, names: Mapping[str, str], theme: Theme) -> Drawn:
    """What each match adds: bars that start where the one above ends, down to the nn-IoU itself."""
    value = explanation.values.get(MEASURE, math.nan)
    matches = [match for match in matches_of(explanation) if match.adds]
    if not matches or not math.isfinite(value):
        message = f"No match adds to the score ({MEASURE} {number(value)})."
        return nothing(message, HOW_TO_READ, theme=theme, height=120)
    amounts = [signed(match.adds) for match in matches] + [number(value)]
    ticks = [_row_text(match, names, theme) for match in matches] + [f"<b>{MEASURE}</b>"]
    total = {
        "type": "bar", "x": [value], "y": [len(matches)], "orientation": "h", "hoverinfo": "skip",
        "marker": {"color": theme.ink},
    }  # fmt: skip
    reach = max(value, sum(match.adds for match in matches))
    drawn = figure(
        theme=theme, height=44 * (len(matches) + 1), title=f"What adds up to {MEASURE} {number(value)}",
        subtitle="Each bar starts where the one above ends", right=AMOUNT, bottom=8,
        traces=[_parts(matches, names, theme), total], bargap=0.45, barmode="overlay",
        notes=[beside(row, text, "", theme, width=AMOUNT) for row, text in enumerate(amounts)],
        x=NO_AXIS | {"range": [0, reach]}, y=row_axis(ticks, theme, grid=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(matches, number(value), names), HOW_TO_READ)


def _parts(matches: Sequence[Match], names: Mapping[str, str], theme: Theme) -> Parts:
    """One bar per match: solid for a shared concept, hatched for a nearby one."""
    near = blend(theme.accent, theme.surface, 0.3)
    hatch = {"shape": ["/" if match.distance else "" for match in matches], "size": 7,
             "fgcolor": theme.accent, "fillmode": "overlay", "solidity": 0.35}  # fmt: skip
    return {
        "type": "bar", "x": [match.adds for match in matches], "y": list(range(len(matches))),
        "base": [sum(match.adds for match in matches[:i]) for i in range(len(matches))], "orientation": "h",
        "hovertext": [hover(match, names) for match in matches], "hovertemplate": HOVER,
        "marker": {"color": [near if m.distance else theme.accent for m in matches], "pattern": hatch},
    }  # fmt: skip


def _take_away(matches: Sequence[Match], value: str, names: Mapping[str, str]) -> str:
    """The sum in words: every part and the score."""
    return f"{MEASURE} {value} = {'; '.join(_in_words(match, names) for match in matches)}."


def _in_words(match: Match, names: Mapping[str, str]) -> str:
    first, second = names.get(match.query, match.query), names.get(match.candidate, match.candidate)
    if match.distance == 0:
        return f"{first} in both adds {number(match.adds)}"
    return f"{first} near {second} ({things(match.distance, 'step')}) adds {number(match.adds)}"


def _row_text(match: Match, names: Mapping[str, str], theme: Theme) -> str:
    """A bar's name: the concept, and below it how it matches."""
    first = safe(short(names.get(match.query, match.query), NAME))
    if match.distance == 0:
        return f"{first}<br>{muted('in both', theme)}"
    second = safe(short(names.get(match.candidate, match.candidate), NAME - 2))
    below = f"{things(match.distance, 'step')} to {second}"
    return f"{first}<br>{muted(below, theme)}"
