"""Measures side by side: by how they agree with people who rated concepts, and the systems under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.rows import Row, interval_rows, mark
from evalcore.figures.systems import any_value, hover_of_mean, ranked, score_range
from evalcore.figures.theme import SystemStyle, Theme, plain_style, style_of
from evalcore.values.model import Interval
from evalcore.values.writing import arrow, brief, number, pluralize, safe, short, span

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


def rated_concepts(rows: Sequence[RatedRow], *, ratings: str, level: float, theme: Theme) -> Drawn:
    """The similarities in the order given; those without a value are named without a mark.

    ``ratings``: what they are held against, such as the name of a file; ``level`` of the intervals.
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
        alt=lambda: _about_ratings(known, ratings),
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
    ends = f"{brief(low)} to {brief(high)}" if isfinite(low) else ""
    beside = (brief(value), ends) if isfinite(value) else ("no value", "")
    return Row(name, value, low, high, style, numbers=(beside,), hover=hover, hollow=hollow, click=click)


def chance_axis(rows: Sequence[Row], statistic: str, chance: float) -> Parts:
    """The axis of a statistic that holds all rows and the value that chance gives."""
    ends = [chance, *(x for row in rows for x in (row.value, row.low, row.high))]
    title = safe(f"{statistic} · {marks.better_across()}")
    return {"title": title, "tickformat": ".2~f", "range": marks.reach(ends, air=0.05, least=0.1)}


def _about_ratings(known: Sequence[RatedRow], ratings: str) -> str:
    best = max(known, key=lambda row: row.rho)
    return (
        f"{pluralize(len(known), 'measure')} against {ratings}: {best.name} agrees most, rho "
        f"{number(best.rho)} ({span(best.low, best.high)}) over {pluralize(best.n, 'pair')}."
    )


# Does the winner depend on the metric? The same systems in one panel per metric.

PANELS = Reading(
    "One panel per score, the same systems in the same rows. Marks that do not fall in line mean the "
    "winner depends on what is measured.",
    "Rows ordered by the first metric; each panel has its own scale from 0; bootstrap "
    "intervals over queries.",
)
PANEL_ROW, PANEL_HEAD = 26, 70
"""Pixels of a row of a panel, and between two rows of panels."""


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
        return nothing("No system has a value under the chosen metrics.", PANELS, theme=theme)
    order = ranked({name: mean for row in reversed(table.values()) for name, mean in row.items()})
    down = -(-len(table) // columns)
    shape = (down, -(-len(table) // down))
    height = PANEL_ROW * len(order) * down + PANEL_HEAD * (down - 1)
    ticks = [
        f"<b>{safe(short(name, 16))}</b>" if name == baseline else safe(short(name, 16)) for name in order
    ]
    axes: Parts = {}
    traces, notes = [], []
    for i, (metric, row) in enumerate(table.items()):
        x, y = (letter + (str(i + 1) if i else "") for letter in "xy")
        axes |= _panel_axes(i, (x, y), shape, PANEL_HEAD / height, row, ticks, theme)
        label = short(metric, 40 if columns < 3 else 22)
        notes.append(_panel_name(f"{label} {arrow(True)}" if _lower(row) else label, (x, y), theme))
        for at, name in enumerate(order):
            if name in row:
                hover, style = hover_of_mean(name, row[name], metric), style_of(name, systems, theme)
                ends = row[name].mean, row[name].low, row[name].high
                traces.append(
                    mark(Row(name, *ends, style, hover=hover, size=10), at, theme) | {"xaxis": x, "yaxis": y}
                )
    sizes = marks.n_of(interval.n for row in table.values() for interval in row.values())
    lower = any(map(_lower, table.values()))
    drawn = figure(
        theme=theme,
        height=height,
        title="Systems under each metric",
        bottom=30,
        above=22,
        subtitle=f"Mean and interval · {sizes} · {marks.BETTER}{', but ↓ as marked' if lower else ''}",
        right=20,
        traces=traces,
        notes=notes,
        **axes,
    )
    return Drawn(drawn, _about_panels(table), PANELS)


def _about_panels(table: Mapping[str, Mapping[str, Interval]]) -> str:
    """Which system is highest under how many of the metrics."""
    firsts = [ranked(row)[0] for row in table.values()]
    best = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    if len({name for row in table.values() for name in row}) == 1:
        means = ", ".join(f"{metric} {number(row[best[0]].mean)}" for metric, row in table.items())
        return f"Means of {best[0]}: {means}."
    each = ", ".join(f"{name} under {firsts.count(name)}" for name in best)
    which = "Best" if any(map(_lower, table.values())) else "Highest"
    return f"{which} mean, over {pluralize(len(firsts), 'metric')}: {each}."


def _lower(row: Mapping[str, Interval]) -> bool:
    """Whether lower is better under the metric of a panel."""
    return any(interval.lower_is_better for interval in row.values())


def _panel_axes(
    i: int,
    names: tuple[str, str],
    shape: tuple[int, int],
    gap: float,
    row: Mapping[str, Interval],
    ticks: Sequence[str],
    theme: Theme,
) -> Parts:
    """Both axes of the i-th panel, row by row from the top; names only in the first column."""
    (x, y), (down, across) = names, shape
    line, column = divmod(i, across)
    wide, high = (1 - 0.05 * (across - 1)) / across, (1 - gap * (down - 1)) / down
    left, top = column * (wide + 0.05), 1 - line * (high + gap)
    options: Parts = {"range": score_range(row.values()), "tickangle": 0, "nticks": 5}
    return {
        x.replace("x", "xaxis"): axis(theme, anchor=y, domain=[left, min(1, left + wide)], **options),
        y.replace("y", "yaxis"): marks.row_axis(
            ticks, theme, anchor=x, domain=[max(0, top - high), top], showticklabels=column == 0
        ),
    }


def _panel_name(name: str, axes: tuple[str, str], theme: Theme) -> Parts:
    x, y = axes
    place: Parts = {"xref": f"{x} domain", "yref": f"{y} domain", "yshift": 18, "xanchor": "left"}
    return marks.note(f"<b>{safe(name)}</b>", 0, 1, theme.ink, size=13, **place)
