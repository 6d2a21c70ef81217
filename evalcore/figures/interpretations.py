"""Does it matter how the paper is read? Scores of all systems under every count rule or direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from evalcore.evaluate.cost import Cost
from evalcore.evaluate.sweep.stability import Standing
from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import MARK_CONTRAST, OKABE_ITO, TEXT_CONTRAST, Theme, readable, style_of
from evalcore.values.writing import number, pluralize, safe, short, signed, span

HOW_TO_READ = Reading(
    "Each row counts related concepts in a different way. If the lines are vertical and do not cross, the "
    "choice does not matter.",
    "Means with bootstrap intervals at the α and threshold in use; bold: the interpretation in use. Rules "
    "are interpretations of Algorithm 1 of arXiv 2506.13509.",
)
ROW = 34
LINE = 14
"""Pixels of a line of names over the plot."""


def reading_lines(
    readings: Mapping[str, Standing],
    *,
    in_use: str,
    what: str,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
) -> Drawn:
    """One row per reading, one line per system through all rows: upright where readings do not matter.

    ``readings``: {name of the reading: the systems under it}, top to bottom. ``in_use``: the reading in use;
    its row is bold. ``what``: what is read in several ways, such as "Count rule". ``systems``: all systems of
    the study: they fix the colours.
    """
    standings = list(readings.values())
    known = [n for n in standings[0].order if any(isfinite(standing.mean(n).mean) for standing in standings)]
    if not known:
        return nothing(f"No system has a value under {metric}.", HOW_TO_READ, theme=theme)
    every = [standing.mean(name) for name in known for standing in standings]
    low, high = marks.reach(marks.ends_of(every), air=0.06, least=0.05)
    ticks = [f"<b>{safe(name)}</b>" if name == in_use else safe(name) for name in readings]
    changed = sum(standing.order != readings[in_use].order for standing in standings)
    orders = f"another order in {pluralize(changed, 'row')}" if changed else "the same order in every row"
    drawn = figure(
        theme=theme,
        height=ROW * len(standings),
        title=f"{what}: does the interpretation matter?",
        bottom=46,
        above=LINE * len(known) + 8,
        right=24,
        subtitle=f"{metric} · {marks.n_of(i.n for i in every)} · {orders}",
        traces=[_line(name, standings, list(readings), systems, theme) for name in known],
        notes=_names(known, standings[0], systems, theme, low, high),
        x=axis(theme, title=f"mean and 95% interval · {marks.BETTER}", range=[low, high]),
        y=marks.row_axis(ticks, theme),
    )
    return Drawn(drawn, f"{what}, {metric}: {_readings_take_away(readings, in_use, changed)}", HOW_TO_READ)


def _readings_take_away(readings: Mapping[str, Standing], in_use: str, changed: int) -> str:
    """The take-away: the largest move of any system, and how many readings change the order."""
    here = readings[in_use]
    orders = f"{pluralize(changed, 'reading')} of {len(readings):,} put the systems in another order"
    moves = [
        (move, name, reading)
        for reading, standing in readings.items()
        for name in here.order
        if isfinite(move := abs(standing.mean(name).mean - here.mean(name).mean))
    ]
    if not moves:
        return f"no system has a value under {in_use}; {orders}."
    size, name, reading = max(moves)
    return f"against {in_use}, the largest change is {number(size)} ({name} under {reading}); {orders}."


def _line(
    name: str, standings: Sequence[Standing], readings: Sequence[str], systems: Sequence[str], theme: Theme
) -> Parts:
    style, means = style_of(name, systems, theme), [standing.mean(name) for standing in standings]
    hover = [
        f"{safe(short(name, 24))}, {safe(reading)}: {number(i.mean)}  ({span(i.low, i.high)}), rank "
        f"{standing.order.index(name) + 1}, {signed(i.mean - means[0].mean)} against {safe(readings[0])}"
        for reading, standing, i in zip(readings, standings, means, strict=True)
    ]
    return marks.scatter(
        [i.mean for i in means],
        list(range(len(means))),
        "lines+markers",
        hover,
        name=safe(name),
        line=style.line(2),
        marker=style.marker(10),
        error_x={
            "type": "data",
            "symmetric": False,
            "thickness": 1,
            "width": 0,
            "color": style.colour,
            "array": [i.high - i.mean for i in means],
            "arrayminus": [i.mean - i.low for i in means],
        },
    )


def _names(
    names: Sequence[str], first: Standing, systems: Sequence[str], theme: Theme, low: float, high: float
) -> list[Parts]:
    """Names over the first row, each on a line of its own, the leftmost on top; inside the plot's sides."""
    means = {name: first.mean(name).mean for name in names if isfinite(first.mean(name).mean)}
    ordered = sorted(means, key=lambda name: (-means[name], name))
    return [
        marks.note(
            safe(short(name, 18)),
            means[name],
            -0.45,
            style_of(name, systems, theme).text,
            yanchor="bottom",
            xanchor=_anchor((means[name] - low) / (high - low)),
            yshift=LINE * level,
        )
        for level, name in enumerate(ordered)
    ]


