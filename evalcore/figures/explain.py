"""Why does a result count as relevant? Which concepts match, and what each match adds to the score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import plotly.graph_objects as go

from evalcore.figures.colour import blend
from evalcore.figures.frame import axis, empty_figure, figure
from evalcore.figures.marks import COLUMN, beside, muted, row_axis
from evalcore.figures.words import count, safe, short, signed, three

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from evalcore.figures.theme import Theme
    from evalcore.relevance.explain import Explanation

Side = Literal["query", "candidate"]
MOST = 24
"""Concepts drawn per side; matched ones come first, so only concepts without a match are cut."""
NAME = 26
ROW = 42
EXACT = 26
"""Characters of a name, pixels of a row, and of the dot of an exact match: a match d steps away has
1/(1 + d) of its area."""


class Match(NamedTuple):
    """One pair of matching concepts: steps between them (0: the same) and what it adds to the score."""

    query: str
    candidate: str
    distance: int
    adds: float


def matches_of(explanation: Explanation) -> list[Match]:
    """All matching pairs, exact ones first, then the nearer ones.

    A pair found from both sides (the query's concept and the candidate's concept point at each
    other) is one match that adds both parts.
    """
    found = {(cui, cui): Match(cui, cui, 0, explanation.exact_adds) for cui in explanation.exact}
    for near in explanation.neighbours:
        pair = (near.cui, near.matched) if near.side == "query" else (near.matched, near.cui)
        before = found[pair].adds if pair in found else 0.0
        found[pair] = Match(*pair, near.distance, before + near.adds)
    return sorted(found.values(), key=lambda match: (match.distance, match.query, match.candidate))


def match_matrix(explanation: Explanation, *, names: Mapping[str, str], theme: Theme) -> go.Figure:
    """Concepts of the query (rows) against those of the result (columns), a dot where two match.

    The dot's area falls with the distance, its text says how many steps apart; an exact match has a
    ring. Concepts without a match stand last, in muted ink, with no dot.
    """
    matches = matches_of(explanation)
    rows, columns = _side(matches, explanation, "query"), _side(matches, explanation, "candidate")
    if not rows or not columns:
        who = "query" if not rows else "result"
        return empty_figure(f"The {who} has no concepts, so nothing can match.", theme=theme)
    shown = [m for m in matches if m.query in rows[:MOST] and m.candidate in columns[:MOST]]
    cut = max(0, len(rows) - MOST) + max(0, len(columns) - MOST)
    rows, columns = rows[:MOST], columns[:MOST]
    fig = figure(
        theme=theme, height=ROW * len(rows), title="Which concepts match", right=20,
        subtitle="Rows: query · columns: result · = the same · number: steps apart"
        + (f" · {cut} without a match not shown" if cut else ""),
    )  # fmt: skip
    known = {cui for match in matches for cui in (match.query, match.candidate)}
    fig.add_traces(_cells(shown, rows, columns, names, theme))
    _name_columns(fig, columns, names, known, theme)
    fig.update_yaxes(row_axis([_label(cui, names, cui in known, theme) for cui in rows], theme))
    own = axis(theme, range=[-0.5, len(columns) - 0.5], tickvals=list(range(len(columns))))
    fig.update_xaxes(own, showticklabels=False)
    return fig


def match_matrix_alt(explanation: Explanation, *, names: Mapping[str, str]) -> str:
    """The take-away: which concepts are shared, which only lie near each other."""
    matches = matches_of(explanation)
    if not matches:
        return "No concept of the query matches one of the result, neither exactly nor as a neighbour."
    same = [names.get(match.query, match.query) for match in matches if match.distance == 0]
    pairs = ((names.get(m.query, m.query), names.get(m.candidate, m.candidate), m.distance) for m in matches)
    near = [f"{a} with {b} ({count(distance, 'step')})" for a, b, distance in pairs if distance]
    told = [f"Shared: {', '.join(same)}" if same else "No shared concept"]
    told += [f"near each other: {', '.join(near)}"] if near else []
    return "; ".join(told) + "."


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
        hovertext=[_told(match, names) for match in matches], hovertemplate="%{hovertext}<extra></extra>",
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


def _side(matches: Sequence[Match], explanation: Explanation, side: Side) -> list[str]:
    """Concepts of one side: in the order of their best match, then those without one."""
    matched = [match.query if side == "query" else match.candidate for match in matches]
    own = {*explanation.exact, *explanation.unmatched[side], *matched}
    return [*dict.fromkeys(matched), *sorted(own - set(matched))]


def _cells(
    matches: Sequence[Match],
    rows: Sequence[str],
    columns: Sequence[str],
    names: Mapping[str, str],
    theme: Theme,
) -> list[go.Scatter]:
    """Rings of the exact matches, then the dots of all with their distance below."""
    place = [(columns.index(match.candidate), rows.index(match.query)) for match in matches]
    exact = [xy for xy, match in zip(place, matches, strict=True) if match.distance == 0]
    rings = go.Scatter(
        x=[x for x, _ in exact], y=[y for _, y in exact], mode="markers", hoverinfo="skip",
        marker={"size": EXACT + 8, "color": "rgba(0,0,0,0)", "line": {"color": theme.accent, "width": 2}},
    )  # fmt: skip
    dots = go.Scatter(
        x=[x for x, _ in place], y=[y for _, y in place], mode="markers+text",
        text=["=" if match.distance == 0 else str(match.distance) for match in matches],
        textposition="middle center", textfont={"size": 12, "color": theme.surface, "family": theme.font},
        customdata=[[match.query, match.candidate] for match in matches],
        hovertext=[_told(match, names) for match in matches], hovertemplate="%{hovertext}<extra></extra>",
        marker={"size": [EXACT / (1 + match.distance) ** 0.5 for match in matches], "color": theme.accent,
                "opacity": 1, "line": {"width": 0}},
    )  # fmt: skip
    return [rings, dots]


def _told(match: Match, names: Mapping[str, str]) -> str:
    """Hover text of one match."""
    if match.distance == 0:
        pair = f"<b>{_full(match.query, names)}</b><br>in both"
    else:
        pair = f"<b>{_full(match.query, names)}</b><br>near <b>{_full(match.candidate, names)}</b>"
        pair += f"<br>{count(match.distance, 'step')} apart"
    return f"{pair}<br>adds {three(match.adds)}"


def _told_plain(match: Match, names: Mapping[str, str]) -> str:
    first, second = names.get(match.query, match.query), names.get(match.candidate, match.candidate)
    if match.distance == 0:
        return f"{first} in both adds {three(match.adds)}"
    return f"{first} near {second} ({count(match.distance, 'step')}) adds {three(match.adds)}"


def _full(cui: str, names: Mapping[str, str]) -> str:
    return f"{safe(names[cui])} ({safe(cui)})" if cui in names else safe(cui)


def _label(cui: str, names: Mapping[str, str], matched: bool, theme: Theme) -> str:
    text = safe(short(names.get(cui, cui), NAME))
    return text if matched else f'<span style="color:{theme.muted}">{text}</span>'


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


def _name_columns(
    fig: go.Figure, columns: Sequence[str], names: Mapping[str, str], known: set[str], theme: Theme
) -> None:
    """Slanted names above the columns, with margins that hold them.

    Annotations, because plotly hides tick labels that reach over the edge. A character of a slanted
    name takes about 5.2 pixels across and 4.1 upwards; columns are at least 40 pixels apart.
    """
    reach = [len(short(names.get(cui, cui), NAME)) for cui in columns]
    over = max(5.2 * size - 40 * (len(columns) - j - 0.5) for j, size in enumerate(reach))
    up = 18 + 4.1 * max(reach)
    fig.update_layout(margin_t=fig.layout.margin.t + up, margin_r=max(20, over + 8))
    fig.update_layout(height=fig.layout.height + up)
    for j, cui in enumerate(columns):
        fig.add_annotation(
            text=_label(cui, names, cui in known, theme), textangle=-38, x=j, y=1, yref="paper", xshift=-6,
            yshift=4, xanchor="left", yanchor="bottom", showarrow=False,
            font={"size": 13, "color": theme.ink},
        )  # fmt: skip
