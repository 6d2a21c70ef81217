"""How does a score change further down the list, or with recall? Lines with bands, named at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.bands import LABEL_GAP, Line, band_and_line, end_names, room_for_names
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.leaderboard import any_value, dot_of, ranked
from evalcore.figures.marks import (
    BETTER,
    Y_AXIS,
    above_line,
    ceiling,
    level_line,
    n_of,
    note,
    row_axis,
    score_axis,
)
from evalcore.figures.theme import Theme, style_of
from evalcore.values.model import Interval
from evalcore.values.writing import arrow, number, pluralize, safe, short

HOW_TO_READ = Reading(
    "How good do the results remain further down the list? Higher is better; bands show how "
    "sure the average is.",
    "Mean over the defined queries at each cutoff k with its bootstrap interval, pointwise and not "
    "corrected for the number of cutoffs; long ranges of k on a logarithmic axis.",
)
RECALL_READING = Reading(
    "The further to the right, the more of the images with the query's label have been found; the higher, "
    "the fewer other images are among them. A line above another is better.",
    "Interpolated precision at eleven levels of recall (trec_eval iprec_at_recall), mean over the queries "
    "with a bootstrap interval, pointwise. Relevant images a list does not return leave precision 0.",
)
HEIGHT = 300
LABEL_WIDTH = 20
"""Characters of a name at a line's end at most."""


def metric_curves(
    curves: Mapping[str, Sequence[Interval]],
    ks: Sequence[int],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    current: int | None = None,
) -> Drawn:
    """A metric against the cutoff k for each system, with interval bands and names at the line ends.

    ``curves``: {system: one interval per entry of ``ks``}; NaN means leave a gap. ``ks``: cutoffs, ascending.
    A logarithmic axis from a ratio of 20 on. ``metric``: shown on the axis, for example "P(organ)@k".
    ``systems``: all systems of the study: they fix the colours. ``baseline``: named as such at its line end.
    ``current``: the cutoff used elsewhere on the page, marked by a dotted line.
    """
    shown = _lines(curves, systems, baseline, theme)
    if not shown or not ks:
        return nothing(f"No system has a value under {metric}.", HOW_TO_READ, theme=theme)
    log = max(ks) / max(1, min(ks)) >= 20
    shapes, notes = [], []
    if current is not None:
        shapes.append(level_line(current, theme))
        notes.append(above_line(f"k = {current}", math.log10(current) if log else current, theme))
    drawn = _drawn(
        shown,
        ks,
        [math.log10(k) if log else float(k) for k in ks],
        theme,
        top=ceiling(i for line in shown for i in line.row),
        title=f"{metric} as k grows",
        what="Mean over the queries",
        y="mean",
        x=_k_axis(ks, log, theme),
        notes=notes,
        shapes=shapes,
    )
    return Drawn(drawn, _curves_take_away(shown, ks, metric), HOW_TO_READ)


def precision_recall(
    curves: Mapping[str, Sequence[Interval]],
    levels: Sequence[float],
    *,
    target: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
) -> Drawn:
    """Interpolated precision against recall for each system, with interval bands.

    ``curves``: {system: one interval per entry of ``levels``}; NaN means leave a gap. ``levels``: levels of
    recall, ascending from 0 to 1. ``target``: the labels that make an image relevant, for example "organ".
    ``systems``, ``baseline``: as for `metric_curves`.
    """
    shown = _lines(curves, systems, baseline, theme)
    if not shown or not levels:
        return nothing(f"No system has a value by {target}.", RECALL_READING, theme=theme)
    x = axis(
        theme,
        title="recall: share of the relevant images found",
        grid=False,
        range=[-0.03, 1.03],
        tickvals=[0, 0.2, 0.4, 0.6, 0.8, 1],
        automargin=False,
    )
    drawn = _drawn(
        shown,
        levels,
        levels,
        theme,
        top=1,
        title=f"Precision and recall by {target}",
        what="Interpolated precision, mean over the queries",
        y="precision",
        x=x,
    )
    half = min(range(len(levels)), key=lambda j: abs(levels[j] - 0.5))
    best = _leader(shown, half)
    leads = f"{best.name} is highest with" if len(shown) > 1 else f"{best.name} has"
    text = (
        f"Precision and recall by {target}: where {levels[half]:.0%} of the relevant images are found, "
        f"{leads} {number(best.row[half].mean)}."
    )
    return Drawn(drawn, text, RECALL_READING)


