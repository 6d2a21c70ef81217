"""Does the winner depend on the metric? The same systems in one panel per metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.figures.frame import Drawn, Parts, Reading, figure, nothing
from evalcore.figures.leaderboard import any_value, dot_of, ranked
from evalcore.figures.marks import BETTER, n_of, note, row_axis, score_axis
from evalcore.figures.theme import Theme
from evalcore.values.model import Interval
from evalcore.values.writing import safe, short, things

HOW_TO_READ = Reading(
    "One panel per score, the same systems in the same rows. Marks that do not fall in line mean the "
    "winner depends on what is measured.",
    "Rows ordered by the first metric; each panel has its own scale from 0; bootstrap "
    "intervals over queries.",
)
SMALL_ROW = 26
NAME, NARROW_NAME = 40, 22
"""Characters of a panel's name, in two columns at most and in more."""
PANEL_HEAD = 70
"""Pixels of a row, and between two rows of panels."""


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
        return nothing("No system has a value under the chosen metrics.", HOW_TO_READ, theme=theme)
    everyone = {name: interval for row in reversed(table.values()) for name, interval in row.items()}
    order = ranked(everyone)
    down = -(-len(table) // columns)
    shape = (down, -(-len(table) // down))
    height = SMALL_ROW * len(order) * down + PANEL_HEAD * (down - 1)
    axes: dict[str, Any] = {}
    traces, notes = [], []
    for i, (metric, row) in enumerate(table.items()):
        axes |= _panel_axes(i, shape, PANEL_HEAD / height, row, _names(order, baseline), theme)
        notes.append(_panel_name(i, short(metric, NAME if columns < 3 else NARROW_NAME), theme))
        for place, name in enumerate(order):
            if name in row:
                dot = dot_of(row[name], place, name, systems, theme, size=10, metric=metric)
                traces.append(dot | {"xaxis": _axis_of("x", i), "yaxis": _axis_of("y", i)})
    sizes = n_of(interval.n for row in table.values() for interval in row.values())
    drawn = figure(
        theme=theme,
        height=height,
        title="Systems under each metric",
        bottom=30,
        above=22,
        subtitle=f"Mean and interval · {sizes} · {BETTER}",
        right=20,
        traces=traces,
        notes=notes,
        **axes,
    )
    return Drawn(drawn, _take_away(table), HOW_TO_READ)


def _take_away(table: Mapping[str, Mapping[str, Interval]]) -> str:
    """The take-away: which system is highest under how many of the metrics."""
    firsts = [ranked(row)[0] for row in table.values() if any_value(row)]
    best = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    summary = ", ".join(f"{name} under {firsts.count(name)}" for name in best)
    return f"Highest mean, over {things(len(firsts), 'metric')}: {summary}."


def _axis_of(letter: str, panel: int) -> str:
    """plotly's name of an axis: x, x2, x3 ..."""
    return letter + (str(panel + 1) if panel else "")


def _panel_axes(
    i: int,
    shape: tuple[int, int],
    gap: float,
    row: Mapping[str, Interval],
    ticks: Sequence[str],
    theme: Theme,
) -> dict[str, Parts]:
    """Both axes of the i-th panel, row by row from the top; names only in the first column."""
    down, across = shape
    line, column = divmod(i, across)
    wide, high = (1 - 0.05 * (across - 1)) / across, (1 - gap * (down - 1)) / down
    left, top = column * (wide + 0.05), 1 - line * (high + gap)
    x, y = _axis_of("x", i), _axis_of("y", i)
    return {
        x.replace("x", "xaxis"): score_axis(
            row.values(), theme, nticks=5, anchor=y, domain=[left, min(1, left + wide)]
        ),
        y.replace("y", "yaxis"): row_axis(
            ticks, theme, anchor=x, domain=[max(0, top - high), top], showticklabels=column == 0
        ),
    }


def _panel_name(i: int, name: str, theme: Theme) -> Parts:
    return note(
        f"<b>{safe(name)}</b>",
        0,
        1,
        theme.ink,
        size=13,
        xref=f"{_axis_of('x', i)} domain",
        yref=f"{_axis_of('y', i)} domain",
        yshift=18,
        xanchor="left",
    )


def _names(order: Sequence[str], baseline: str | None) -> list[str]:
    """Row names of the panels, the baseline's bold."""
    ticks = {name: safe(short(name, 16)) for name in order}
    return [f"<b>{text}</b>" if name == baseline else text for name, text in ticks.items()]
