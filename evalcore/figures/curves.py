"""How does a score change further down the list? Lines with bands, named at their right ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.colour import faded
from evalcore.figures.frame import axis, empty_figure, figure
from evalcore.figures.marks import BETTER, TOLD, Y_AXIS, above_line, ceiling, level_line, n_of
from evalcore.figures.numbers import number, span
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import SystemStyle, Theme
    from evalcore.model import Interval

HEIGHT = 300
LABEL_GAP = 19
LABEL_WIDTH = 20
"""Pixels between two names at the line ends, and characters of a name there at most."""


def metric_curves(
    curves: Mapping[str, Sequence[Interval]],
    ks: Sequence[int],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    current: int | None = None,
) -> go.Figure:
    """A metric against the cutoff k for each system, with interval bands and names at the line ends.

    Parameters
    ----------
    curves
        {system: one interval per entry of ``ks``}; NaN means leave a gap.
    ks
        Cutoffs, ascending. A logarithmic axis from a ratio of 20 on.
    metric
        Shown on the axis, for example "P(organ)@k".
    systems
        All systems of the study: they fix the colours.
    baseline
        Named as such at its line end.
    current
        The cutoff used elsewhere on the page, marked by a dotted line.
    """
    shown = {name: row for name, row in curves.items() if any(math.isfinite(i.mean) for i in row)}
    if not shown or not ks:
        return empty_figure(f"No system has a value under {metric}.", theme=theme)
    height = max(HEIGHT, LABEL_GAP * len(shown))
    top = ceiling(i for row in shown.values() for i in row)
    log = max(ks) / max(1, min(ks)) >= 20
    notes = _labels(shown, ks, systems, theme, baseline, height / top, log)
    shapes = []
    if current is not None:
        shapes.append(level_line(current, theme))
        notes.append(above_line(f"k = {current}", math.log10(current) if log else current, theme))
    level = next(iter(shown.values()))[0].level
    widest = max(len(short(name, LABEL_WIDTH)) for name in shown)
    return figure(
        theme=theme, height=height, title=f"{metric} as k grows", left=Y_AXIS,
        right=28 + 7.2 * widest, bottom=48, above=14,
        subtitle=f"Mean over the queries and its {level:.0%} interval · "
        f"{n_of(i.n for row in shown.values() for i in row)}",
        traces=[t for name, row in shown.items() for t in _line(ks, row, style_of(name, systems, theme))],
        notes=notes, shapes=shapes, hovermode="x unified", x=_k_axis(ks, log, theme),
        y=axis(theme, title=f"mean · {BETTER}", range=[0, top], nticks=6, automargin=False),
    )  # fmt: skip


def metric_curves_alt(curves: Mapping[str, Sequence[Interval]], ks: Sequence[int], *, metric: str) -> str:
    """The take-away: the leader at the first and the last k, and how its score changes between."""
    shown = {name: row for name, row in curves.items() if any(math.isfinite(i.mean) for i in row)}
    if not shown or not ks:
        return f"No system has a value under {metric}."

    def leader(j: int) -> str:
        return max(sorted(shown), key=lambda name: np.nan_to_num(shown[name][j].mean, nan=-1.0))

    first, last = leader(0), leader(-1)
    told = f"{metric}: at k = {ks[0]} {first} is highest with {number(shown[first][0].mean)}"
    if len(ks) > 1:
        leads = "it still leads" if last == first else f"{last} leads"
        told += f"; at k = {ks[-1]} {leads} with {number(shown[last][-1].mean)}"
    return f"{told}."


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least ``gap`` apart, in the order of ``wanted`` and as near to it as possible.

    Least squares: subtract the gaps, pool neighbours that are out of order, add the gaps again. The
    result lies within ``low`` to ``high`` where that is wide enough.

    >>> spread([10, 11, 50], gap=10, low=0, high=100)
    [5.5, 15.5, 50.0]
    """
    order = np.argsort(wanted, kind="stable")
    pools: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        total, size = float(wanted[i]) - gap * rank, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before, n = pools.pop()
            total, size = total + before, size + n
        pools.append((total, size))
    room = max(low, high - gap * (len(order) - 1))
    flat = [min(max(total / size, low), room) for total, size in pools for _ in range(size)]
    placed = dict(zip(order.tolist(), (x + gap * rank for rank, x in enumerate(flat)), strict=True))
    return [placed[i] for i in range(len(order))]


def _line(ks: Sequence[int], row: Sequence[Interval], style: SystemStyle) -> list[Parts]:
    """The band of the intervals, then the line of the means with the system's markers."""
    sure = [(k, i) for k, i in zip(ks, row, strict=True) if math.isfinite(i.low)]
    band = {
        "type": "scatter", "x": [k for k, _ in sure] + [k for k, _ in reversed(sure)],
        "y": [i.high for _, i in sure] + [i.low for _, i in reversed(sure)],
        "fill": "toself", "fillcolor": faded(style.fill, 0.16), "mode": "lines", "line": {"width": 0},
        "hoverinfo": "skip", "name": safe(style.name),
    }  # fmt: skip
    told = [f"{safe(short(style.name, 24))}  {number(i.mean)}  ({span(i.low, i.high)})" for i in row]
    line = {
        "type": "scatter", "x": list(ks), "y": [i.mean for i in row], "name": safe(style.name),
        "mode": "lines+markers" if len(ks) <= 12 else "lines",
        "line": {"color": style.colour, "width": 2.5, "dash": style.dash},
        "marker": {"size": 8, "color": style.fill, "symbol": style.symbol,
                   "line": {"color": style.edge, "width": 1.5}},
        "hovertext": told, "hovertemplate": TOLD,
    }  # fmt: skip
    return [band, line]


def _labels(
    shown: Mapping[str, Sequence[Interval]],
    ks: Sequence[int],
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None,
    pixels: float,
    log: bool,
) -> list[Parts]:
    """Names at the line ends in the systems' colours, moved apart, each tied to its end."""
    ends = {n: max(j for j, i in enumerate(row) if math.isfinite(i.mean)) for n, row in shown.items()}
    wanted = [pixels * shown[name][j].mean for name, j in ends.items()]
    placed = spread(wanted, LABEL_GAP, 0, float("inf"))
    labels = []
    for (name, j), here, there in zip(ends.items(), wanted, placed, strict=True):
        style = style_of(name, systems, theme)
        text = safe(short(name, LABEL_WIDTH))
        labels.append({
            "text": f"<b>{text}</b>" if name == baseline else text, "x": math.log10(ks[j]) if log else ks[j],
            "y": shown[name][j].mean, "ax": 22, "ay": here - there, "xanchor": "left", "align": "left",
            "showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": style.colour, "standoff": 5,
            "font": {"size": 13, "color": style.text}, "borderpad": 1,
        })  # fmt: skip
    return labels


def _k_axis(ks: Sequence[int], log: bool, theme: Theme) -> Parts:
    """Ticks at the cutoffs themselves, at most eight of them."""
    every = -(-len(ks) // 8)
    ticks = sorted({*ks[::every], ks[-1]})
    low, high = (math.log10(ks[0]), math.log10(ks[-1])) if log else (float(ks[0]), float(ks[-1]))
    pad = 0.03 * (high - low) or 0.5
    return axis(
        theme, title="k: how many results are looked at", grid=False, type="log" if log else "linear",
        range=[low - pad, high + pad], tickvals=ticks, ticktext=[str(k) for k in ticks], automargin=False,
    )  # fmt: skip