def _lines(
    curves: Mapping[str, Sequence[Interval]], systems: Sequence[str], baseline: str | None, theme: Theme
) -> list[Line]:
    """Those with a value, as the systems look."""
    every = (
        Line(name, row, style_of(name, systems, theme), name == baseline) for name, row in curves.items()
    )
    return [line for line in every if line.has_value]


def _drawn(
    shown: Sequence[Line],
    at: Sequence[float],
    places: Sequence[float],
    theme: Theme,
    *,
    top: float,
    title: str,
    what: str,
    x: Parts,
    y: str,
    notes: Sequence[Parts] = (),
    shapes: Sequence[Parts] = (),
) -> go.Figure:
    """The lines from 0 to ``top``; ``places``: those of ``at`` as the axis counts; ``y``: what is upward."""
    height = max(HEIGHT, LABEL_GAP * len(shown))
    means = [i for line in shown for i in line.row]
    return figure(
        theme=theme,
        height=height,
        title=title,
        left=Y_AXIS,
        right=room_for_names(shown, LABEL_WIDTH),
        bottom=48,
        above=14,
        subtitle=f"{what} and its {means[0].level:.0%} interval · {n_of(i.n for i in means)}",
        traces=[trace for line in shown for trace in band_and_line(line, at, lambda _: "", mark=8)],
        notes=[*end_names(shown, places, width=LABEL_WIDTH, pixels=height / top, lowest=0), *notes],
        shapes=shapes,
        hovermode="x unified",
        x=x,
        y=axis(theme, title=f"{y} · {BETTER}", range=[0, top], nticks=6, automargin=False),
    )


def _leader(shown: Sequence[Line], j: int) -> Line:
    """The highest line at a place, of equal ones the first by name."""
    by_name = sorted(shown, key=lambda line: line.name)
    return max(by_name, key=lambda line: float(np.nan_to_num(line.row[j].mean, nan=-1.0)))


def _curves_take_away(shown: Sequence[Line], ks: Sequence[int], metric: str) -> str:
    """The leader at the first and the last k, and how its score changes between."""
    first, last = _leader(shown, 0), _leader(shown, -1)
    alone = len(shown) == 1
    is_first = "has" if alone else "is highest with"
    text = f"{metric}: at k = {ks[0]} {first.name} {is_first} {number(first.row[0].mean)}"
    if len(ks) > 1 and alone:
        text += f"; at k = {ks[-1]} {number(last.row[-1].mean)}"
    elif len(ks) > 1:
        leads = "it still leads" if last is first else f"{last.name} leads"
        text += f"; at k = {ks[-1]} {leads} with {number(last.row[-1].mean)}"
    return f"{text}."


