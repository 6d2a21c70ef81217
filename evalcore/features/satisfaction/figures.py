"""The figures of context-aware gain against satisfaction: rows with intervals, dots, lines over windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Literal, NamedTuple

from evalcore.features.satisfaction.agreement import AtWindow, Dot, Rho
from evalcore.figures import marks
from evalcore.figures.clouds import cloud, colour_bar
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, nothing
from evalcore.figures.lines import Curve, lines
from evalcore.figures.rows import Row, interval_rows
from evalcore.figures.theme import CIVIDIS, Theme, scale_of, style_of
from evalcore.values.writing import number, pluralize, safe, span

PAIRS = Reading(
    "Further right: the measure is high where people are satisfied and low where not. 0: it says "
    "nothing about satisfaction. Lines show how sure each value is.",
    "Spearman’s rho with satisfaction over queries, percentile bootstrap intervals, pointwise. The two of "
    "a measure share their queries: lines may overlap though they differ.",
)


class Pair(NamedTuple):
    """The two values of one measure, and a small text under their difference."""

    metric: str
    first: Rho
    second: Rho
    below: str = ""


def paired_rhos(
    pairs: Sequence[Pair], *, names: tuple[str, str], title: str, subtitle: str, theme: Theme
) -> AccessibleFigure:
    """Two rows per measure, in the order given, and the difference; ``names`` of the two values of each."""
    styles = {name: style_of(name, names, theme) for name in names}
    rows = [
        Row(
            pair.metric,
            rho.value,
            rho.low,
            rho.high,
            styles[name],
            below=name,
            numbers=(
                (number(pair.second.value - pair.first.value, 3, sign=True), pair.below) if i else ("", ""),
            ),
            hover=safe(f"{pair.metric}, {name}: {_written(rho)}"),
        )
        for pair in pairs
        for i, (name, rho) in enumerate(zip(names, pair[1:3], strict=True))
    ]
    ends = [x for row in rows for x in (row.value, row.low, row.high) if isfinite(x)]
    each = [f"{p.metric} {names[0]} {_written(p.first)}, {names[1]} {_written(p.second)}" for p in pairs]
    return interval_rows(
        rows,
        title=title,
        subtitle=subtitle,
        x={
            "title": "Spearman’s ρ with satisfaction",
            "range": marks.axis_range([0.0, *ends], air=0.06, least=0.02),
            "tickformat": ".2~f",
        },
        theme=theme,
        alt=f"Spearman correlation with satisfaction: {'; '.join(each)}.",
        reading=PAIRS,
        none="No measure has a correlation with satisfaction here.",
        heads=("difference",),
        zero=not theme.narrow,
        row=34,
    )


def _written(rho: Rho) -> str:
    if not isfinite(rho.value):
        return "without a value"
    return number(rho.value) + (f" ({span(rho.low, rho.high)})" if isfinite(rho.low) else "")


# Every query by its first rows: the paper's Figure 3.

MOST_DOTS = 1_500
"""Queries drawn, evenly spaced in their order; more would slow the browser down."""
DOTS = Reading(
    "Each dot is a search. Yellow: people were satisfied, blue: they were not. Dots far up: some of the "
    "first images fit much better than others.",
    "Population standard deviation and mean of relevance in the first rows; r′ = relevance times its share "
    "of the best relevance before it, without the window.",
)
_AXES = {
    "mean": ("Mean and spread of relevance", "mean relevance", "standard deviation"),
    "beside": ("Spread before and after comparing", "standard deviation of r", "standard deviation of r′"),
}


def query_dots(
    dots: Sequence[Dot], *, against: Literal["mean", "beside"], rows: int, theme: Theme
) -> AccessibleFigure:
    """Figure 3 (a) with ``against="mean"``: mean by standard deviation of relevance; (b) with "beside": the
    standard deviation of relevance by that of relevance beside better images. Coloured by satisfaction.

    ``rows``: how many first rows.
    """
    if not dots:
        return nothing("There is no query to draw here.", DOTS, theme=theme)
    shown = dots[:: -(-len(dots) // MOST_DOTS)]
    beside = against == "beside"
    x, y = [d.spread if beside else d.mean for d in shown], [d.beside if beside else d.spread for d in shown]
    title, across, up = _AXES[against]
    values = [dot.satisfaction for dot in shown]
    label = {"text": "satisfaction", "font": {"size": 12, "color": theme.muted}, "side": "right"}
    look = {
        "color": values,
        "colorscale": scale_of(*CIVIDIS),
        "cmin": min(values),
        "cmax": max(max(values), min(values) + 1e-9),
        "size": 7,
        "opacity": 0.85,
        "line": {"color": theme.muted, "width": 0.5},
        "colorbar": colour_bar(theme, title=label),
    }
    hover = [
        safe(
            f"{dot.query}: mean {number(dot.mean)}, standard deviation {number(dot.spread)} (r′ "
            f"{number(dot.beside)}), satisfaction {number(dot.satisfaction)}"
        )
        for dot in shown
    ]
    top = max(*x, *y, 1e-9)
    ends: Parts = {"range": [-0.02 * top, 1.05 * top]} if beside else {"rangemode": "tozero"}
    dotted = {"color": theme.muted, "width": 1, "dash": "dot"}
    diagonal = {"type": "line", "x0": 0, "y0": 0, "x1": top, "y1": top, "line": dotted, "layer": "below"}
    part = "" if len(shown) == len(dots) else f"{len(shown):,} of "
    return cloud(
        [marks.scatter(x, y, "markers", hover, marker=look)],
        x={"title": across, "tickformat": ".2~f", **ends},
        y={"title": up, "tickformat": ".2~f", **ends},
        title=title,
        subtitle=f"first {pluralize(rows, 'row')} · {part}{pluralize(len(dots), 'query', 'queries')}",
        theme=theme,
        alt=f"Comparing with the best image before raises the standard deviation in "
        f"{sum(d.beside > d.spread for d in dots):,} of {len(dots):,} queries and lowers it in "
        f"{sum(d.beside < d.spread for d in dots):,}."
        if beside
        else f"Mean relevance from {number(min(d.mean for d in dots))} to "
        f"{number(max(d.mean for d in dots))}, standard deviation up to "
        f"{number(max(d.spread for d in dots))}, in {len(dots):,} queries.",
        reading=DOTS,
        height=300,
        right=84,
        shapes=[diagonal] if beside else [],
    )


# Agreement by window, for either discount.

WINDOWS = Reading(
    "Further up: the measure follows satisfaction more closely. If a line hardly moves, the window does not "
    "matter; dotted lines are the same measure without comparing images.",
    "Spearman’s rho with satisfaction of the discounted gain per image; dotted: original gain, which has no "
    "window.",
)


def window_curves(rows: Sequence[AtWindow], *, depth: int, theme: Theme) -> AccessibleFigure:
    """One line for each discount over the windows, the original gain dotted; ``depth``: rows that count."""
    if not any(isfinite(row.rho.value) for row in rows):
        return nothing("No setting has a correlation with satisfaction.", WINDOWS, theme=theme)
    names = list(dict.fromkeys(row.discount for row in rows))
    curves, dotted = [], []
    styles = {name: style_of(name, names, theme) for name in names}
    for name in names:
        own = [row for row in rows if row.discount == name and isfinite(row.rho.value)]
        across = [row.window for row in own]
        hover = [safe(f"{name}, window {row.window}: {_written(row.rho)}") for row in own]
        if own:
            curves.append(Curve(name, across, [row.rho.value for row in own], styles[name], hover, mark=6))
        line = {"color": styles[name].colour, "width": 1, "dash": "dot"}
        dotted.append(
            marks.scatter(across, [row.original for row in own], "lines", name="original", line=line)
        )
    values = [value for row in rows for value in (row.rho.value, row.original) if isfinite(value)]
    known = [row.rho.value for row in rows if isfinite(row.rho.value)]
    return lines(
        curves,
        x={"title": "window, images", "tickformat": "d"},
        y={
            "title": "Spearman’s ρ with satisfaction",
            "tickformat": ".3~f",
            "range": marks.axis_range(values, air=0.1, least=0.02),
        },
        title="Does the window matter?",
        subtitle=f"first {pluralize(depth, 'row')} · dotted: original gain",
        theme=theme,
        alt=f"Agreement with satisfaction from {number(min(known))} to {number(max(known))} over "
        f"{len(rows):,} settings.",
        reading=WINDOWS,
        over=dotted,
    )
