"""Where do two systems differ? One bar per query, sorted by the difference; a click opens the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.colour import TEXT_CONTRAST, readable
from evalcore.figures.frame import axis, empty_figure, figure
from evalcore.figures.marks import BETTER, by_id
from evalcore.figures.words import count, percent, safe, short, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.theme import Theme
    from evalcore.model import Floats, Offsets

MAX_BARS = 1_500
BINS = 500
"""Up to how many queries each has its own bar, and how many bars there are beyond that."""


def delta_bars(
    query_ids: Sequence[str],
    deltas: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    theme: Theme,
    selected: str | None = None,
) -> go.Figure:
    """Score of ``a`` minus score of ``b`` for every query, largest gain of ``a`` first.

    Parameters
    ----------
    query_ids, deltas
        Aligned, shape (n,). NaN differences are left out and counted. Equal differences stand in
        the order of the ids. Above 1,500 queries each bar is the mean of neighbours in this order
        and opens the query in its middle; the hover text says so.
    selected
        The query that is open; its bar is drawn in ink.
    """
    order = _order(query_ids, deltas)
    if not len(order):
        return empty_figure(f"{a} and {b} share no query with a value under {metric}.", theme=theme)
    equal, left_out = int(np.sum(deltas[order] == 0)), len(deltas) - len(order)
    subtitle = f"n = {count(len(order), 'query', 'queries')} · {equal:,} equal" + (
        f" · {left_out:,} without a value left out" if left_out else ""
    )
    fig = figure(theme=theme, height=280, title=f"{metric}: {short(a, 22)} − {short(b, 22)}",
                 subtitle=subtitle, bottom=44)  # fmt: skip
    groups = np.array_split(order, min(len(order), BINS)) if len(order) > MAX_BARS else None
    bars = _single(query_ids, deltas, order) if groups is None else _grouped(query_ids, deltas, groups)
    ids, x, y, width, told = bars
    sides = [theme.up if value > 0 else theme.down if value < 0 else theme.neutral for value in y]
    colours = [theme.ink if one == selected else side for one, side in zip(ids, sides, strict=True)]
    fig.add_trace(go.Bar(
        x=x, y=y, width=width, customdata=ids, hovertext=told, meta=[safe(a), safe(b)],
        hovertemplate="%{hovertext}<br>%{meta[0]} − %{meta[1]}: %{y:+.3g}<extra></extra>",
        marker={"color": colours, "line": {"color": colours, "width": 1 if len(x) > 60 else 0}},
    ))  # fmt: skip
    reach = 1.15 * float(np.max(np.abs(y))) or 1.0
    _name_directions(fig, deltas[order], a, b, theme)
    fig.update_layout(bargap=0 if len(x) > 60 else 0.15)
    fig.update_xaxes(axis(theme, title="queries, sorted by difference", grid=False, showticklabels=False,
                          range=[0.5, len(order) + 0.5]))  # fmt: skip
    fig.update_yaxes(axis(theme, title=safe(f"difference · {BETTER} for {short(a, 18)}"), nticks=6,
                          range=[-reach, reach], tickformat=".3~g"))  # fmt: skip
    fig.add_hline(y=0, line={"color": theme.muted, "width": 1})
    return fig


def delta_bars_alt(deltas: Floats, *, a: str, b: str, metric: str) -> str:
    """The take-away: on how many queries each is better, and the largest differences."""
    known = deltas[np.isfinite(deltas)]
    if not len(known):
        return f"{a} and {b} share no query with a value under {metric}."
    wins, losses = int(np.sum(known > 0)), int(np.sum(known < 0))
    return (
        f"{metric} over {count(len(known), 'query', 'queries')}: {a} is better on {wins:,}, {b} on "
        f"{losses:,}, equal on {len(known) - wins - losses:,}; the differences run from "
        f"{signed(float(known.min()))} to {signed(float(known.max()))}."
    )


Bars = tuple[list[str], "Floats", "Floats", "Floats", list[str]]


def _order(query_ids: Sequence[str], deltas: Floats) -> Offsets:
    """Positions of the queries with a value: difference descending, then id."""
    known = by_id(query_ids, np.flatnonzero(np.isfinite(deltas)))
    return known[np.argsort(-deltas[known], kind="stable")]


def _single(query_ids: Sequence[str], deltas: Floats, order: Offsets) -> Bars:
    """One bar per query: ids, x, y, widths, hover texts."""
    ids = [query_ids[i] for i in order]
    x = np.arange(1, len(order) + 1, dtype=np.float64)
    return (
        ids,
        x,
        deltas[order],
        np.full(len(order), 1.0 if len(order) > 60 else 0.85),
        [safe(i) for i in ids],
    )


def _grouped(query_ids: Sequence[str], deltas: Floats, groups: list[Offsets]) -> Bars:
    """One bar per group of neighbours in the order: mean difference, id of the middle query."""
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    ends = np.cumsum(sizes)
    ids = [query_ids[group[len(group) // 2]] for group in groups]
    means = np.array([float(np.mean(deltas[group])) for group in groups])
    told = [
        f"mean of {count(len(group), 'query', 'queries')}; a click opens {safe(name)}"
        for group, name in zip(groups, ids, strict=True)
    ]
    return ids, ends - (sizes - 1) / 2, means, sizes, told


def _name_directions(fig: go.Figure, known: Floats, a: str, b: str, theme: Theme) -> None:
    """Above the line "A better: n", below it "B better: n", where the bars leave room."""
    wins, losses = int(np.sum(known > 0)), int(np.sum(known < 0))
    for name, n, colour, up in ((a, wins, theme.up, True), (b, losses, theme.down, False)):
        share = safe(percent(n / len(known)))
        fig.add_annotation(
            text=f"{'▲' if up else '▼'} <b>{safe(short(name, 20))} better</b><br>{n:,} · {share}",
            xref="paper", yref="paper", x=1 if up else 0, y=1 if up else 0, xanchor="right" if up else "left",
            yanchor="top" if up else "bottom", align="right" if up else "left", showarrow=False,
            font={"size": 13, "color": readable(colour, theme.surface, TEXT_CONTRAST)},
        )  # fmt: skip
