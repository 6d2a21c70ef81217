"""Which system is better? A dot with its interval per system, under one metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import Theme, style_of
from evalcore.stats.levels import best_first
from evalcore.study.reads import remark
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import (
    extreme,
    number,
    p_equals,
    plural,
    pluralize,
    safe,
    short,
    signed,
    signed_span,
    span,
    upper_first,
)

HOW_TO_READ = Reading(
    "Each mark is a system's average score. If the lines of two systems overlap a lot, do not call one "
    "better.",
    "Mean over the defined queries with a bootstrap interval over queries; dotted line: mean of "
    "the baseline. Overlap of intervals is no test; see the paired differences.",
)
NAME = 24
"""Characters of a system's name at most."""


Rows = tuple[list[tuple[int, str, str]], float]
"""What `rows_at` returns."""


def leaderboard_dots(
    intervals: Mapping[str, Interval],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    unit: str = "query",
    kind: str = "system",
) -> Drawn:
    """Mean and interval of every system under one metric, best first, the baseline marked.

    ``intervals``: {system: its mean with interval}. A NaN mean is listed without a mark. ``systems``: all
    systems of the study: they fix the colours. ``baseline``: marked; a dotted line carries its mean through
    all rows. ``unit``, ``kind``: what the mean is taken over and what is compared, one of each.
    """
    if not any_value(intervals):
        return nothing(f"No {kind} has a value under {metric}.", HOW_TO_READ, theme=theme)
    order = ranked(intervals)
    remarks = {name: _remarks(name, baseline, kind, theme) for name in order}
    traces, notes, shapes = [], [], []
    for row, name in enumerate(order):
        traces.append(dot_of(intervals[name], row, name, systems, theme, unit=unit))
        notes.append(marks.beside(row, number(intervals[name].mean), _ends(intervals[name]), theme))
    if baseline in order and math.isfinite(intervals[baseline].mean):
        shapes.append(marks.level_line(intervals[baseline].mean, theme))
    n = marks.n_of((i.n for i in intervals.values()), unit)
    first = intervals[order[0]]
    title = safe(f"{first.centre} · {n} · {marks.better_across(first.lower_is_better)}")
    drawn = figure(
        theme=theme,
        height=marks.ROW * len(order) + 8,
        title=f"{metric} by {kind}",
        right=marks.COLUMN,
        bottom=48,
        left=marks.room_for(
            text for name in order for text in (short(name, NAME), " · ".join(remarks[name]))
        ),
        subtitle=f"{upper_first(first.centre)} over the {plural(unit)} and its {first.level:.0%} interval",
        traces=traces,
        notes=notes,
        shapes=shapes,
        x=marks.score_axis([*intervals.values()], theme, title=title, nticks=6, automargin=False),
        y=marks.row_axis([_tick(name, remarks[name], theme) for name in order], theme, automargin=False),
    )
    take_away = _leaderboard_take_away(intervals, metric, baseline, kind, n)
    reading = HOW_TO_READ
    if first.centre == "median":
        reading = Reading(
            reading.plain.replace("average score", "median"),
            reading.technical.replace("Mean over", "Median of"),
        )
    return Drawn(drawn, take_away, reading)


def rows_at(intervals: Mapping[str, Interval]) -> Rows:
    """What `leaderboard_dots` draws of these means: of each its row, mean and interval, and where the axis
    ends. The mean is "–" where there is none, the interval "…" where it was found by no method yet."""
    rows = {name: row for row, name in enumerate(ranked(intervals))}
    every = [
        (rows[name], number(one.mean), _ends(one) if one.method else "…") for name, one in intervals.items()
    ]
    return every, marks.ceiling(intervals.values())


def _leaderboard_take_away(
    intervals: Mapping[str, Interval], metric: str, baseline: str | None, kind: str, n: str
) -> str:
    """The take-away: first, second, whether their intervals overlap, and where the baseline is."""
    order = [name for name in ranked(intervals) if math.isfinite(intervals[name].mean)]
    first = intervals[order[0]]
    mean = f"{number(first.mean)} ({span(first.low, first.high)})"
    which = (
        f"the {extreme(first.lower_is_better)} {first.centre}," if len(order) > 1 else f"a {first.centre} of"
    )
    summary = f"{metric}: {order[0]} has {which} {mean}"
    if len(order) > 1:
        second = intervals[order[1]]
        meets = second.low <= first.high if first.lower_is_better else second.high >= first.low
        apart = "overlap" if meets else "do not overlap"
        summary += f", then {order[1]} with {number(second.mean)}; their intervals {apart}"
    if baseline in order[2:]:
        summary += f"; the baseline {baseline} has {number(intervals[baseline].mean)}"
    return f"{summary}. {pluralize(len(order), kind)}, {n}."


def ranked(intervals: Mapping[str, Interval]) -> list[str]:
    """Systems by mean, best first, equal means by name, NaN last."""
    names = list(intervals)
    return [names[i] for i in best_first(names, [intervals[name].merit for name in names])]


def dot_of(
    interval: Interval,
    row: int,
    name: str,
    systems: Sequence[str],
    theme: Theme,
    *,
    size: int = 11,
    metric: str = "",
    unit: str = "query",
) -> Parts:
    hover = (
        f"<b>{safe(name)}</b><br>{safe(metric or interval.centre)} {number(interval.mean)}<br>"
        f"{interval.level:.0%} interval "
        f"{span(interval.low, interval.high)}<br>{pluralize(interval.n, unit)}"
    )
    style = style_of(name, systems, theme)
    ends = interval.low, interval.high
    return marks.dot_on_interval(interval.mean, *ends, row=row, style=style, hover=hover, size=size)


