"""Satisfied users: which measure agrees with them, and what varying relevance has to do with it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from evalcore.features.satisfaction.agreement import (
    MEASURES,
    Agreement,
    AgreementResult,
    Dot,
    Point,
    Split,
    SweepRow,
)
from evalcore.features.satisfaction.data import GAINS, SUBSETS, Resample
from evalcore.features.satisfaction.published import find
from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import (
    CIVIDIS,
    MARK_CONTRAST,
    TEXT_CONTRAST,
    Theme,
    categorical,
    faded,
    readable,
    scale_of,
)
from evalcore.values.writing import fixed, number, p_equals, pluralize, safe, span

# Two correlations with satisfaction per measure, each on its interval, published ones as open marks.

HOW_TO_READ = Reading(
    "Further right: the measure is high where people are satisfied and low where not. 0: it says "
    "nothing about satisfaction. Lines show how sure each value is. Open marks: published for other data.",
    "Spearman’s rho with satisfaction over queries, percentile bootstrap intervals, pointwise. The two of "
    "a measure share their queries: lines may overlap though they differ. Open marks: published.",
)
ROW = 46
APART = 0.16
"""How far the two of a measure lie from the middle of their row."""
SIDE = 104
SYMBOLS_AGREEMENT = ("circle", "diamond")


class Pair(NamedTuple):
    """The two values of one measure, what stands beside them, and what was published (None where nothing)."""

    metric: str
    first: Agreement
    second: Agreement
    main: str = ""
    small: str = ""
    published: tuple[float | None, float | None] = (None, None)


BOTH_GAINS = ("original gain", "context-aware gain")


def of_gains(result: AgreementResult, depth: int, *, beside: int | None = None) -> list[Pair]:
    """Every measure on both gains over the first ``depth`` rows, the difference and its p at the side.

    ``beside``: the data set of the paper whose values are open marks, 1 or 2.
    """
    return [_of_gains(result, metric, depth, beside) for metric in MEASURES]


def _of_gains(result: AgreementResult, metric: str, depth: int, beside: int | None) -> Pair:
    one = result.difference(metric, depth)
    lines = [None if beside is None else find(metric, gain, depth, data_set=beside) for gain in GAINS]
    known = [None if line is None else line.spearman for line in lines]
    return Pair(
        metric,
        result.row(metric, "original", depth),
        result.row(metric, "context-aware", depth),
        _gap(one.difference),
        p_equals(one.p_corrected),
        (known[0], known[1]),
    )


def of_quarters(halves: Split, *, beside: bool = False) -> list[Pair]:
    """Every measure on original gain, where relevance varies least and most, the difference at the side.

    ``beside``: with the values of the paper's Table 2 as open marks.
    """
    return [_of_quarters(halves, metric, beside) for metric in MEASURES]


def _of_quarters(halves: Split, metric: str, beside: bool) -> Pair:
    low, high = (halves.row(subset, metric, "original") for subset in SUBSETS)
    lines = [find(metric, "original", low.depth, data_set=1, subset=subset) for subset in SUBSETS]
    known = [line.spearman if line is not None and beside else None for line in lines]
    return Pair(metric, low, high, _gap(high.spearman - low.spearman), "", (known[0], known[1]))


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
    if any(value is not None for pair in pairs for value in pair.published):
        subtitle += " · open marks: published"
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
    """Both values of a measure, and the open marks of what was published."""
    parts: list[Parts] = []
    colours = _colours(theme, MARK_CONTRAST)
    for i, one in enumerate((pair.first, pair.second)):
        y, published = row + (2 * i - 1) * APART, pair.published[i]
        ring = {
            "size": 11,
            "symbol": f"{SYMBOLS_AGREEMENT[i]}-open",
            "color": colours[i],
            "line": {"width": 2},
        }
        if published is not None:
            parts.append(
                marks.scatter(
                    [published],
                    [y],
                    "markers",
                    [safe(f"{pair.metric}, {names[i]}: published {number(published)}")],
                    name="published",
                    marker=ring,
                )
            )
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
    ends += [x for pair in pairs for x in pair.published if x is not None]
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


# Mean satisfaction of queries by how much the relevance of their first rows varies.

DRAWN: Mapping[Resample, str] = MappingProxyType({"users": "participants", "queries": "queries"})
HEIGHT = 260
SYMBOLS_SPREAD, SIGNS = ("circle", "diamond", "square"), "●◆■"


def satisfaction_by_spread(
    points: Sequence[Point],
    *,
    title: str,
    rows: int,
    per_person: bool,
    theme: Theme,
    resample: Resample = "users",
) -> Drawn:
    """One line, or one for each kind of queries that the points name (``among``).

    ``rows``: how many first rows the spread is of. ``per_person``: satisfaction is 0 to 1 for each.
    ``resample``: what the intervals' bootstrap drew.
    """
    if not points:
        why = "Too few queries to group them by how relevance varies."
        return nothing(why, _how_to_read(resample), theme=theme)
    names = list(dict.fromkeys(point.among for point in points))
    colours = (theme.up, theme.neutral, theme.down)
    traces: list[Parts] = []
    notes: list[Parts] = []
    for i, name in enumerate(names):
        colour = readable(colours[i % 3], theme.surface, MARK_CONTRAST)
        own = [point for point in points if point.among == name]
        traces.append(_line(own, name, colour, SYMBOLS_SPREAD[i % 3]))
        if name:
            text = readable(colours[i % 3], theme.surface, TEXT_CONTRAST)
            notes.append(marks.legend_entry(f"{SIGNS[i % 3]} {name}{'' if i else ' mean'}", 90 * i, text))
    scale = "0 to 1 for each person" if per_person else "as marked"
    n = sum(point.n for point in points)
    drawn = figure(
        theme=theme,
        height=HEIGHT,
        title=title,
        subtitle=f"mean and 95% interval · {pluralize(n, 'query')}",
        left=marks.Y_AXIS,
        right=16,
        above=24 if notes else 8,
        bottom=52,
        traces=traces,
        notes=notes,
        x=axis(
            theme,
            title=f"standard deviation of relevance, first {pluralize(rows, 'row')}",
            rangemode="tozero",
            nticks=6,
            tickformat=".2~f",
            automargin=False,
        ),
        y=axis(
            theme,
            title=f"satisfaction, {scale}",
            nticks=6,
            tickformat=".2~f",
            automargin=False,
            range=marks.reach(
                (x for point in points for x in (point.low, point.satisfaction, point.high)),
                air=0.08,
                least=0.1,
            ),
        ),
    )
    return Drawn(drawn, _take_away(points, names), _how_to_read(resample))


def _how_to_read(resample: Resample) -> Reading:
    return Reading(
        "Each mark is a group of searches. Further right: some of their first images fit well and others do "
        "not. Further up: people were more satisfied. Bars show how sure the average is.",
        "Queries in groups of about equal size by the population standard deviation of relevance in the "
        f"first rows; mean satisfaction with a percentile bootstrap interval over {DRAWN[resample]}, "
        "pointwise.",
    )


def _line(points: Sequence[Point], name: str, colour: str, symbol: str) -> Parts:
    return marks.scatter(
        [point.spread for point in points],
        [point.satisfaction for point in points],
        "lines+markers",
        [_hover(point) for point in points],
        name=safe(name or "all"),
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [point.high - point.satisfaction for point in points],
            "arrayminus": [point.satisfaction - point.low for point in points],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        line={"color": faded(colour, 0.6), "width": 1.5, "dash": "dot"},
        marker={"size": 10, "color": colour, "symbol": symbol, "opacity": 1},
    )


def _hover(point: Point) -> str:
    among = f"{point.among} mean relevance, " if point.among else ""
    ends = f" ({span(point.low, point.high)})" if math.isfinite(point.low) else ""
    return safe(
        f"{among}standard deviation {number(point.spread)}: satisfaction {number(point.satisfaction)}{ends}, "
        f"{pluralize(point.n, 'query')}"
    )


def _take_away(points: Sequence[Point], names: Sequence[str]) -> str:
    """The take-away: from the least to the most varying group, line by line."""
    parts = []
    for name in names:
        own = [point for point in points if point.among == name]
        among = f" among queries of {name} mean relevance" if name else ""
        parts.append(f"{number(own[0].satisfaction)} to {number(own[-1].satisfaction)}{among}")
    return f"Mean satisfaction from the least to the most varying relevance: {'; '.join(parts)}."


# Every query by its first rows: the paper's Figure 3.

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
