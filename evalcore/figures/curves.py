"""What changes along an axis: scores with the cutoff and with recall, ranks with the measure, p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, nothing
from evalcore.figures.lines import Curve, Line, curve_of, lines
from evalcore.figures.matrix import slanted_room
from evalcore.figures.theme import SystemStyle, Theme, style_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.model import Interval
from evalcore.values.writing import number, pluralize, safe, short

# How does a score change further down the list, or with recall? Lines with bands.

CUTOFFS = Reading(
    "How good do the results remain further down the list? Higher is better; bands show how "
    "sure the average is.",
    "Mean over the defined queries at each cutoff k with its bootstrap interval, pointwise and not "
    "corrected for the number of cutoffs; long ranges of k on a logarithmic axis.",
)
RECALL = Reading(
    "The further to the right, the more of the images with the query's label have been found; the higher, "
    "the fewer other images are among them. A line above another is better.",
    "Interpolated precision at eleven levels of recall (trec_eval iprec_at_recall), mean over the queries "
    "with a bootstrap interval, pointwise. Relevant images a list does not return leave precision 0.",
)


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
    """A metric against the cutoff k for each system, with interval bands.

    ``curves``: {system: one interval per entry of ``ks``}; NaN means leave a gap. ``ks``: cutoffs, ascending;
    a logarithmic axis from a ratio of 20 on. ``metric``: shown on the axis, for example "P(organ)@k".
    ``systems``: all systems of the study: they fix the colours. ``baseline``: its name is bold.
    ``current``: the cutoff used elsewhere on the page, marked by a dotted line.
    """
    shown = _with_value(curves, systems, baseline, theme)
    if not shown or not ks:
        return nothing(f"No system has a value under {metric}.", CUTOFFS, theme=theme)
    return _of_systems(
        shown,
        ks,
        x=_k_axis(ks),
        top=marks.ceiling(i for line in shown for i in line.row),
        what="mean",
        title=f"{metric} as k grows",
        over="Mean over the queries",
        upright=None if current is None else (current, f"k = {current}"),
        theme=theme,
        alt=_about_cutoffs(shown, ks, metric),
        reading=CUTOFFS,
    )


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
    shown = _with_value(curves, systems, baseline, theme)
    if not shown or not levels:
        return nothing(f"No system has a value by {target}.", RECALL, theme=theme)
    half = min(range(len(levels)), key=lambda j: abs(levels[j] - 0.5))
    best = _leader(shown, half)
    leads = f"{best.name} is highest with" if len(shown) > 1 else f"{best.name} has"
    x: Parts = {"range": [-0.03, 1.03], "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    return _of_systems(
        shown,
        levels,
        x=x | {"title": "recall: share of the relevant images found"},
        top=1,
        what="precision",
        title=f"Precision and recall by {target}",
        over="Interpolated precision, mean over the queries",
        upright=None,
        theme=theme,
        alt=f"Precision and recall by {target}: where {levels[half]:.0%} of the relevant images are found, "
        f"{leads} {number(best.row[half].mean)}.",
        reading=RECALL,
    )


def _with_value(
    curves: Mapping[str, Sequence[Interval]], systems: Sequence[str], baseline: str | None, theme: Theme
) -> list[Line]:
    """The lines with a value, as the systems look."""
    every = (
        Line(name, row, style_of(name, systems, theme), name == baseline) for name, row in curves.items()
    )
    return [line for line in every if line.has_value]


def _of_systems(
    shown: Sequence[Line],
    at: Sequence[float],
    *,
    x: Parts,
    top: float,
    what: str,
    title: str,
    over: str,
    upright: tuple[float, str] | None,
    theme: Theme,
    alt: str,
    reading: Reading,
) -> Drawn:
    """The lines from 0 to ``top``; ``what``: what is upward, ``over``: the same in the subtitle."""
    means = [i for line in shown for i in line.row]
    return lines(
        [curve_of(line, at, lambda _: "", mark=8) for line in shown],
        x=x,
        y={"title": f"{what} · {marks.BETTER}", "range": [0, top]},
        title=title,
        subtitle=f"{over} and its {means[0].level:.0%} interval · {marks.n_of(i.n for i in means)}",
        upright=upright,
        theme=theme,
        alt=alt,
        reading=reading,
        hovermode="x unified",
    )


def _leader(shown: Sequence[Line], j: int) -> Line:
    """The highest line at a place, of equal ones the first by name."""
    by_name = sorted(shown, key=lambda line: line.name)
    return max(by_name, key=lambda line: float(np.nan_to_num(line.row[j].mean, nan=-1.0)))


def _about_cutoffs(shown: Sequence[Line], ks: Sequence[int], metric: str) -> str:
    """The leader at the first and the last k, and how its score changes between."""
    first, last = _leader(shown, 0), _leader(shown, -1)
    alone = len(shown) == 1
    text = f"{metric}: at k = {ks[0]} {first.name} {'has' if alone else 'is highest with'} "
    text += number(first.row[0].mean)
    if len(ks) > 1:
        leads = "" if alone else "it still leads with " if last is first else f"{last.name} leads with "
        text += f"; at k = {ks[-1]} {leads}{number(last.row[-1].mean)}"
    return f"{text}."


def _k_axis(ks: Sequence[int]) -> Parts:
    """Ticks at the cutoffs themselves, at most eight of them."""
    log = max(ks) / max(1, min(ks)) >= 20
    ticks = sorted({*ks[:: -(-len(ks) // 8)], ks[-1]})
    low, high = (log10(ks[0]), log10(ks[-1])) if log else (float(ks[0]), float(ks[-1]))
    pad = 0.03 * (high - low) or 0.5
    return {
        "title": "k: how many results are counted",
        "type": "log" if log else "linear",
        "range": [low - pad, high + pad],
        "tickvals": ticks,
        "ticktext": [str(k) for k in ticks],
    }


# Does the winner depend on the measure? Ranks of the systems under each, joined by lines.

SLOPES = Reading(
    "Follow one line from left to right. Lines that cross mean that the better system depends on how "
    "“relevant” is defined.",
    "Ranks by mean over the common queries; equal means in the order of names. A crossing need not be "
    "significant: see the p-values.",
)


def rank_slopes(
    places: Offsets,
    means: Floats,
    *,
    names: Sequence[str],
    labels: Sequence[str],
    systems: Sequence[str],
    theme: Theme,
    of: str = "",
) -> Drawn:
    """One line per system through its ranks under the measures, best on top.

    ``places``, ``means``: shape (systems, measures); ranks from 1. ``names``, ``labels``: of the rows and the
    columns. ``systems``: all systems of the study: they fix the colours. ``of``: what the means are over, for
    the subtitle.
    """
    if len(names) < 2 or not np.isfinite(means).any():
        message = "A ranking takes two systems with a value. Add rankings or vectors on the Data page."
        return nothing(message, SLOPES, theme=theme)
    last = len(labels) - 1
    upright = len(labels) <= (3 if theme.narrow else 5)
    ticks = [
        wrap(short(label, 28), 12) if theme.narrow and upright else [short(label, 28)] for label in labels
    ]
    across = list(range(len(labels)))
    drawn = [
        Curve(
            name,
            across,
            places[i].tolist(),
            style_of(name, systems, theme),
            [
                f"{safe(name)}<br>{safe(label)}: rank {place}, mean {number(mean)}"
                for label, place, mean in zip(labels, places[i], means[i], strict=True)
            ],
            mark=11,
        )
        for i, name in enumerate(names)
    ]
    return lines(
        drawn,
        height=38 * len(names),
        x=marks.column_ticks(["<br>".join(map(safe, line)) for line in ticks], theme)
        | {"grid": True, "range": [-0.2, last + 0.12], "tickangle": 0 if upright else -38},
        y={
            "title": "rank",
            "grid": False,
            "range": [len(names) + 0.5, 0.5],
            "tickvals": list(range(1, len(names) + 1)),
        },
        bottom=14 + 17 * max(map(len, ticks)) if upright else slanted_room([line for (line,) in ticks]),
        title="Ranking of the systems under each measure",
        subtitle=f"1 is best{f' · {of}' if of else ''} · systems whose lines cross swap ranks",
        theme=theme,
        alt=_about_slopes(places, names, labels),
        reading=SLOPES,
    )


def _about_slopes(places: Offsets, names: Sequence[str], labels: Sequence[str]) -> str:
    """Who is first under how many measures, and who moves most."""
    firsts = [names[int(np.argmin(places[:, j]))] for j in range(len(labels))]
    leaders = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    first = ", ".join(f"{name} under {firsts.count(name)}" for name in leaders)
    moves = places.max(axis=1) - places.min(axis=1)
    most = int(np.argmax(moves))
    moved = f"{names[most]} moves most, by {pluralize(int(moves[most]), 'rank')}"
    moved = moved if moves[most] else "no two swap ranks"
    return f"Rank 1 over {pluralize(len(labels), 'measure')}: {first}; {moved}."


# Which measure separates systems? The p-values of all pairs of systems under each.

SEPARATED = Reading(
    "Each line is a measure. The longer it stays low, the more pairs of systems it separates with these "
    "queries. It does not mean that the measure is right.",
    "Achieved significance levels of all pairs, ascending (Sakai 2006 draws them descending), paired "
    "permutation test, common queries for all measures; values at the bottom are limited by the number of "
    "resamples.",
)
P_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 1)


class Separated(NamedTuple):
    """One measure: how many of the pairs of systems it separates, and all p-values in ascending order."""

    label: str
    separated: int
    pairs: int
    p: Floats


def significance_curves(
    rows: Sequence[Separated],
    *,
    measures: Sequence[str],
    theme: Theme,
    floor: float,
    level: float = 0.05,
    of: str = "",
) -> Drawn:
    """Each measure's p-values in ascending order: a curve that stays low longer separates more pairs.

    ``measures``: all labels that could be shown: they fix the colours. ``floor``: the smallest p the test can
    give, 1/(resamples + 1); the axis begins there.
    """
    rows = [row for row in rows if row.pairs and np.isfinite(row.p).all()]
    if not rows:
        return nothing("There must be at least two systems with a value to separate.", SEPARATED, theme=theme)
    below = ", ".join(f"{row.label} {int(np.sum(row.p < level))} of {row.pairs}" for row in rows)
    return lines(
        [_p_curve(row, style_of(row.label, measures, theme), floor) for row in rows],
        height=320,
        name=24,
        x={
            "title": "pairs of systems, by p",
            "range": [0.5, max(row.pairs for row in rows) + 0.5],
            "tickformat": "d",
            "nticks": 8,
        },
        y={
            "title": "p · ↓ separated",
            "type": "log",
            "range": [log10(floor) - 0.1, 0.05],
            "tickvals": P_TICKS,
            "ticktext": [f"{p:g}" for p in P_TICKS],
        },
        title="p-values of all pairs of systems",
        subtitle=f"{of + ' · ' if of else ''}uncorrected, smallest first · dotted: {level:g}",
        across=level,
        theme=theme,
        alt=f"Uncorrected p-values below {level:g}: {below}.",
        reading=SEPARATED,
    )


def _p_curve(row: Separated, style: SystemStyle, floor: float) -> Curve:
    hover = [
        f"{safe(row.label)}<br>pair {i} of {row.pairs}: p {'≤' if p <= floor else '='} {number(p)}"
        for i, p in enumerate(row.p, start=1)
    ]
    places, heights = list(range(1, row.pairs + 1)), np.maximum(row.p, floor)
    return Curve(row.label, places, heights, style, hover, mark=7 if row.pairs <= 30 else 0, width=2)
