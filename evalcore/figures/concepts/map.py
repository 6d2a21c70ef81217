"""How far is each concept of one image from each of another? A heat map whose cells can be selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.cells import heat
from evalcore.figures.colour import CIVIDIS, ink_on
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import click_marks, note, row_axis
from evalcore.figures.numbers import count, things
from evalcore.figures.words import safe, short
from evalcore.graph.distances import NO_PATH, NOT_IN_GRAPH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.graph.distances import Table

    Cell = tuple[int, int, str, str, int]

HOW_TO_READ = Reading(
    "Bright cells are concepts that are the same or nearly the same. Select a cell to see how the two are "
    "connected.",
    "Shortest is_a distances on the whole graph; cividis, one colour from 6 steps on; ordered by each "
    "concept's nearest match. Select a cell to see the path.",
)
MOST = 24
"""Concepts drawn per side; those nearest to the other image come first."""
ROW = 34
NAME = 24
FARTHEST = 6
"""From here on all cells have one colour."""
NEAR_TO_FAR = CIVIDIS[::-1]
WORDS = {NO_PATH: "no path", NOT_IN_GRAPH: "not in the terminology"}
SIGNS = {NO_PATH: "–", NOT_IN_GRAPH: "?"}


def distance_map(
    table: Table, rows: Sequence[str], columns: Sequence[str], *, titles: tuple[str, str],
    names: Mapping[str, str], theme: Theme,
) -> Drawn:  # fmt: skip
    """Steps between the concepts of one image (rows) and of another (columns), as colour and as number.

    ``titles`` are the names of the two images. A click carries [row CUI, column CUI]. Both sides are
    ordered by their nearest match; of more than ``MOST`` the farthest are left out and counted.
    """
    if not len(rows) or not len(columns):
        who = titles[0] if not len(rows) else titles[1]
        return nothing(f"{who} has no concepts, so there is nothing to measure.", HOW_TO_READ, theme=theme)
    down = sorted(range(len(rows)), key=lambda i: (min(table[i]), rows[i]))[:MOST]
    across = sorted(range(len(columns)), key=lambda j: (min(table[:, j]), columns[j]))[:MOST]
    cut = len(rows) + len(columns) - len(down) - len(across)
    cells: list[Cell] = [
        (x, y, rows[i], columns[j], int(table[i, j]))
        for y, i in enumerate(down)
        for x, j in enumerate(across)
    ]
    width = max(len(short(names.get(columns[j], columns[j]), NAME)) for j in across)
    left_out = f" · {things(cut, 'concept')} left out" if cut else ""
    drawn = figure(
        theme=theme, height=ROW * len(down), title="Steps between the concepts of two images",
        subtitle=f"Rows: {titles[0]} · columns: {titles[1]} · = the same, – no path, "
        f"? not in the terminology{left_out}",
        above=12 + 5.2 * width, right=24 + 2.6 * width, bottom=4,
        traces=[_colours(cells, len(across), len(down), theme), _marks(cells, names)], hoverdistance=-1,
        notes=[*_numbers(cells, theme), *_heads([columns[j] for j in across], names, theme)],
        x=axis(theme, range=[-0.5, len(across) - 0.5], showticklabels=False, grid=False),
        y=row_axis([safe(short(names.get(rows[i], rows[i]), NAME)) for i in down], theme, grid=False),
    )  # fmt: skip
    return Drawn(drawn, _take_away(table, rows, columns, names), HOW_TO_READ)


def _take_away(table: Table, rows: Sequence[str], columns: Sequence[str], names: Mapping[str, str]) -> str:
    """How many concepts are shared, and which of the others lie nearest."""
    cells = [
        (int(table[i, j]), a, b)
        for i, a in enumerate(rows)
        for j, b in enumerate(columns)
        if table[i, j] < NOT_IN_GRAPH
    ]
    shared = sum(d == 0 for d, _, _ in cells)
    nearest = [
        f"{names.get(a, a)} and {names.get(b, b)} ({things(d, 'step')})" for d, a, b in sorted(cells) if d
    ][:3]
    alt = f"{things(len(rows), 'concept')} by {things(len(columns), 'concept')}, {count(shared)} shared"
    return f"{alt}; nearest: {', '.join(nearest)}." if nearest else f"{alt}; nothing else is connected."


def _colour(steps: int, theme: Theme) -> str:
    return theme.raised if steps >= NOT_IN_GRAPH else NEAR_TO_FAR[min(steps, FARTHEST)]


def _colours(cells: Sequence[Cell], width: int, height: int, theme: Theme) -> Parts:
    """The heat map itself: plotly cannot report clicks on it, so the marks over it do."""
    shades = (*NEAR_TO_FAR, theme.raised)
    scale = [[(k + end) / len(shades), shade] for k, shade in enumerate(shades) for end in (0, 1)]
    grid = np.zeros((height, width))
    for x, y, _, _, steps in cells:
        grid[y, x] = FARTHEST + 1 if steps >= NOT_IN_GRAPH else min(steps, FARTHEST)
    return heat(grid, shades, -0.5, FARTHEST + 1.5, colorscale=scale)


def _marks(cells: Sequence[Cell], names: Mapping[str, str]) -> Parts:
    hover = [_hover(a, b, steps, names) for _, _, a, b, steps in cells]
    return click_marks([(x, y) for x, y, *_ in cells], [[a, b] for _, _, a, b, _ in cells], hover, ROW - 4)


def _numbers(cells: Sequence[Cell], theme: Theme) -> list[Parts]:
    notes = []
    for x, y, _, _, steps in cells:
        ink = theme.muted if steps >= NOT_IN_GRAPH else ink_on(_colour(steps, theme))
        text = "<b>=</b>" if steps == 0 else SIGNS.get(steps, str(steps))
        notes.append(note(text, x, y, ink, size=13))
    return notes


def _heads(columns: Sequence[str], names: Mapping[str, str], theme: Theme) -> list[Parts]:
    return [
        note(
            safe(short(names.get(cui, cui), NAME)), x, 1, theme.ink, size=13, yref="paper", textangle=-40,
            xanchor="left", yanchor="bottom", xshift=-8,
        )
        for x, cui in enumerate(columns)
    ]  # fmt: skip


def _hover(a: str, b: str, steps: int, names: Mapping[str, str]) -> str:
    apart = WORDS.get(steps, "the same concept" if steps == 0 else f"{things(steps, 'step')} apart")
    return f"{safe(names.get(a, a))}<br>{safe(names.get(b, b))}<br><b>{apart}</b>"
