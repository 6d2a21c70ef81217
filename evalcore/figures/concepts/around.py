"""What lies around a concept? A tree that grows to the right, one column per step, the most used first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from evalcore.figures.concepts.routes import ARROWS
from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import above_line, click_marks, heat, note, row_axis, scatter, segment
from evalcore.figures.theme import CIVIDIS, Theme, ink_on
from evalcore.graph.distances import NO_PATH, NOT_IN_GRAPH, Table
from evalcore.graph.neighbourhood import Near, Neighbourhood
from evalcore.values.writing import count, pluralize, safe, short

Cell = tuple[int, int, str, str, int]

HOW_TO_READ = Reading(
    "Concepts linked to this one. Filled marks are concepts that images of this study carry, "
    "larger ones in more images. Select a mark to continue from there.",
    "Breadth-first over the whole graph; each concept once, by the first link that reaches it; mark area "
    "by number of images; at most 40 concepts, the most used and what leads to them. Select a mark to "
    "continue from there.",
)
MOST = 40
"""Concepts drawn, the middle one included."""
ROW = 27
SMALLEST, LARGEST = 7, 20
NAME = 26
TEXT_FROM, TEXT_TO = 0.05, 0.82
"""Where a name begins and ends in its column of width 1; lines run in the gap to the next one."""


class Spot(NamedTuple):
    """A concept on the tree: column (steps away) and row, and how it was reached."""

    cui: str
    column: int
    row: float
    way: str
    via: str
    used: int


def neighbourhood_tree(around: Neighbourhood, *, used: int, names: Mapping[str, str], theme: Theme) -> Drawn:
    """A concept on the left, what is linked to it in the next column, what is linked to that one further on.

    Of more than ``MOST`` concepts the most used ones are drawn, with what leads to them. The area of a mark
    grows with the number of images; a hollow one is used by none. ``used`` is that of the concept itself.
    A click carries the CUI.
    """
    name = names.get(around.cui, around.cui)
    if not around.near:
        why = f"The terminology links nothing to {name}."
        return nothing(why, HOW_TO_READ, theme=theme, title=f"Around {name}")
    spots = spots_of(around, used)
    rows = 1 + max(spot.row for spot in spots)
    columns = 1 + max(spot.column for spot in spots)
    missing = len(around.near) + 1 - len(spots)
    rest = f" · {pluralize(missing, 'more concept')} not drawn" if missing else ""
    drawn = figure(
        theme=theme,
        height=ROW * rows + 24,
        title=f"Around {name}",
        bottom=4,
        above=20,
        subtitle=f"↑ broader, ↓ narrower than the concept on its left · numbers: images{rest}",
        traces=[_around_marks(spots, names, theme)],
        shapes=_lines(spots, theme),
        notes=[*_texts(spots, names, theme), *_around_heads(columns, theme)],
        hoverdistance=60,
        x=NO_AXIS | {"range": [-0.04, columns - 0.06]},
        y=NO_AXIS | {"range": [rows - 0.4, -0.6]},
    )
    return Drawn(drawn, _around_take_away(around, used, names), HOW_TO_READ)


def _around_take_away(around: Neighbourhood, used: int, names: Mapping[str, str]) -> str:
    """How many concepts lie how near, and which of them the study uses most."""
    rings = ", ".join(
        f"{pluralize(n, 'concept')} {pluralize(k, 'step')} away ({count(u)} used)"
        for k, (n, u) in enumerate(zip(around.totals, around.used, strict=True), start=1)
    )
    most = sorted(around.near, key=lambda one: (-one.used, one.steps, one.cui))[:3]
    listed = ", ".join(f"{names.get(one.cui, one.cui)} ({count(one.used)})" for one in most if one.used)
    most_used = f"Most used: {listed}." if listed else "The study uses none of them."
    return f"{names.get(around.cui, around.cui)}, in {pluralize(used, 'image')}: {rings}. {most_used}"


def spots_of(around: Neighbourhood, used: int) -> list[Spot]:
    """Where the concepts stand: the concept first, then those drawn, each after what leads to it."""
    children: dict[str, list[Near]] = {}
    for one in _drawn(around):
        children.setdefault(one.via, []).append(one)
    spots: list[Spot] = []
    row = 0

    def place(cui: str, column: int, way: str, via: str, times: int) -> float:
        nonlocal row
        below = sorted(children.get(cui, ()), key=lambda one: (one.way == "down", -one.used, one.cui))
        at = len(spots)
        spots.append(Spot(cui, column, 0.0, way, via, times))
        rows = [place(one.cui, column + 1, one.way, cui, one.used) for one in below]
        middle = (rows[0] + rows[-1]) / 2 if rows else float(row)
        row += not rows
        spots[at] = spots[at]._replace(row=middle)
        return middle

    place(around.cui, 0, "", "", used)
    return spots


def _drawn(around: Neighbourhood) -> list[Near]:
    """The most used concepts and what leads to them, no more than there is room for."""
    by_cui = {one.cui: one for one in around.near}
    drawn: dict[str, Near] = {}
    for one in sorted(around.near, key=lambda one: (-one.used, one.steps, one.cui)):
        chain = [one]
        while chain[-1].via in by_cui:
            chain.append(by_cui[chain[-1].via])
        new = [link for link in chain if link.cui not in drawn]
        if len(drawn) + len(new) < MOST:
            drawn.update((link.cui, link) for link in new)
    return list(drawn.values())


def _around_marks(spots: Sequence[Spot], names: Mapping[str, str], theme: Theme) -> Parts:
    top = max(spot.used for spot in spots) or 1
    sizes = [SMALLEST + (LARGEST - SMALLEST) * sqrt(spot.used / top) for spot in spots]
    fills = [theme.accent if spot.used else theme.surface for spot in spots]
    return scatter(
        [spot.column for spot in spots],
        [spot.row for spot in spots],
        "markers",
        [_around_hover(spot, names) for spot in spots],
        customdata=[spot.cui for spot in spots],
        cliponaxis=False,
        marker={
            "size": sizes,
            "color": fills,
            "opacity": 1,
            "line": {"color": [theme.accent if s.used else theme.muted for s in spots], "width": 1.5},
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _texts(spots: Sequence[Spot], names: Mapping[str, str], theme: Theme) -> list[Parts]:
    texts = []
    for spot in spots:
        way = f"{ARROWS[spot.way]} " if spot.way else ""
        name = safe(short(names.get(spot.cui, spot.cui), NAME))
        shown = f"{way}<b>{name}</b> {count(spot.used)}" if spot.used else f"{way}{name}"
        texts.append(
            note(
                shown,
                spot.column + TEXT_FROM,
                spot.row,
                theme.ink if spot.used else theme.muted,
                size=13 if spot.used else 12,
                xanchor="left",
                bgcolor=theme.surface,
                borderpad=2,
            )
        )
    return texts


def _around_heads(columns: int, theme: Theme) -> list[Parts]:
    """What each column is, over it."""
    heads = ["The concept", *(pluralize(k, "step") for k in range(1, columns))]
    return [above_line(head, k, theme) | {"xanchor": "left", "xshift": -6} for k, head in enumerate(heads)]


def _lines(spots: Sequence[Spot], theme: Theme) -> list[Parts]:
    """From each concept, behind its name, and on to the marks it leads to."""
    rows = {spot.cui: spot.row for spot in spots}
    leads = {spot.via: spot.column - 1 for spot in spots if spot.via}
    ends: list[tuple[float, float, float, float]] = [
        (column, rows[cui], column + TEXT_TO, rows[cui]) for cui, column in leads.items()
    ]
    ends += [(s.column - 1 + TEXT_TO, rows[s.via], s.column, s.row) for s in spots if s.via]
    return [segment(*places, theme.grid, layer="below") for places in ends]


def _around_hover(spot: Spot, names: Mapping[str, str]) -> str:
    name = names.get(spot.cui, "no name known")
    where = f"{pluralize(spot.column, 'step')} away" if spot.column else "the concept itself"
    return f"<b>{safe(name)}</b> ({safe(spot.cui)})<br>{where} · {pluralize(spot.used, 'image')}"


# How far is each concept of one image from each of another? A heat map whose cells can be selected.

MAP_READING = Reading(
    "Bright cells are concepts that are the same or nearly the same. Select a cell to see how the two are "
    "connected.",
    "Shortest is_a distances on the whole graph; cividis, one colour from 6 steps on; ordered by each "
    "concept's nearest match. Select a cell to see the path.",
)
MOST_MAP = 24
"""Concepts drawn per side; those nearest to the other image come first."""
ROW_MAP = 34
NAME_MAP = 24
FARTHEST = 6
"""From here on all cells have one colour."""
NEAR_TO_FAR = CIVIDIS[::-1]
WORDS = {NO_PATH: "no path", NOT_IN_GRAPH: "not in the terminology"}
SIGNS = {NO_PATH: "–", NOT_IN_GRAPH: "?"}


def distance_map(
    table: Table,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    titles: tuple[str, str],
    names: Mapping[str, str],
    theme: Theme,
) -> Drawn:
    """Steps between the concepts of one image (rows) and of another (columns), as colour and as number.

    ``titles`` are the names of the two images. A click carries [row CUI, column CUI]. Both sides are
    ordered by their nearest match; of more than ``MOST`` the farthest are left out and counted.
    """
    if not len(rows) or not len(columns):
        who = titles[0] if not len(rows) else titles[1]
        return nothing(f"{who} has no concepts, so there is nothing to measure.", MAP_READING, theme=theme)
    down = sorted(range(len(rows)), key=lambda i: (min(table[i]), rows[i]))[:MOST_MAP]
    across = sorted(range(len(columns)), key=lambda j: (min(table[:, j]), columns[j]))[:MOST_MAP]
    cut = len(rows) + len(columns) - len(down) - len(across)
    cells: list[Cell] = [
        (x, y, rows[i], columns[j], int(table[i, j]))
        for y, i in enumerate(down)
        for x, j in enumerate(across)
    ]
    width = max(len(short(names.get(columns[j], columns[j]), NAME_MAP)) for j in across)
    left_out = f" · {pluralize(cut, 'concept')} left out" if cut else ""
    drawn = figure(
        theme=theme,
        height=ROW_MAP * len(down),
        title="Steps between the concepts of two images",
        subtitle=f"Rows: {titles[0]} · columns: {titles[1]} · = the same, – no path, "
        f"? not in the terminology{left_out}",
        above=12 + 5.2 * width,
        right=24 + 2.6 * width,
        bottom=4,
        traces=[_colours(cells, len(across), len(down), theme), _marks(cells, names)],
        hoverdistance=-1,
        notes=[*_numbers(cells, theme), *_heads([columns[j] for j in across], names, theme)],
        x=axis(theme, range=[-0.5, len(across) - 0.5], showticklabels=False, grid=False),
        y=row_axis([safe(short(names.get(rows[i], rows[i]), NAME_MAP)) for i in down], theme, grid=False),
    )
    return Drawn(drawn, _take_away(table, rows, columns, names), MAP_READING)


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
        f"{names.get(a, a)} and {names.get(b, b)} ({pluralize(d, 'step')})" for d, a, b in sorted(cells) if d
    ][:3]
    alt = f"{pluralize(len(rows), 'concept')} by {pluralize(len(columns), 'concept')}, {count(shared)} shared"
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
    return click_marks(
        [(x, y) for x, y, *_ in cells], [[a, b] for _, _, a, b, _ in cells], hover, ROW_MAP - 4
    )


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
            safe(short(names.get(cui, cui), NAME_MAP)),
            x,
            1,
            theme.ink,
            size=13,
            yref="paper",
            textangle=-40,
            xanchor="left",
            yanchor="bottom",
            xshift=-8,
        )
        for x, cui in enumerate(columns)
    ]


def _hover(a: str, b: str, steps: int, names: Mapping[str, str]) -> str:
    apart = WORDS.get(steps, "the same concept" if steps == 0 else f"{pluralize(steps, 'step')} apart")
    return f"{safe(names.get(a, a))}<br>{safe(names.get(b, b))}<br><b>{apart}</b>"
