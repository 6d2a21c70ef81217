"""Which system is better, by how much, and for which queries? Means, differences, groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from evalcore.evaluate.slices import FEW
from evalcore.evaluate.summary import ranked
from evalcore.figures import marks
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, nothing
from evalcore.figures.rows import Row, interval_rows
from evalcore.figures.theme import Theme, pair_of, plain_style, style_of
from evalcore.stats.correction import CLEAR
from evalcore.stats.levels import SAME
from evalcore.study.reads_captions import remark
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import (
    number,
    p_equals,
    p_value,
    places_of,
    plural,
    pluralize,
    safe,
    short,
    span,
    upper_first,
)

# Which system is better? The board: a mean on its interval each, beside it what is compared.

MEANS = Reading(
    "Each mark is a system's average score. If the lines of two systems overlap a lot, do not call one "
    "better.",
    "Mean over the defined queries with a bootstrap interval over queries. Overlap of intervals is no test; "
    "see the paired differences.",
)


def leaderboard_dots(
    intervals: Mapping[str, Interval],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    comparisons: Sequence[Comparison] = (),
    tested: bool = True,
    unit: str = "query",
    kind: str = "system",
    places: int | None = None,
) -> AccessibleFigure:
    """Mean and interval of every system under one metric, best first, the baseline marked.

    ``intervals``: {system: its mean with interval}. A NaN mean is listed without a mark. ``systems``: all
    systems of the study: they fix the colours. ``baseline``: a dotted line carries its mean through all rows.
    ``comparisons``: of each system with another one, such as the baseline or the best: difference and p are
    columns beside the means, p only where ``tested``. ``unit``, ``kind``: what the mean is taken over, and
    what is compared, one each. Only systems are said to read captions. ``places``: decimals of the means; by
    default three significant digits.
    """
    none = f"No {kind} has a value under {metric}."
    if not any(isfinite(interval.mean) for interval in intervals.values()):
        return nothing(none, MEANS, theme=theme)
    order, n = ranked(intervals), marks.n_of((i.n for i in intervals.values()), unit)
    against = {comparison.system: comparison for comparison in comparisons if isfinite(comparison.difference)}
    decimals = places_of(comparison.difference for comparison in against.values())
    rivals = list(dict.fromkeys(comparison.baseline for comparison in against.values()))
    first, marked = intervals[order[0]], [intervals[name].mean for name in order if name == baseline]

    def written(mean: Interval) -> tuple[str, str]:
        value = number(mean.mean, places)
        ends = span(mean.low, mean.high, places=places, joint="–")
        return value, ends if isfinite(mean.low) else "no interval"

    def hover(name: str, mean: Interval) -> str:
        value, ends = written(mean)
        interval = f"{mean.level:.0%} interval {ends}" if isfinite(mean.low) else ends
        centre = f"{safe(mean.centre)} {value}"
        return "<br>".join((f"<b>{safe(name)}</b>", centre, interval, pluralize(mean.n, unit)))

    def compared(name: str) -> list[tuple[str, str]]:
        if (c := against.get(name)) is None:
            return [("–", ""), ("–", "")]
        ends = span(c.low, c.high, places=decimals, sign=True)
        return [(number(c.difference, places=decimals, sign=True), ends), (p_value(c.p_corrected), "")]

    def row(name: str, mean: Interval) -> Row:
        below = ["baseline" * (name == baseline), remark(name, theme.reads) if kind == "system" else ""]
        return Row(
            name,
            *(mean.mean, mean.low, mean.high),
            style_of(name, systems, theme),
            below=" · ".join(filter(None, below)),
            numbers=(written(mean), *(compared(name)[: 1 + tested] if against else ())),
            hover=hover(name, mean),
        )

    return interval_rows(
        [row(name, intervals[name]) for name in order],
        title=f"{metric} by {kind}",
        subtitle=f"{upper_first(first.centre)} over the {plural(unit)} and its {first.level:.0%} interval",
        x={
            "range": score_range(intervals.values()),
            "title": safe(f"{first.centre} · {n} · {marks.better_across(first.lower_is_better)}"),
            "tickangle": 0,
        },
        heads=(
            upper_first(first.centre),
            f"vs {short(rivals[0], 14) if len(rivals) == 1 else 'another'}",
            "p",
        )[: 2 + tested]
        if against
        else (),
        lines=[(mean, "") for mean in marked],
        theme=theme,
        reading=_of_means(first.centre, any(map(isfinite, marked))),
        none=none,
    )


def _of_means(centre: str, marked: bool) -> Reading:
    """How to read means, or medians, and the line of a baseline."""
    plain, technical = MEANS
    if centre == "median":
        plain, technical = (
            plain.replace("average score", "median"),
            technical.replace("Mean over", "Median of"),
        )
    line = " Dotted line: the baseline." * marked
    return Reading(plain + line, technical + line)


def score_range(intervals: Iterable[Interval]) -> list[float]:
    """From 0 to just beyond the largest mark, with room for marks near 0 if lower is better."""
    shown = list(intervals)
    top = marks.ceiling(shown)
    return [-0.03 * top if any(mean.lower_is_better for mean in shown) else 0, top]


# How much better? Paired differences with their intervals, against a baseline or group by group.

DIFFERENCES = Reading(
    "Each mark is how much better (right of the line) or worse (left) a system is on average. If its "
    "bar crosses the line, the difference may be due to chance.",
    "Mean paired difference over the queries both have a value for, bootstrap interval over queries, "
    "two-sided paired permutation test, p corrected within each measure unless switched off.",
)
GROUPS = Reading(
    "Right of the line the first system is better for these queries, left of it the second. Grey: may be "
    "chance. Open marks: very few queries. Select a mark to see only these queries.",
    "Mean paired difference over the queries of a group scored for both; bootstrap interval; two-sided "
    "paired permutation test, p corrected over the comparisons of all systems chosen times the groups (all "
    "queries: as it is). Colour: p < .05. Open marks: fewer than 5 queries.",
)


class GroupRow(NamedTuple):
    """A group of queries: its name, the comparison in it, and what a click on it carries ("" nothing)."""

    name: str
    comparison: Comparison
    click: str = ""


def difference_dots(
    comparisons: Sequence[Comparison], *, systems: Sequence[str], theme: Theme
) -> AccessibleFigure:
    """System minus baseline with its interval, one row per comparison, a line at "no difference".

    Comparisons keep their order; with several metrics each row says which. Right of the line the system is
    better: the axis of a measure of which lower is better runs from right to left.
    """
    shown = [c for c in comparisons if isfinite(c.difference)]
    none = "No two systems share a query with a value, so nothing is compared."
    if not shown:
        return nothing(none, DIFFERENCES, theme=theme)
    several = len({c.metric for c in shown}) > 1
    against = shown[0].baseline if len({c.baseline for c in shown}) == 1 else "baseline"
    behind = any(min(c.lead, -c.high if c.lower_is_better else c.low) < 0 for c in shown)
    rows = [
        Row(
            c.system,
            *(c.difference, c.low, c.high),
            style_of(c.system, systems, theme),
            below=short(c.metric, 24) if several else "",
            numbers=((number(c.difference, sign=True), p_equals(c.p_corrected)),),
            hover=_hover_of_difference(
                c, [f"{safe(c.metric)} {number(c.difference, sign=True)}"], safe(p_equals(c.p_corrected))
            ),
        )
        for c in shown
    ]
    pairs = marks.n_of((c.n_pairs for c in shown), "pair")
    return interval_rows(
        rows,
        title=f"Difference from {against}",
        subtitle=f"{'Each metric' if several else shown[0].metric} · {marks.of_pairs(shown[0])} and its "
        f"{shown[0].level:.0%} interval",
        x=_difference_axis(shown, f"better than {short(against, 20)}) · {pairs}", both_sides=behind),
        zero=True,
        name=20,
        theme=theme,
        reading=DIFFERENCES,
        none=none,
    )


def slice_forest(
    overall: Comparison, groups: Sequence[GroupRow], *, by: str, theme: Theme, tested: bool = True
) -> AccessibleFigure:
    """The difference over all queries, then group by group, in the order given.

    ``tested``: whether p is beside each, else the interval. A group without a query with a value for both
    keeps its row, without a mark.
    """
    c, none = overall, f"No query has a value for both {overall.system} and {overall.baseline}."
    if not any(isfinite(row.comparison.difference) for row in groups):
        return nothing(none, GROUPS, theme=theme)
    everyone = [GroupRow("All queries", overall), *groups]
    return interval_rows(
        [_of_group(row, i == 0, theme, tested=tested) for i, row in enumerate(everyone)],
        title=f"{short(c.system, 24)} − {short(c.baseline, 24)}, by {short(by, 24)}",
        subtitle=f"{c.metric} · {marks.of_pairs(c)} and its {c.level:.0%} interval",
        x=_difference_axis([row.comparison for row in everyone], f"{short(c.system, 20)} better)"),
        zero=True,
        apart=True,
        row=34,
        name=32,
        theme=theme,
        reading=GROUPS,
        none=none,
    )


def _of_group(row: GroupRow, whole: bool, theme: Theme, *, tested: bool) -> Row:
    """A mark in the colour of the better system, grey where chance may explain it; a difference of which only
    the rounding of sums is left is 0."""
    c, few = row.comparison, row.comparison.n_pairs < FEW
    colour = theme.neutral
    if c.p_corrected < CLEAR:
        colour = pair_of(c.system, c.baseline, theme)[c.lead <= 0]
    p = c.p if whole or c.correction == "none" else c.p_corrected
    beside = p_equals(p) if tested else span(c.low, c.high, places=3, sign=True)
    written = number(c.difference if abs(c.difference) > SAME else 0.0, places=3, sign=True)
    corrected = f"{safe(p_equals(c.p))}, corrected {safe(p_equals(c.p_corrected))}"
    return Row(
        row.name,
        *(c.difference, c.low, c.high),
        plain_style(row.name, colour, theme, "diamond" if whole else "square"),
        below=f"n = {c.n_pairs:,}{' · few' if few else ''}",
        numbers=((written, beside) if isfinite(c.difference) else ("–", "no value"),),
        hover=f"<b>{safe(row.name)}</b><br>{_hover_of_difference(c, [], corrected, beside=f' {written}')}",
        click=row.click,
        hollow=few,
        size=13 if whole else 10,
        width=1.5 if few else 3,
    )


def _difference_axis(comparisons: Sequence[Comparison], better: str, *, both_sides: bool = True) -> Parts:
    """From as far left as right, or a quarter of it, to just beyond what is farthest from 0."""
    ends = [abs(x) for c in comparisons for x in (c.difference, c.low, c.high) if isfinite(x)]
    reach = 1.1 * max(ends) or 1.0
    low = -reach if both_sides else -reach / 4
    return {
        "title": safe(f"difference (right of 0: {better}"),
        "range": marks.toward_better(low, reach, comparisons[0].lower_is_better),
        "tickformat": marks.ticks_to(reach),
    }


def _hover_of_difference(c: Comparison, value: Sequence[str], p: str, *, beside: str = "") -> str:
    lines = [
        f"<b>{safe(c.system)} − {safe(c.baseline)}</b>{beside}",
        *value,
        f"{c.level:.0%} interval {span(c.low, c.high, sign=True)}",
        f"{p} ({safe(c.correction)})",
        f"{pluralize(c.n_pairs, 'pair')}: {c.wins:,} better, {c.ties:,} tied, {c.losses:,} worse",
    ]
    return "<br>".join(lines)
