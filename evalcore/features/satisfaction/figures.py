"""Satisfied users: which measure agrees with them, and how relevance varies in what they saw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from evalcore.features.satisfaction.agreement import (
    MEASURES,
    Agreement,
    AgreementResult,
    Dot,
    Split,
    SweepRow,
)
from evalcore.features.satisfaction.data import GAINS, SUBSETS
from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import (
    CIVIDIS,
    MARK_CONTRAST,
    TEXT_CONTRAST,
    Theme,
    categorical,
    readable,
    scale_of,
)
from evalcore.values.writing import fixed, number, p_equals, pluralize, safe, span

# Two correlations with satisfaction per measure, each on its interval.

HOW_TO_READ = Reading(
    "Further right: the measure is high where people are satisfied and low where not. 0: it says "
    "nothing about satisfaction. Lines show how sure each value is.",
    "Spearman’s rho with satisfaction over queries, percentile bootstrap intervals, pointwise. The two of "
    "a measure share their queries: lines may overlap though they differ.",
)
ROW = 46
APART = 0.16
"""How far the two of a measure lie from the middle of their row."""
SIDE = 104
SYMBOLS_AGREEMENT = ("circle", "diamond")


class Pair(NamedTuple):
    """The two values of one measure, and the texts beside them."""

    metric: str
    first: Agreement
    second: Agreement
    main: str = ""
    small: str = ""


BOTH_GAINS = ("original gain", "context-aware gain")


def of_gains(result: AgreementResult, depth: int) -> list[Pair]:
    """Every measure on both gains over the first ``depth`` rows, the difference and its p at the side."""
    pairs = []
    for metric in MEASURES:
        original, aware = (result.row(metric, gain, depth) for gain in GAINS)
        change = result.difference(metric, depth)
        pairs.append(Pair(metric, original, aware, _gap(change.difference), p_equals(change.p_corrected)))
    return pairs


def of_quarters(halves: Split) -> list[Pair]:
    """Every measure on original gain, where relevance varies least and most, the difference at the side."""
    pairs = []
    for metric in MEASURES:
        low, high = (halves.row(subset, metric, "original") for subset in SUBSETS)
        pairs.append(Pair(metric, low, high, _gap(high.spearman - low.spearman)))
    return pairs


def _gap(value: float) -> str:
    """A difference with as many places in every row."""
    return f"+{fixed(value, 3)}" if value > 0 else fixed(value, 3)


def paired_agreement(
    pairs: Sequence[Pair], *, names: tuple[str, str], title: str, subtitle: str, theme: Theme
) -> Drawn:
    """One row per measure, in the order given; ``names`` of the two values of each."""
    known = [one for pair in pairs for one in pair[1:3] if math.isfinite(one.spearman)]
    if not known:
        return nothing("No measure tracks satisfaction here.", HOW_TO_READ, theme=theme)
    traces = [mark for i, pair in enumerate(pairs) for mark in _row(pair, i, names, theme)]
    colours = _colours(theme, TEXT_CONTRAST)
    legend, right = [], 0
    for i, (sign, name) in enumerate(zip("●◆", names, strict=True)):
        legend.append(marks.legend_entry(f"{sign} {name}", right, colours[i]))
        right += 30 + round(7.0 * len(name))
    drawn = figure(
        theme=theme,
        height=ROW * len(pairs) + 8,
        left=marks.room_for(pair.metric for pair in pairs),
        bottom=48,
        right=SIDE if any(pair.main for pair in pairs) else 16,
        above=24,
        title=title,
        subtitle=subtitle,
        traces=traces,
        shapes=[marks.level_line(0, theme, dash="solid")],
        notes=[
            *(marks.beside(i, p.main, p.small, theme, width=SIDE - 6) for i, p in enumerate(pairs) if p.main),
            *legend,
        ],
        x=axis(
            theme,
            title="Spearman’s ρ with satisfaction",
            range=_reach(pairs),
            nticks=7,
            tickformat=".2~f",
            automargin=False,
        ),
        y=marks.row_axis([safe(pair.metric) for pair in pairs], theme, automargin=False),
    )
    return Drawn(drawn, _agreement_take_away(pairs, names), HOW_TO_READ)


def _row(pair: Pair, row: int, names: tuple[str, str], theme: Theme) -> list[Parts]:
    """Both values of a measure."""
    parts: list[Parts] = []
    colours = _colours(theme, MARK_CONTRAST)
    for i, one in enumerate((pair.first, pair.second)):
        y = row + (2 * i - 1) * APART
        if not math.isfinite(one.spearman):
            continue
        text = f"{pair.metric}, {names[i]}: {number(one.spearman)}"
        if math.isfinite(one.ci_low):
            text += f" ({span(one.ci_low, one.ci_high)})"
        parts.append(
            marks.on_interval(
                one.ci_low,
                one.spearman,
                one.ci_high,
                at=y,
                name=names[i],
                hover=safe(text),
                colour=colours[i],
                fill=colours[i],
                symbol=SYMBOLS_AGREEMENT[i],
                width=2.5,
                edge=1,
            )
        )
    return parts


def _colours(theme: Theme, least: float) -> tuple[str, str]:
    return readable(theme.up, theme.surface, least), readable(theme.down, theme.surface, least)


def _reach(pairs: Sequence[Pair]) -> list[float]:
    """From 0, or below where something lies there, to just beyond the largest end."""
    ends = [x for p in pairs for one in p[1:3] for x in (one.spearman, one.ci_low, one.ci_high)]
    known = [x for x in ends if math.isfinite(x)]
    low, high = min(0.0, *known), max(0.0, *known)
    room = 0.06 * (high - low)
    return [low - (room if low < 0 else 0.01), high + room]


def _agreement_take_away(pairs: Sequence[Pair], names: tuple[str, str]) -> str:
    """The take-away: every value."""
    each = [f"{p.metric} {names[0]} {_value(p.first)}, {names[1]} {_value(p.second)}" for p in pairs]
    return f"Spearman correlation with satisfaction: {'; '.join(each)}."


def _value(agreement: Agreement) -> str:
    return number(agreement.spearman) if math.isfinite(agreement.spearman) else "without a value"


# Every query by its first rows: the paper's Figure 3.

HEIGHT = 260
MOST_DOTS = 1_500
"""Queries drawn, evenly spaced in their order; more would slow the browser down."""
DOTS_READING = Reading(
    "Each dot is a search. Yellow: people were satisfied, blue: they were not. Dots far up: some of the "
    "first images fit much better than others.",
    "Population standard deviation and mean of relevance in the first rows; r′ = relevance times its share "
    "of the best relevance before it, without the window.",
)


def satisfaction_dots(
    dots: Sequence[Dot], *, against: Literal["mean", "beside"], rows: int, theme: Theme
) -> Drawn:
    """Figure 3 (a) with ``against="mean"``: mean by standard deviation of relevance; (b) with "beside": the
    standard deviation of relevance by that of relevance beside better images. Coloured by satisfaction.

    ``rows``: how many first rows.
    """
    if not dots:
        return nothing("There is no query to draw here.", DOTS_READING, theme=theme)
    shown = dots[:: -(-len(dots) // MOST_DOTS)]
    x = [dot.mean if against == "mean" else dot.spread for dot in shown]
    y = [dot.spread if against == "mean" else dot.beside for dot in shown]
    title, across, up = {
        "mean": ("Mean and spread of relevance", "mean relevance", "standard deviation"),
        "beside": (
            "Spread before and after comparing",
            "standard deviation of r",
            "standard deviation of r′",
        ),
    }[against]
    values = [dot.satisfaction for dot in shown]
    look = {
        "color": values,
        "colorscale": scale_of(*CIVIDIS),
        "cmin": min(values),
        "cmax": max(max(values), min(values) + 1e-9),
        "size": 7,
        "opacity": 0.85,
        "line": {"color": theme.muted, "width": 0.5},
        "colorbar": {
            "title": {"text": "satisfaction", "font": {"size": 12, "color": theme.muted}, "side": "right"},
            "thickness": 10,
            "outlinewidth": 0,
            "nticks": 5,
            "tickfont": {"size": 11, "color": theme.muted},
        },
    }
    hover = [
        safe(
            f"{dot.query}: mean {number(dot.mean)}, standard deviation {number(dot.spread)} (r′ "
            f"{number(dot.beside)}), satisfaction {number(dot.satisfaction)}"
        )
        for dot in shown
    ]
    reach = [-0.02 * max(*x, *y, 1e-9), 1.05 * max(*x, *y, 1e-9)] if against == "beside" else None
    drawn_of = "" if len(shown) == len(dots) else f"{len(shown):,} of "
    drawn = figure(
        theme=theme,
        height=HEIGHT + 40,
        title=title,
        subtitle=f"first {pluralize(rows, 'row')} · {drawn_of}{pluralize(len(dots), 'query', 'queries')}",
        left=marks.Y_AXIS,
        right=84,
        above=8,
        bottom=52,
        traces=[marks.scatter(x, y, "markers", hover, marker=look)],
        shapes=[_diagonal(reach, theme)] if reach else [],
        x=axis(theme, title=across, nticks=6, tickformat=".2~f", automargin=False, **_range(reach)),
        y=axis(theme, title=up, nticks=6, tickformat=".2~f", automargin=False, **_range(reach)),
    )
    below = sum(dot.beside < dot.spread for dot in dots)
    more = sum(dot.beside > dot.spread for dot in dots)
    take_away = (
        f"Mean relevance from {number(min(d.mean for d in dots))} to {number(max(d.mean for d in dots))}, "
        f"standard deviation up to {number(max(d.spread for d in dots))}, in {len(dots):,} queries."
        if against == "mean"
        else f"Comparing with the best image before raises the standard deviation in {more:,} of "
        f"{len(dots):,} queries and lowers it in {below:,}."
    )
    return Drawn(drawn, take_away, DOTS_READING)


def _range(reach: list[float] | None) -> Parts:
    return {"rangemode": "tozero"} if reach is None else {"range": reach}


def _diagonal(reach: list[float], theme: Theme) -> Parts:
    """Where both standard deviations are the same."""
    line = {"color": theme.muted, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": 0, "y0": 0, "x1": reach[1], "y1": reach[1], "line": line, "layer": "below"}


# Agreement by window, for either discount.

SWEEP_READING = Reading(
    "Further up: the measure follows satisfaction more closely. If a line hardly moves, the window does not "
    "matter; dotted lines are the same measure without comparing images.",
    "Spearman’s rho with satisfaction of the discounted gain per image; dotted: original gain, which has no "
    "window.",
)
SYMBOLS_SWEEP = ("circle", "diamond")


def sweep_curves(rows: Sequence[SweepRow], *, depth: int, theme: Theme) -> Drawn:
    """One line for each discount over the windows, and the original gain beside it.

    ``depth``: rows of the page that count.
    """
    if not rows:
        return nothing("There is no setting to draw here.", SWEEP_READING, theme=theme)
    lines: dict[str, list[SweepRow]] = {}
    for row in rows:
        lines.setdefault(row.discount, []).append(row)
    palette = [readable(colour, theme.surface, MARK_CONTRAST) for colour in categorical(theme)]
    traces: list[Parts] = []
    for (name, own), colour, symbol in zip(lines.items(), palette, SYMBOLS_SWEEP, strict=False):
        hover = [
            safe(f"{name}, window {row.window}: {number(row.spearman)} ({span(row.ci_low, row.ci_high)})")
            for row in own
        ]
        across = [row.window for row in own]
        traces.append(
            marks.scatter(
                across,
                [row.spearman for row in own],
                "lines+markers",
                hover,
                name=safe(name),
                line={"color": colour, "width": 2, "dash": "solid"},
                marker={"size": 6, "color": colour, "symbol": symbol},
            )
        )
        original = {"color": colour, "width": 1, "dash": "dot"}
        traces.append(
            marks.scatter(across, [row.original for row in own], "lines", name="original", line=original)
        )
    legend, right = [], 0
    for sign, name, colour in zip("●◆", lines, categorical(theme), strict=False):
        text = readable(colour, theme.surface, TEXT_CONTRAST)
        legend.append(marks.legend_entry(safe(f"{sign} {name}"), right, text))
        right += 34 + round(7.0 * len(name))
    drawn = figure(
        theme=theme,
        height=HEIGHT + 40,
        title="Does the window matter?",
        subtitle=f"first {pluralize(depth, 'row')} · dotted: original gain",
        left=marks.Y_AXIS,
        right=16,
        above=24,
        bottom=52,
        traces=traces,
        notes=legend,
        x=axis(theme, title="window, images", nticks=8, tickformat="d", automargin=False),
        y=axis(
            theme,
            title="Spearman’s ρ with satisfaction",
            nticks=6,
            tickformat=".2~f",
            automargin=False,
            range=marks.reach((x for row in rows for x in (row.spearman, row.original)), air=0.1, least=0.02),
        ),
    )
    known = [row for row in rows if math.isfinite(row.spearman)]
    if not known:
        return nothing("No setting tracks satisfaction.", SWEEP_READING, theme=theme)
    low, high = min(r.spearman for r in known), max(r.spearman for r in known)
    return Drawn(
        drawn,
        f"Agreement with satisfaction from {number(low)} to {number(high)} over {len(rows):,} settings.",
        SWEEP_READING,
    )