def any_value(intervals: Mapping[str, Interval]) -> bool:
    return any(math.isfinite(interval.mean) for interval in intervals.values())


def _ends(interval: Interval) -> str:
    if not math.isfinite(interval.low):
        return "no interval"
    return f"{number(interval.low)} – {number(interval.high)}"


def _tick(name: str, remarks: Sequence[str], theme: Theme) -> str:
    """A system's name, and below it what a reader must know of it."""
    text = safe(short(name, NAME))
    return f"{text}<br>{marks.muted(' · '.join(remarks), theme)}" if remarks else text


def _remarks(name: str, baseline: str | None, kind: str, theme: Theme) -> list[str]:
    """Only systems are told to read captions, whatever runs and measures are called."""
    reads = remark(name, theme.looks) if kind == "system" else ""
    return [*(["baseline"] if name == baseline else []), *([reads] if reads else [])]


# How much better? Paired differences against the baseline, with their intervals.

DIFFERENCES_READING = Reading(
    "Each mark is how much better (right of the line) or worse (left) a system is on average. If its "
    "bar crosses the line, the difference may be due to chance.",
    "Mean paired difference over the queries both have a value for, bootstrap interval over queries, "
    "two-sided paired permutation test, p corrected over all comparisons shown unless switched off.",
)
NAME_DIFFERENCES, LABEL = 20, 24
"""Characters of a system's and of a metric's name at most."""
NOTHING = "No two systems share a query with a value, so nothing is compared."


def difference_dots(comparisons: Sequence[Comparison], *, systems: Sequence[str], theme: Theme) -> Drawn:
    """System minus baseline with its interval, one row per comparison, a line at "no difference".

    Comparisons keep their order; with several metrics each row says which. Right of the line the
    system is better: the axis of a measure of which lower is better runs from right to left. The column
    beside the plot gives the difference and the corrected p.
    """
    shown = [c for c in comparisons if math.isfinite(c.difference)]
    if not shown:
        return nothing(NOTHING, DIFFERENCES_READING, theme=theme)
    metrics = {c.metric for c in shown}
    against = shown[0].baseline if len({c.baseline for c in shown}) == 1 else "baseline"
    metric = shown[0].metric if len(metrics) == 1 else "Each metric"
    traces, notes = [], []
    for row, c in enumerate(shown):
        style = style_of(c.system, systems, theme)
        traces.append(
            marks.dot_on_interval(c.difference, c.low, c.high, row=row, style=style, hover=_hover(c))
        )
        notes.append(marks.beside(row, signed(c.difference), p_equals(c.p_corrected), theme))
    names = [short(c.system, NAME_DIFFERENCES) for c in shown]
    names += [short(c.metric, LABEL) for c in shown if len(metrics) > 1]
    pairs = marks.n_of((c.n_pairs for c in shown), "pair")
    title = safe(f"difference (right of 0: better than {short(against, 20)}) · {pairs}")
    drawn = figure(
        theme=theme,
        height=marks.ROW * len(shown) + 8,
        left=marks.room_for(names),
        right=marks.COLUMN,
        bottom=48,
        title=f"Difference from {against}",
        subtitle=f"{metric} · {marks.of_pairs(shown[0])} and its {shown[0].level:.0%} interval",
        traces=traces,
        notes=notes,
        shapes=[marks.level_line(0, theme, dash="solid", colour=theme.ink)],
        x=axis(
            theme,
            title=title,
            range=_reach(shown),
            nticks=6,
            tickformat=marks.ticks_to(farthest(shown)),
            automargin=False,
        ),
        y=marks.row_axis([_row_name(c, len(metrics) > 1, theme) for c in shown], theme, automargin=False),
    )
    return Drawn(drawn, _take_away(shown), DIFFERENCES_READING)


def _take_away(shown: Sequence[Comparison]) -> str:
    """The take-away: how far each system is from the baseline, with interval and corrected p."""
    summary = "; ".join(
        f"{c.system} minus {c.baseline} under {c.metric}: {signed(c.difference)} "
        f"({signed_span(c.low, c.high)}), {p_equals(c.p_corrected)}"
        for c in shown[:6]
    )
    return f"{summary}{f'; and {len(shown) - 6} more' if len(shown) > 6 else ''}."


def _hover(c: Comparison) -> str:
    """Hover text of one comparison."""
    return (
        f"<b>{safe(c.system)} − {safe(c.baseline)}</b><br>{safe(c.metric)} {signed(c.difference)}<br>"
        f"{c.level:.0%} interval {signed_span(c.low, c.high)}<br>"
        f"{safe(p_equals(c.p_corrected))} ({safe(c.correction)})<br>"
        f"{pluralize(c.n_pairs, 'pair')}: {c.wins:,} better, {c.ties:,} tied, {c.losses:,} worse"
    )


def _reach(shown: Sequence[Comparison]) -> list[float]:
    """Axis range: symmetric around 0 unless every interval lies on the right of it."""
    reach, lower = farthest(shown), shown[0].lower_is_better
    behind = any(min(c.lead, -c.high if lower else c.low) < 0 for c in shown)
    return marks.toward_better(-reach if behind else -reach / 4, reach, lower)


def farthest(comparisons: Iterable[Comparison]) -> float:
    """Just beyond the difference or end of an interval that is farthest from 0; 1 when all are 0."""
    ends = [abs(x) for c in comparisons for x in (c.difference, c.low, c.high) if math.isfinite(x)]
    return 1.1 * max(ends) or 1.0


def _row_name(c: Comparison, with_metric: bool, theme: Theme) -> str:
    name = safe(short(c.system, NAME_DIFFERENCES))
    return f"{name}<br>{marks.muted(safe(short(c.metric, LABEL)), theme)}" if with_metric else name
