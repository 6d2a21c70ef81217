"""Which queries are worth opening? Score of one system against the other, query by query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.colour import faded
from evalcore.figures.frame import axis, empty_figure, figure
from evalcore.figures.marks import BETTER, by_id
from evalcore.figures.words import count, safe, short, three

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.theme import Theme
    from evalcore.model import Floats, Offsets

MAX_MARKS = 2_000
CELLS = 40
"""Beyond this many different positions, queries are gathered in cells of 1/40 of the axis."""


def score_scatter(
    query_ids: Sequence[str],
    values_a: Floats,
    values_b: Floats,
    *,
    a: str,
    b: str,
    metric: str,
    good_at: float,
    theme: Theme,
    selected: str | None = None,
) -> go.Figure:
    """Every query as a dot: score of ``a`` across, of ``b`` upwards, on the diagonal no difference.

    Parameters
    ----------
    query_ids, values_a, values_b
        Aligned, shape (n,). Pairs with a NaN are left out and counted.
    good_at
        The score from which a result counts as good; it draws the four named quarters.
    selected
        The query that is open, ringed.

    Queries at the same position share one dot whose area is their number; it opens the first of
    them by id. Beyond 2,000 positions dots are the centres of cells.
    """
    known = np.flatnonzero(np.isfinite(values_a) & np.isfinite(values_b))
    if not len(known):
        return empty_figure(f"{a} and {b} share no query with a value under {metric}.", theme=theme)
    known = by_id(query_ids, known)
    x, y = values_a[known], values_b[known]
    top = max(float(np.max(x)), float(np.max(y)), good_at) * 1.04 or 1.0
    first, sizes = _positions(x, y, top)
    left_out = len(values_a) - len(known)
    fig = figure(
        theme=theme, height=400, title=f"{metric}, query by query", bottom=44,
        subtitle=f"n = {count(len(known), 'query', 'queries')}"
        + (f" · {left_out:,} without a value left out" if left_out else "")
        + (f" · larger dots hold more queries, up to {sizes.max():,}" if sizes.max() > 1 else ""),
    )  # fmt: skip
    _quarters(fig, good_at, top, a, b, theme)
    ids = [query_ids[i] for i in known[first]]
    fig.add_trace(_dots(ids, x[first], y[first], sizes, (a, b), theme))
    if selected is not None and selected in query_ids:
        fig.add_trace(_ring(query_ids, values_a, values_b, selected, theme))
    same: dict[str, Any] = {"range": [-0.02 * top, top], "nticks": 6, "constrain": "domain"}
    fig.update_xaxes(axis(theme, title=safe(f"{short(a, 24)} · {BETTER}"), **same))
    fig.update_yaxes(axis(theme, title=safe(f"{short(b, 24)} · {BETTER}"), scaleanchor="x", **same))
    return fig


def score_scatter_alt(
    values_a: Floats, values_b: Floats, *, a: str, b: str, metric: str, good_at: float
) -> str:
    """The take-away: how many queries are good under both, one or none of the systems."""
    known = np.isfinite(values_a) & np.isfinite(values_b)
    if not known.any():
        return f"{a} and {b} share no query with a value under {metric}."
    good_a, good_b = values_a[known] >= good_at, values_b[known] >= good_at
    return (
        f"{metric} over {count(int(known.sum()), 'query', 'queries')}; good means at least {three(good_at)}: "
        f"both good on {int(np.sum(good_a & good_b)):,}, only {a} on {int(np.sum(good_a & ~good_b)):,}, "
        f"only {b} on {int(np.sum(~good_a & good_b)):,}, both poor on {int(np.sum(~good_a & ~good_b)):,}."
    )


def _positions(x: Floats, y: Floats, top: float) -> tuple[Offsets, Offsets]:
    """The first query at each position (or in each cell, beyond 2,000) and how many are there."""
    places = np.stack([x, y], axis=1)
    _, first, sizes = np.unique(places, axis=0, return_index=True, return_counts=True)
    if len(first) > MAX_MARKS:
        cells = np.floor(places / top * CELLS)
        _, first, sizes = np.unique(cells, axis=0, return_index=True, return_counts=True)
    return first.astype(np.int64), sizes.astype(np.int64)


def _dots(
    ids: Sequence[str], x: Floats, y: Floats, sizes: Offsets, names: tuple[str, str], theme: Theme
) -> go.Scatter:
    """The queries, blue where the first system is better, orange where the second is."""
    side = np.sign(x - y).astype(int)
    colours = np.array([theme.down, theme.neutral, theme.up])[side + 1]
    told = [
        safe(name) if n == 1 else f"{count(int(n), 'query', 'queries')} here; a click opens {safe(name)}"
        for name, n in zip(ids, sizes, strict=True)
    ]
    return go.Scatter(
        x=x, y=y, mode="markers", customdata=list(ids), hovertext=told, meta=[safe(name) for name in names],
        hovertemplate="%{hovertext}<br>%{meta[0]}: %{x:.3g}<br>%{meta[1]}: %{y:.3g}<extra></extra>",
        marker={
            "size": np.clip(8 * np.sqrt(sizes), 8, 34), "color": colours, "opacity": 0.8,
            "symbol": np.array(["diamond", "square", "circle"])[side + 1],
            "line": {"color": theme.surface, "width": 1},
        },
    )  # fmt: skip


def _ring(query_ids: Sequence[str], x: Floats, y: Floats, selected: str, theme: Theme) -> go.Scatter:
    i = list(query_ids).index(selected)
    return go.Scatter(
        x=[x[i]], y=[y[i]], mode="markers", customdata=[selected], hoverinfo="skip",
        marker={"size": 18, "color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 2.5}},
    )  # fmt: skip


def _quarters(fig: go.Figure, good_at: float, top: float, a: str, b: str, theme: Theme) -> None:
    """The diagonal, the two lines at ``good_at``, and what each quarter means."""
    line: dict[str, Any] = {"type": "line", "layer": "below"}
    dashed = {"color": theme.muted, "width": 1, "dash": "4px,4px"}
    fig.add_shape(**line, x0=0, y0=0, x1=top, y1=top, line={"color": theme.muted, "width": 1.5})
    fig.add_shape(**line, x0=good_at, x1=good_at, y0=0, y1=1, yref="y domain", line=dashed)
    fig.add_shape(**line, y0=good_at, y1=good_at, x0=0, x1=1, xref="x domain", line=dashed)
    corners = {
        ("right", "top"): "both good",
        ("left", "bottom"): "both poor",
        ("right", "bottom"): f"only {short(a, 16)} good",
        ("left", "top"): f"only {short(b, 16)} good",
    }
    for (side, end), text in corners.items():
        fig.add_annotation(
            text=safe(text), xref="x domain", yref="y domain",
            x=float(side == "right"), y=float(end == "top"),
            xanchor=side, yanchor=end, showarrow=False, font={"size": 12, "color": theme.muted},
            bgcolor=faded(theme.surface, 0.75), borderpad=2,
        )  # fmt: skip
