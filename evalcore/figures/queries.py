"""Which queries are hard, and for whom? Queries across, systems down, the value as colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.clouds import colour_bar
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, axis, figure, nothing
from evalcore.figures.matrix import click_marks, heat, numbers_in_cells, shade
from evalcore.figures.theme import Theme
from evalcore.stats.levels import SAME
from evalcore.stats.sums import column_sums, means_of
from evalcore.values.arrays import Bools, Floats
from evalcore.values.writing import number, pluralize, safe, short

_METHOD = (
    "The first row is the mean of all systems, which is also the order; ties are listed by ID. Colour from "
    "0, or the lowest value where it is negative, to the highest; empty: no value. Last row: poor for all."
)
HOW_TO_READ = Reading(
    "Each column is one query; a stronger colour is a better score. Select a cell to open the query.",
    f"{_METHOD} Selecting a cell opens the query, with the system of the cell first.",
)
GROUPED = Reading(
    "Each column is the average of several queries; a stronger colour is a better score.",
    f"{_METHOD} Each column is the mean of neighbours in this order, over those with a value; the last row "
    "is the share of its queries that are poor for all.",
)
MOST, COLUMNS, MARKS = 200, 100, 1_800
"""Queries with a column each at most, columns where they are more, and cells at most."""
NAME, ID = 22, 14
ROW = 28
FEW, NUMBERED = 40, 16
"""Up to how many columns have a name, and numbers in their cells."""
MEAN, HARD = "mean of all", "poor for all"


class Cells(NamedTuple):
    """The columns: where they begin and end in the order, the values of the rows, what is known of each.

    ``values``: shape (1 + systems, columns), the means first. ``hard``: share of queries that are poor for
    all. ``without``: number without a value.
    """

    ends: tuple[tuple[int, int], ...]
    values: Floats
    hard: Floats
    without: Sequence[int]


def most_alone(systems: int) -> int:
    """Up to how many queries have a column each, of so many systems."""
    return max(1, min(MOST, MARKS // (systems + 2)))


def columns_of(n: int, systems: int) -> int:
    """How many columns are drawn for ``n`` queries."""
    alone = most_alone(systems)
    return n if n <= alone else min(COLUMNS, alone)


def query_map(
    ids: Sequence[str],
    systems: Sequence[str],
    values: Floats,
    *,
    hard: Bools,
    metric: str,
    order: str,
    theme: Theme,
    lower_is_better: bool = False,
) -> AccessibleFigure:
    """Queries across in the order given, systems down.

    ``ids``, ``values``, ``hard``: of the queries drawn: shapes (n,), (n, systems), (n,). NaN values stay
    empty. More queries than `most_alone` are drawn as means of neighbours, and the subtitle says so.
    ``order``: in words, for the subtitle: "hardest first".

    A click carries [id, system] ("" in the other rows); on a column of several queries nothing.
    """
    n, better = len(ids), marks.better(lower_is_better)
    if not np.isfinite(values).any():
        return nothing(
            f"None of these {pluralize(n, 'query')} has a value under {metric}.", HOW_TO_READ, theme=theme
        )
    cells = _cells(values, hard, columns_of(n, len(systems)))
    single = len(cells.ends) == n
    names = [MEAN, *(short(name, NAME) for name in systems), *([HARD] if hard.any() else [])]
    rows = [marks.muted(name, theme) if name in (MEAN, HARD) else safe(name) for name in names]
    low, high = min(0.0, float(np.nanmin(values))), float(np.nanmax(values))
    ends = (low, high if high - low > SAME else low + 1.0)
    colours = (theme.up, theme.surface) if lower_is_better else (theme.surface, theme.up)
    wide, down = len(cells.ends), len(names)
    ticks = [safe(short(name, ID)) for name in ids] if single and n <= FEW else []
    drawn = figure(
        theme=theme,
        height=ROW * down,
        left=marks.room_for(names),
        right=64,
        bottom=12 + 7 * max(map(len, ticks)) if ticks else 30,
        title="Every query under every system",
        subtitle=f"{metric} · {better} with stronger colour · {pluralize(n, 'query')}, {order} · "
        f"each column is {'one query' if single else 'the mean of neighbouring queries'}",
        traces=[
            *_traces(ids, systems, cells, single, ends, colours, theme),
            *(
                numbers_in_cells(
                    cells.values,
                    cell=shade(colours, *ends),
                    text=partial(number, places=2),
                    size=11,
                    theme=theme,
                )
                if wide <= NUMBERED
                else []
            ),
        ],
        shapes=[marks.across(y, theme.muted, 1) for y in (0.5, len(systems) + 0.5)],
        barmode="overlay",
        bargap=0,
        hoverdistance=-1,
        x=axis(
            theme,
            title="" if ticks else safe(f"queries, {order}"),
            grid=False,
            automargin=False,
            range=[-0.5, wide - 0.5],
            showticklabels=bool(ticks),
            tickvals=list(range(len(ticks))),
            ticktext=ticks,
            tickangle=-90,
        ),
        y=marks.row_axis(rows, theme, grid=False, automargin=False),
    )
    return AccessibleFigure(
        drawn, _alt_text(values, hard, systems, metric, order), HOW_TO_READ if single else GROUPED
    )


def _cells(values: Floats, hard: Bools, across: int) -> Cells:
    """The columns: one query each, or neighbours in groups of equal size."""
    n = len(values)
    known = np.asarray(np.isfinite(values).all(axis=1))
    ends = tuple(pairwise(np.linspace(0, n, across + 1).round().astype(int).tolist()))
    inside = [values[start:end][known[start:end]] for start, end in ends]
    means = np.array([means_of([each[:, k] for each in inside]) for k in range(values.shape[1])])
    rows = np.vstack([column_sums(means) / len(means), means])
    for place, (start, end) in enumerate(ends):
        if end - start == 1 and not known[start]:
            rows[1:, place] = values[start]
    shares = [float(hard[start:end].mean()) for start, end in ends]
    return Cells(ends, rows, np.array(shares), [int((~known[start:end]).sum()) for start, end in ends])


def _traces(
    ids: Sequence[str],
    systems: Sequence[str],
    cells: Cells,
    single: bool,
    ends: tuple[float, float],
    colours: tuple[str, str],
    theme: Theme,
) -> Iterator[Parts]:
    """Cells with a value as one picture, what is poor for all, and what can be clicked."""
    down, across = cells.values.shape
    names = ["", *(safe(name) for name in systems)]
    about = [_about(ids, cells, j) for j in range(across)]
    gap = 0 if across > FEW else 2
    yield heat(
        cells.values,
        colours,
        *ends,
        xgap=gap,
        ygap=2,
        showscale=True,
        colorbar=colour_bar(theme, x=1.0, xpad=12, tickformat=".3~g"),
    )
    poor = np.flatnonzero(cells.hard > 0)
    if len(poor):
        yield {
            "type": "bar",
            "hoverinfo": "skip",
            "width": 0.94 if gap else 1.0,
            "x": poor,
            "base": (down + 0.4 - 0.8 * cells.hard[poor]).tolist(),
            "y": 0.8 * cells.hard[poor],
            "marker": {"color": theme.down, "line": {"color": theme.down, "width": 0 if gap else 1}},
        }
    spots = [(j, i) for i in range(down) for j in range(across)] + [(j, down) for j in poor.tolist()]
    hovers = [
        f"<b>{names[i]}</b>: {number(float(cells.values[i, j]))}<br>{about[j]}" if 0 < i < down else about[j]
        for j, i in spots
    ]
    carried = [[ids[cells.ends[j][0]], ["", *systems, ""][i]] if single else None for j, i in spots]
    yield click_marks(spots, carried, hovers, size=6)


def _about(ids: Sequence[str], cells: Cells, j: int) -> str:
    """A column in words, whatever the row."""
    start, end = cells.ends[j]
    n, mean = end - start, f"mean of all {number(float(cells.values[0, j]))}"
    if n == 1:
        lines = [f"<b>{safe(ids[start])}</b>", mean]
        lines += ["poor for all"] if cells.hard[j] else []
        lines += ["no value"] if cells.without[j] else []
    else:
        span = f"{start + 1:,} to {end:,}"
        lines = [f"<b>{pluralize(n, 'query')}</b>, {span}", mean]
        lines += [f"{round(float(cells.hard[j]) * n):,} poor for all"]
        lines += [f"{cells.without[j]:,} without a value"] if cells.without[j] else []
    return "<br>".join(lines)


def _alt_text(values: Floats, hard: Bools, systems: Sequence[str], metric: str, order: str) -> str:
    """The take-away: how hard the queries are, and how many are poor for all or have no value."""
    known = values[np.isfinite(values).all(axis=1)]
    means = known.mean(axis=1) if len(known) else np.array([math.nan])
    without = len(values) - len(known)
    return (
        f"{metric} of {pluralize(len(values), 'query')} under {pluralize(len(systems), 'system')}, "
        f"{order}: means over the systems from {number(float(means.min()))} to {number(float(means.max()))}; "
        f"{int(hard.sum()):,} poor for all" + (f", {without:,} without a value." if without else ".")
    )
