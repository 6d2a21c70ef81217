"""Measures beside each other: agreement with people and among them, and the systems under each."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.clouds import cloud, colour_bar
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, nothing
from evalcore.figures.lines import Curve, lines
from evalcore.figures.matrix import heat, matrix, slanted_room, square
from evalcore.figures.rows import Row, interval_rows
from evalcore.figures.theme import CIVIDIS_6, SystemStyle, Theme, plain_style, style_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import MINUS, number, pluralize, safe, short, span

# Which similarity of concepts orders pairs as people do? A mark on its interval for each, best first.

RATINGS = Reading(
    "Further right: the measure puts pairs of concepts in an order more like that of the people who rated "
    "them. At the dotted line it does no better than chance. Filled: similarity by the hierarchy. Open: "
    "relatedness, which also counts what merely belongs together. If two lines overlap a lot, do not call "
    "one better.",
    "Spearman’s rho between the measure and the mean ratings over the pairs with two known concepts, "
    "unconnected ones 0; percentile bootstrap over pairs, the same draws wherever n agrees. Filled: "
    "similarity; open: relatedness. Overlap of intervals is no test.",
)


class RatedRow(NamedTuple):
    """A similarity of concepts: its name, whether it is relatedness, rho with its interval, and the pairs."""

    name: str
    relatedness: bool
    rho: float
    low: float
    high: float
    n: int


def rated_concepts(rows: Sequence[RatedRow], *, ratings: str, level: float, theme: Theme) -> AccessibleFigure:
    """The similarities in the order given; those without a value are named without a mark.

    ``ratings``: what they are compared with, such as the name of a file; ``level`` of the intervals.
    """
    known = [row for row in rows if isfinite(row.rho)]
    sizes = marks.n_of((row.n for row in known), "pair") if known else ""
    style = plain_style("", theme.accent, theme)
    drawn = [
        measure_row(
            row.name,
            (row.rho, row.low, row.high),
            f"<b>{safe(row.name)}</b> ({'relatedness' if row.relatedness else 'similarity'})<br>"
            f"{number(row.rho)}, {level:.0%} interval {span(row.low, row.high)}<br>"
            f"{pluralize(row.n, 'pair')}",
            style,
            hollow=row.relatedness,
        )
        for row in rows
    ]
    return interval_rows(
        drawn,
        title=f"Measures against {short(ratings, 40)}",
        subtitle=f"Agreement in order (Spearman’s rho) and its {level:.0%} interval · {sizes}",
        x=chance_axis(drawn, "agreement in order", 0.0),
        lines=[(0.0, "chance")],
        name=30,
        theme=theme,
        reading=RATINGS,
        none="No measure covers enough of the rated concepts.",
    )


def measure_row(
    name: str,
    at: tuple[float, float, float],
    hover: str,
    style: SystemStyle,
    *,
    hollow: bool = False,
    click: str = "",
) -> Row:
    """The row of a measure by one statistic, which with its ends is also beside it."""
    value, low, high = at
    ends = f"{number(low, 2)} to {number(high, 2)}" if isfinite(low) else ""
    beside = (number(value, 2), ends) if isfinite(value) else ("no value", "")
    return Row(name, value, low, high, style, numbers=(beside,), hover=hover, hollow=hollow, click=click)


def chance_axis(rows: Sequence[Row], statistic: str, chance: float) -> Parts:
    """The axis of a statistic that covers all rows and the value that chance gives."""
    ends = [chance, *(x for row in rows for x in (row.value, row.low, row.high))]
    title = safe(f"{statistic} · {marks.better_across()}")
    return {"title": title, "tickformat": ".2~f", "range": marks.axis_range(ends, air=0.05, least=0.1)}


# How similarly do measures order things? Rank correlations of every two as a heat map with numbers.

AGREEMENT = Reading(
    "Each square compares two measures. Strong blue and near 1: they put things in the same order, so either "
    "will do. Faint: they look at different things. Orange: one rises where the other falls.",
    "Spearman's rho above the diagonal and Kendall's tau-b below it (ties corrected); empty where a measure "
    "does not vary.",
)


def agreement_matrix(
    labels: Sequence[str], spearman: Floats, kendall: Floats, *, sample: str, theme: Theme, both: bool = True
) -> AccessibleFigure:
    """Measures against measures: blue where two order alike, orange where they order the other way.

    ``labels``: names of the m measures, in the order of rows and columns. ``spearman``, ``kendall``: shape
    (m, m); NaN cells stay empty. ``sample``: what was ordered and how many, for the subtitle: "10,000
    pairs of images". ``both``: Spearman above the diagonal and Kendall below; else Kendall in both halves.
    """
    m = len(labels)
    shown = np.where(np.triu(np.ones((m, m), bool), 1) & both, spearman, kendall)
    shown[np.diag_indices(m)] = np.nan
    if not np.isfinite(kendall[np.tril_indices(m, -1)]).any():
        none = "Fewer than two measures order these at all, so there is no agreement to show."
        return nothing(none, AGREEMENT, theme=theme)
    kinds = "above the diagonal Spearman’s ρ, below Kendall’s τ" if both else "Kendall’s τ"
    return matrix(
        shown,
        colours=(theme.down, theme.surface, theme.up),
        low=-1,
        high=1,
        axes=square(labels, theme, width=28),
        title="Do the measures agree?",
        subtitle=f"{sample} · {kinds} · 1 same order, 0 unrelated, −1 reversed",
        numbers=[(shown, _correlation)],
        size=13 if m <= 10 else 11,
        hover=[
            [
                f"{safe(a)} and {safe(b)}<br>{'Spearman’s ρ' if both and right > down else 'Kendall’s τ'} "
                f"{_correlation(shown[down, right], 3)}"
                for right, b in enumerate(labels)
            ]
            for down, a in enumerate(labels)
        ],
        theme=theme,
        names=(labels, labels),
        reading=AGREEMENT,
        constant=True,
    )


def _correlation(value: float, places: int = 2) -> str:
    """A correlation: two decimals, "1" only when it is exactly that.

    >>> _correlation(0.997), _correlation(1.0), _correlation(-0.25)
    ('>0.99', '1', '−0.25')
    """
    if not np.isfinite(value):
        return ""
    if value == 1:
        return "1"
    written = f"{value:.{places}f}"
    return ">0." + "9" * places if float(written) == 1 else written.replace("-", MINUS)


# Two measures on the same pairs of images: where do they fall, and which pairs do they disagree on?

PAIRS = Reading(
    "Each square contains pairs of images. At the left edge the measure named below the figure finds nothing "
    "in common where the other one does. The rings are the pairs listed below; select one to see why.",
    "26 x 26 cells, colour by the logarithm of the number of pairs; rings by the largest difference of "
    "mid-ranks.",
)
GRID = 26
"""Cells along each side."""
SHADES = {"light": CIVIDIS_6, "dark": ("#575C6E", "#75746F", "#948E77", "#B4A76F", "#D9C75A", "#FEE838")}
"""The whole scale on a light page; on a dark one its lighter two thirds, so that single pairs show."""
NAME = 26


class Marked(NamedTuple):
    """A pair worth opening: where it lies, the text a click carries, and what it is called."""

    x: float
    y: float
    carries: str
    name: str


def measure_cloud(
    x: Floats, y: Floats, *, a: str, b: str, theme: Theme, marked: Sequence[Marked], sample: str, rho: float
) -> AccessibleFigure:
    """Value of every pair under measure ``a`` (across) and ``b`` (upwards), counted in cells.

    ``x``, ``y``: shape (n,), no NaN. The plane is cut into 26 x 26 cells; their colour is the number of pairs
    on a logarithmic scale, because most pairs have nothing in common. ``marked``: pairs drawn as numbered
    rings that a click opens. ``sample``: what the pairs are, for the subtitle. ``rho``: Spearman's
    correlation of the two, for the take-away; NaN where there is none.
    """
    if not len(x):
        return nothing(f"No pair of images has a value under both {a} and {b}.", PAIRS, theme=theme)
    only_a, only_b = int(np.sum((x > 0) & (y <= 0))), int(np.sum((y > 0) & (x <= 0)))
    alike = f"; Spearman's rho {number(rho)}" if np.isfinite(rho) else ""
    rings = marks.scatter(
        [pair.x for pair in marked],
        [pair.y for pair in marked],
        "markers",
        [safe(pair.name) for pair in marked],
        customdata=[pair.carries for pair in marked],
        cliponaxis=False,
        marker={"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.down, "width": 2.5}},
    )
    return cloud(
        [_cells(x, y, a, b, theme), *([rings] if marked else [])],
        x=_side(a, x),
        y=_side(b, y),
        right=64,
        title=f"{short(b, NAME)} against {short(a, NAME)}",
        subtitle=f"{sample} · colour: how many pairs share a cell, in steps of ten"
        + (" · rings: the pairs listed below" if marked else ""),
        theme=theme,
        alt=f"{pluralize(len(x), 'pair')} of images under {a} and {b}: {only_a:,} are relevant under "
        f"{a} only, {only_b:,} under {b} only{alike}.",
        reading=PAIRS,
    )


def _ends(values: Floats) -> tuple[float, float]:
    """The range of an axis: 0 to 1 widened to what there is."""
    return min(0.0, float(values.min())), max(1.0, float(values.max()))


def _side(name: str, values: Floats) -> Parts:
    low, high = _ends(values)
    pad = 0.03 * (high - low)
    return {"title": f"{safe(short(name, NAME))} · → closer", "grid": False, "range": [low - pad, high + pad]}


def _cells(x: Floats, y: Floats, a: str, b: str, theme: Theme) -> Parts:
    """The number of pairs of every cell with any; edges lie half a cell outside the range."""
    centres = [np.linspace(*_ends(values), GRID) for values in (x, y)]
    at = [
        np.clip(np.rint((values - c[0]) / (c[1] - c[0])).astype(int), 0, GRID - 1)
        for values, c in zip((x, y), centres, strict=True)
    ]
    counts = np.bincount(at[1] * GRID + at[0], minlength=GRID * GRID).reshape(GRID, GRID)
    with np.errstate(divide="ignore"):
        depth = np.where(counts > 0, np.log10(counts), np.nan)
    hover = [
        [
            f"{safe(short(a, NAME))} about {number(cx)}<br>{safe(short(b, NAME))} about {number(cy)}<br>"
            f"{pluralize(int(counts[j, i]), 'pair')}"
            for i, cx in enumerate(centres[0])
        ]
        for j, cy in enumerate(centres[1])
    ]
    top = max(1, int(np.ceil(np.nanmax(depth))))
    ticks = list(range(top + 1))
    scale = colour_bar(theme, y=0.5, tickvals=ticks, ticktext=[f"{10**i:,}" for i in ticks])
    look: Parts = {"xgap": 1, "ygap": 1, "showscale": True, "colorbar": scale}
    return heat(depth, SHADES[theme.name], 0, top, hover=hover, x=centres[0], y=centres[1], **look)


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
    sample: str,
) -> AccessibleFigure:
    """One line per system through its ranks under the measures, best on top.

    ``places``, ``means``: shape (systems, measures); ranks from 1. ``names``, ``labels``: of the rows and the
    columns. ``systems``: all systems of the study: they fix the colours. ``sample``: what the means are over,
    for the subtitle.
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
        subtitle=f"1 is best · {sample} · systems whose lines cross swap ranks",
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