def _k_axis(ks: Sequence[int], log: bool, theme: Theme) -> Parts:
    """Ticks at the cutoffs themselves, at most eight of them."""
    every = -(-len(ks) // 8)
    ticks = sorted({*ks[::every], ks[-1]})
    low, high = (math.log10(ks[0]), math.log10(ks[-1])) if log else (float(ks[0]), float(ks[-1]))
    pad = 0.03 * (high - low) or 0.5
    return axis(
        theme,
        title="k: how many results are counted",
        grid=False,
        type="log" if log else "linear",
        range=[low - pad, high + pad],
        tickvals=ticks,
        ticktext=[str(k) for k in ticks],
        automargin=False,
    )


# Does the winner depend on the metric? The same systems in one panel per metric.

MULTIPLES_READING = Reading(
    "One panel per score, the same systems in the same rows. Marks that do not fall in line mean the "
    "winner depends on what is measured.",
    "Rows ordered by the first metric; each panel has its own scale from 0; bootstrap "
    "intervals over queries.",
)
SMALL_ROW = 26
NAME, NARROW_NAME = 40, 22
"""Characters of a panel's name, in two columns at most and in more."""
PANEL_HEAD = 70
"""Pixels of a row, and between two rows of panels."""


def leaderboard_multiples(
    table: Mapping[str, Mapping[str, Interval]],
    *,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    columns: int = 3,
) -> Drawn:
    """One panel per metric, every panel with the same systems in the same rows.

    ``table`` is {metric: {system: interval}}. The rows are ordered by the first metric, so a change
    of order shows as dots that do not fall in line. Each panel has its own scale, from 0.
    """
    table = {metric: row for metric, row in table.items() if any_value(row)}
    if not table:
        return nothing("No system has a value under the chosen metrics.", MULTIPLES_READING, theme=theme)
    everyone = {name: interval for row in reversed(table.values()) for name, interval in row.items()}
    order = ranked(everyone)
    down = -(-len(table) // columns)
    shape = (down, -(-len(table) // down))
    height = SMALL_ROW * len(order) * down + PANEL_HEAD * (down - 1)
    axes: dict[str, Any] = {}
    traces, notes = [], []
    for i, (metric, row) in enumerate(table.items()):
        axes |= _panel_axes(i, shape, PANEL_HEAD / height, row, _names(order, baseline), theme)
        name = short(metric, NAME if columns < 3 else NARROW_NAME)
        notes.append(_panel_name(i, f"{name} {arrow(True)}" if _lower(row) else name, theme))
        for place, name in enumerate(order):
            if name in row:
                dot = dot_of(row[name], place, name, systems, theme, size=10, metric=metric)
                traces.append(dot | {"xaxis": _axis_of("x", i), "yaxis": _axis_of("y", i)})
    sizes = n_of(interval.n for row in table.values() for interval in row.values())
    lower = any(map(_lower, table.values()))
    drawn = figure(
        theme=theme,
        height=height,
        title="Systems under each metric",
        bottom=30,
        above=22,
        subtitle=f"Mean and interval · {sizes} · {BETTER}{', but ↓ as marked' if lower else ''}",
        right=20,
        traces=traces,
        notes=notes,
        **axes,
    )
    return Drawn(drawn, _take_away(table), MULTIPLES_READING)


def _take_away(table: Mapping[str, Mapping[str, Interval]]) -> str:
    """The take-away: which system is highest under how many of the metrics."""
    firsts = [ranked(row)[0] for row in table.values() if any_value(row)]
    best = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    if len({name for row in table.values() for name in row}) == 1 and best:
        means = ", ".join(f"{metric} {number(row[best[0]].mean)}" for metric, row in table.items())
        return f"Means of {best[0]}: {means}."
    summary = ", ".join(f"{name} under {firsts.count(name)}" for name in best)
    best_mean = "Best" if any(map(_lower, table.values())) else "Highest"
    return f"{best_mean} mean, over {pluralize(len(firsts), 'metric')}: {summary}."


def _lower(row: Mapping[str, Interval]) -> bool:
    """Whether lower is better under the metric of a panel."""
    return any(interval.lower_is_better for interval in row.values())


def _axis_of(letter: str, panel: int) -> str:
    """plotly's name of an axis: x, x2, x3 ..."""
    return letter + (str(panel + 1) if panel else "")


def _panel_axes(
    i: int,
    shape: tuple[int, int],
    gap: float,
    row: Mapping[str, Interval],
    ticks: Sequence[str],
    theme: Theme,
) -> dict[str, Parts]:
    """Both axes of the i-th panel, row by row from the top; names only in the first column."""
    down, across = shape
    line, column = divmod(i, across)
    wide, high = (1 - 0.05 * (across - 1)) / across, (1 - gap * (down - 1)) / down
    left, top = column * (wide + 0.05), 1 - line * (high + gap)
    x, y = _axis_of("x", i), _axis_of("y", i)
    return {
        x.replace("x", "xaxis"): score_axis(
            row.values(), theme, nticks=5, anchor=y, domain=[left, min(1, left + wide)]
        ),
        y.replace("y", "yaxis"): row_axis(
            ticks, theme, anchor=x, domain=[max(0, top - high), top], showticklabels=column == 0
        ),
    }


def _panel_name(i: int, name: str, theme: Theme) -> Parts:
    return note(
        f"<b>{safe(name)}</b>",
        0,
        1,
        theme.ink,
        size=13,
        xref=f"{_axis_of('x', i)} domain",
        yref=f"{_axis_of('y', i)} domain",
        yshift=18,
        xanchor="left",
    )


def _names(order: Sequence[str], baseline: str | None) -> list[str]:
    """Row names of the panels, the baseline's bold."""
    ticks = {name: safe(short(name, 16)) for name in order}
    return [f"<b>{text}</b>" if name == baseline else text for name, text in ticks.items()]
