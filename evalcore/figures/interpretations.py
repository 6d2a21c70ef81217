"""Does it matter how the paper is read? Scores of all systems under every count rule or direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from evalcore.evaluate.sweep import Standing
from evalcore.figures import marks
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import Theme, style_of
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
