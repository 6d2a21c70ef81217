"""How does a score change further down the list, or with recall? Lines with bands, named at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.bands import LABEL_GAP, Line, band_and_line, end_names, room_for_names
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import BETTER, Y_AXIS, above_line, ceiling, level_line, n_of
from evalcore.figures.theme import Theme, style_of
from evalcore.values.model import Interval
from evalcore.values.writing import number

HOW_TO_READ = Reading(
    "How good do the results remain further down the list? Higher is better; bands show how "
    "sure the average is.",
    "Mean over the defined queries at each cutoff k with its bootstrap interval, pointwise and not "
    "corrected for the number of cutoffs; long ranges of k on a logarithmic axis.",
)
HOW_TO_READ_RECALL = Reading(
    "The further to the right, the more of the images with the query's label have been found; the higher, "
    "the fewer others stand among them. A line above another is better.",
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
    return Drawn(drawn, _take_away(shown, ks, metric), HOW_TO_READ)


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
        return nothing(f"No system has a value by {target}.", HOW_TO_READ_RECALL, theme=theme)
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
    said = (
        f"Precision and recall by {target}: where {levels[half]:.0%} of the relevant images are found, "
        f"{best.name} is highest with {number(best.row[half].mean)}."
    )
    return Drawn(drawn, said, HOW_TO_READ_RECALL)


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


def _take_away(shown: Sequence[Line], ks: Sequence[int], metric: str) -> str:
    """The leader at the first and the last k, and how its score changes between."""
    first, last = _leader(shown, 0), _leader(shown, -1)
    said = f"{metric}: at k = {ks[0]} {first.name} is highest with {number(first.row[0].mean)}"
    if len(ks) > 1:
        leads = "it still leads" if last is first else f"{last.name} leads"
        said += f"; at k = {ks[-1]} {leads} with {number(last.row[-1].mean)}"
    return f"{said}."


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
