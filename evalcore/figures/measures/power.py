"""Which measure separates systems? Shares of separated pairs, and the curves of their p-values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.figures.bands import LABEL_GAP, spread, tied
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, bars, beside, row_axis
from evalcore.figures.numbers import number, share, things
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import SystemStyle, Theme
    from evalcore.values.arrays import Floats

HOW_TO_READ = Reading(
    "A longer bar means that fewer pairs of systems look alike to this measure with these queries. It does "
    "not mean that the measure is right.",
    "Discriminative power (Sakai 2006): pairs with a corrected p below the level, paired permutation "
    "test; common queries for all measures.",
)
HOW_TO_READ_CURVES = Reading(
    "Each line is a measure. The longer it stays low, the more pairs of systems it separates.",
    "Achieved significance levels of all pairs, ascending (Sakai draws them descending); values at the "
    "bottom are limited by the number of resamples.",
)
ROW = 34
HEIGHT = 320
NAME = 24
P_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 1)
NOTHING = "There must be at least two systems with a value to separate."


class Separated(NamedTuple):
    """One measure: how many of the pairs of systems it separates, and all p-values in ascending order."""

    label: str
    separated: int
    pairs: int
    p: Floats


def power_bars(rows: Sequence[Separated], *, theme: Theme, of: str = "", level: float = 0.05) -> Drawn:
    """Share of the pairs of systems that each measure separates, largest first."""
    rows = sorted((row for row in rows if row.pairs), key=lambda row: -row.separated)
    if not rows:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    hover = [
        f"{safe(row.label)}: {row.separated} of {things(row.pairs, 'pair')} of systems separated"
        for row in rows
    ]
    shares = [row.separated / row.pairs for row in rows]
    drawn = figure(
        theme=theme, height=ROW * len(rows), title="Pairs of systems each measure separates", right=112,
        bottom=44, subtitle=f"{of + ' · ' if of else ''}corrected p below {level:g}",
        traces=[bars(shares, hover, {"color": theme.accent}, width=0.55)],
        notes=[
            beside(i, f"{row.separated} of {row.pairs}", "", theme, width=88) for i, row in enumerate(rows)
        ],
        x=axis(
            theme, title="share of all pairs of systems", range=[0, 1.0], tickformat=".0%",
            tickvals=[0, 0.5, 1], tickangle=0,
        ),
        y=row_axis([safe(short(row.label, NAME)) for row in rows], theme, grid=False),
    )  # fmt: skip
    of_all = [
        f"{row.label} {row.separated} of {row.pairs} ({share(part)})"
        for row, part in zip(rows, shares, strict=True)
    ]
    return Drawn(drawn, f"Pairs of systems separated, most first: {', '.join(of_all)}.", HOW_TO_READ)


def significance_curves(
    rows: Sequence[Separated], *, measures: Sequence[str], theme: Theme, floor: float, level: float = 0.05,
    of: str = "",
) -> Drawn:  # fmt: skip
    """Each measure's p-values in ascending order: a curve that stays low longer separates more pairs.

    Parameters
    ----------
    measures
        All labels that could be shown: they fix the colours.
    floor
        The smallest p the test can give, 1/(resamples + 1); the axis begins there.
    """
    rows = [row for row in rows if row.pairs and np.isfinite(row.p).all()]
    if not rows:
        return nothing(NOTHING, HOW_TO_READ_CURVES, theme=theme)
    n = max(row.pairs for row in rows)
    styles = [style_of(row.label, measures, theme) for row in rows]
    low = math.log10(floor) - 0.1
    drawn = figure(
        theme=theme, height=max(HEIGHT, LABEL_GAP * len(rows)), title="p-values of all pairs of systems",
        subtitle=f"{of + ' · ' if of else ''}uncorrected, smallest first · dotted: {level:g}",
        right=30 + 7.2 * max(len(short(row.label, NAME)) for row in rows), bottom=46,
        traces=[_curve(row, style, floor) for row, style in zip(rows, styles, strict=True)],
        notes=_labels(rows, styles, max(HEIGHT, LABEL_GAP * len(rows)), low, floor),
        shapes=[{
            "type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": level, "y1": level, "layer": "below",
            "line": {"color": theme.muted, "width": 1.5, "dash": "2px,3px"},
        }],
        x=axis(theme, title="pairs of systems, by p", grid=False, range=[0.5, n + 0.5],
               tickformat="d", nticks=8),
        y=axis(theme, title="p · ↓ separated", type="log", range=[low, 0.05],
               tickvals=P_TICKS, ticktext=[f"{p:g}" for p in P_TICKS]),
    )  # fmt: skip
    below = ", ".join(f"{row.label} {int(np.sum(row.p < level))} of {row.pairs}" for row in rows)
    return Drawn(drawn, f"Uncorrected p-values below {level:g}: {below}.", HOW_TO_READ_CURVES)


def _curve(row: Separated, style: SystemStyle, floor: float) -> Parts:
    hover = [
        f"{safe(row.label)}<br>pair {i} of {row.pairs}: p {'≤' if p <= floor else '='} {number(p)}"
        for i, p in enumerate(row.p, start=1)
    ]
    return {
        "type": "scatter", "x": list(range(1, row.pairs + 1)), "y": np.maximum(row.p, floor),
        "mode": "lines+markers" if row.pairs <= 30 else "lines", "name": safe(row.label),
        "hovertext": hover, "hovertemplate": HOVER, "line": style.line(2), "marker": style.marker(7, 1),
    }  # fmt: skip


def _labels(
    rows: Sequence[Separated], styles: Sequence[SystemStyle], height: float, low: float, floor: float
) -> list[Parts]:
    """Names at the right ends, moved apart, each tied to its end."""
    ends = [math.log10(max(float(row.p[-1]), floor)) for row in rows]
    wanted = [height / (0.05 - low) * (end - low) for end in ends]
    placed = spread(wanted, LABEL_GAP, 0, height)
    return [
        tied(safe(short(row.label, NAME)), (row.pairs, end), here - there, style)
        for row, style, end, here, there in zip(rows, styles, ends, wanted, placed, strict=True)
    ]