def _anchor(share: float) -> str:
    """Which end of a name stands at a place, 0 to 1 from the left."""
    return "left" if share < 0.3 else "right" if share > 0.7 else "center"


# What does a relevance cost? Seconds for its dictionary of neighbours and for scoring.

COST_READING = Reading(
    "How long the computer takes. Looking further for related concepts costs more time; finding them is "
    "done once per study.",
    "Wall-clock time, fastest of the repeats, after warm-up; scoring: all candidates, first 30 results.",
)
ROW_COST = 46


def cost_bars(costs: Sequence[Cost], *, machine: str, theme: Theme) -> Drawn:
    """A bar per relevance: scoring, and behind it finding the neighbours beforehand.

    ``costs``: see `evaluate.cost`. ``machine``: what they were measured on.
    """
    if not costs:
        return nothing("Nothing was measured yet.", COST_READING, theme=theme)
    first = costs[0]
    drawn = figure(
        theme=theme,
        height=ROW_COST * len(costs),
        title="Time on this study and this machine",
        bottom=46,
        right=104,
        above=22,
        subtitle=f"{pluralize(first.n_queries, 'query')}, {first.pairs:,} pairs · fastest of "
        f"{first.repeats:,} · {machine}",
        traces=[_bars(costs, "scoring", theme), _bars(costs, "dictionary", theme)],
        notes=[
            *(
                marks.beside(
                    i, f"{number(cost.scoring + cost.dictionary)} s", _times(cost, first), theme, width=100
                )
                for i, cost in enumerate(costs)
            ),
            marks.legend_entry("■ scoring", 0, _colour("scoring", theme, TEXT_CONTRAST), size=12),
            marks.legend_entry(
                "▨ finding the neighbours, once", 84, _colour("dictionary", theme, TEXT_CONTRAST), size=12
            ),
        ],
        x=axis(theme, title="seconds · less is better", rangemode="tozero"),
        y=marks.row_axis([cost_name(cost) for cost in costs], theme),
        barmode="stack",
    )
    return Drawn(drawn, _take_away(costs, machine), COST_READING)


def _take_away(costs: Sequence[Cost], machine: str) -> str:
    """The take-away: how many times longer than IoU each relevance takes."""
    summary = "; ".join(
        f"{cost_name(cost)} {number(cost.scoring)} s to score"
        + (f" and {number(cost.dictionary)} s to find neighbours once" if cost.dictionary else "")
        for cost in costs
    )
    return f"{costs[0].pairs:,} pairs on {machine}: {summary}."


def cost_name(cost: Cost) -> str:
    """ "IoU", "nn-IoU, n = 2"."""
    return "IoU" if cost.relevance == "iou" else f"nn-IoU, n = {cost.threshold}"


def _times(cost: Cost, first: Cost) -> str:
    if cost is first or not first.scoring:
        return ""
    return f"{number(cost.scoring / first.scoring)} x to score"


def _colour(part: str, theme: Theme, least: float = MARK_CONTRAST) -> str:
    return readable(OKABE_ITO[0] if part == "scoring" else OKABE_ITO[1], theme.surface, least)


def _bars(costs: Sequence[Cost], part: str, theme: Theme) -> Parts:
    seconds = [cost.scoring if part == "scoring" else cost.dictionary for cost in costs]
    words = "scoring" if part == "scoring" else "finding the neighbours"
    hover = [
        safe(f"{cost_name(cost)}, {words}: {number(s)} s") for cost, s in zip(costs, seconds, strict=True)
    ]
    pattern = marks.hatched("" if part == "scoring" else "/", theme)
    marker = {"color": _colour(part, theme), "line": {"width": 0}, "pattern": pattern}
    return marks.bars(seconds, hover, marker, name=words, width=0.5)
