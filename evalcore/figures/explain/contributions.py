"""What does each match add to the score? Bars that start where the one above ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from evalcore.figures.colour import blend
from evalcore.figures.explain.matches import NAME, Match, matches_of, told
from evalcore.figures.frame import empty_figure, figure
from evalcore.figures.marks import COLUMN, beside, muted, row_axis
from evalcore.figures.words import count, safe, short, signed, three

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.figures.theme import Theme
    from evalcore.relevance.explain import Explanation


def contribution_bars(
    explanation: Explanation, *, names: Mapping[str, str], theme: Theme, measure: str = "nn-iou"
) -> go.Figure:
    """What each match adds: bars that start where the one above ends, down to the score itself."""
    value = explanation.values.get(measure, math.nan)
    matches = [match for match in matches_of(explanation) if match.adds]
    if not matches or not math.isfinite(value):
        message = f"No shared or nearby concepts: nothing adds to the score ({measure} {three(value)})."
        return empty_figure(message, theme=theme, height=120)
    starts = [sum(match.adds for match in matches[:i]) for i in range(len(matches))]
    fig = figure(
        theme=theme, height=44 * (len(matches) + 1), title=f"What adds up to {measure} {three(value)}",
        subtitle="Each bar starts where the one above ends", right=COLUMN - 28, bottom=8,
    )  # fmt: skip
    near = blend(theme.accent, theme.surface, 0.3)
    fig.add_trace(go.Bar(
        x=[match.adds for match in matches], base=starts, y=list(range(len(matches))), orientation="h",
        hovertext=[told(match, names) for match in matches], hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "color": [near if match.distance else theme.accent for match in matches],
            "pattern": {"shape": ["/" if match.distance else "" for match in matches], "size": 7,
                        "fgcolor": theme.accent, "fillmode": "overlay", "solidity": 0.35},
        },
    ))  # fmt: skip
    fig.add_trace(
        go.Bar(x=[value], y=[len(matches)], orientation="h", marker={"color": theme.ink}, hoverinfo="skip")
    )
    for row, match in enumerate(matches):
        fig.add_annotation(**_amount(row, signed(match.adds), theme))
    fig.add_annotation(**_amount(len(matches), f"{three(value)}", theme))
    fig.update_layout(bargap=0.45, barmode="overlay")
    fig.update_xaxes(visible=False, range=[0, max(value, starts[-1] + matches[-1].adds)], fixedrange=True)
    ticks = [_row_text(match, names, theme) for match in matches] + [f"<b>{safe(measure)}</b>"]
    fig.update_yaxes(row_axis(ticks, theme), showgrid=False)
    return fig


def contribution_bars_alt(
    explanation: Explanation, *, names: Mapping[str, str], measure: str = "nn-iou"
) -> str:
    """The sum in words: every part and the score."""
    matches = [match for match in matches_of(explanation) if match.adds]
    value = three(explanation.values.get(measure, math.nan))
    if not matches:
        return f"No shared or nearby concepts: nothing adds to the score ({measure} {value})."
    return f"{measure} {value} = {'; '.join(_told_plain(match, names) for match in matches)}."


def _told_plain(match: Match, names: Mapping[str, str]) -> str:
    first, second = names.get(match.query, match.query), names.get(match.candidate, match.candidate)
    if match.distance == 0:
        return f"{first} in both adds {three(match.adds)}"
    return f"{first} near {second} ({count(match.distance, 'step')}) adds {three(match.adds)}"


def _row_text(match: Match, names: Mapping[str, str], theme: Theme) -> str:
    """A bar's name: the concept, and below it how it matches."""
    first = safe(short(names.get(match.query, match.query), NAME))
    if match.distance == 0:
        return f"{first}<br>{muted('in both', theme)}"
    second = safe(short(names.get(match.candidate, match.candidate), NAME - 2))
    below = f"{count(match.distance, 'step')} to {second}"
    return f"{first}<br>{muted(below, theme)}"


def _amount(row: int, text: str, theme: Theme) -> dict[str, Any]:
    """The amount beside a bar, one line."""
    return beside(row, text, "", theme) | {"text": f"<b>{safe(text)}</b>", "xshift": COLUMN - 28}
