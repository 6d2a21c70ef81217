"""The family of matrices: cells by colour, the numbers in them, marks that a click meets, frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evalcore.figures import marks
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, figure, spoken
from evalcore.figures.theme import INKS, Theme, blend, ink_on, scale_of
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats
from evalcore.values.writing import number, safe, short

ROW = 38
"""Pixels of a row of a square."""
MOST_NUMBERS = 16
"""In larger squares the cells are too small for numbers."""


def matrix(
    values: Floats,
    *,
    colours: Sequence[str],
    low: float,
    high: float,
    axes: Parts,
    title: str,
    subtitle: str,
    theme: Theme,
    reading: Reading,
    names: tuple[Sequence[str], Sequence[str]],
    numbers: Sequence[tuple[Floats, Callable[[float], str]]] = (),
    size: int = 12,
    hover: Sequence[Sequence[str]] | None = None,
    click: Sequence[Sequence[object]] | None = None,
    framed: Sequence[tuple[int, int]] = (),
    shapes: Sequence[Parts] = (),
    gap: int = 2,
    constant: bool = False,
) -> AccessibleFigure:
    """Cells from the first of the colours at ``low`` to the last at ``high``; NaN cells stay empty.

    ``axes``: axes, height and margins (`square`, `table`). ``names`` of rows and columns, for the take-away:
    the highest and the lowest cell. ``numbers``: what is written into which
    cells: of values, NaN for none, by a function of each, ``size`` pixels high. ``hover``: by row and column,
    escaped already. ``click``: what a click on a cell carries, None where it cannot be selected: plotly
    cannot report clicks on a heat map, so unseen marks lie over its cells. ``framed``: (row, column) of cells
    with a frame. ``constant``: that all values are the same makes a sentence of the figure
    (`AccessibleFigure.constant`).
    """
    traces = [heat(values, colours, low, high, hover=hover if click is None else None, xgap=gap, ygap=gap)]
    for shown, write in numbers:
        traces += numbers_in_cells(shown, cell=shade(colours, low, high), text=write, size=size, theme=theme)
    if click is not None and hover is not None:
        cells = [(i, j) for i, j in np.ndindex(values.shape) if click[i][j] is not None]
        traces.append(
            click_marks(
                [(j, i) for i, j in cells],
                [click[i][j] for i, j in cells],
                [hover[i][j] for i, j in cells],
                ROW - 4,
            )
        )
        axes = axes | {"hoverdistance": -1}
    line = {"color": theme.ink, "width": 2}
    frames = [marks.rectangle(j - 0.46, i - 0.42, j + 0.46, i + 0.42, line) for i, j in framed]
    drawn = figure(
        theme=theme, title=title, subtitle=subtitle, traces=traces, shapes=[*frames, *shapes], **axes
    )
    return AccessibleFigure(drawn, _spoken(title, values, *names), reading, constant and all_same(values))


def _spoken(title: str, values: Floats, down: Sequence[str], across: Sequence[str]) -> str:
    """The highest and the lowest value, or the one of all cells."""
    places = np.argwhere(np.isfinite(values))
    cells = sorted((-float(values[i, j]), i, j) for i, j in places.tolist())
    if all_same(values):
        return f"{title}: {number(-cells[0][0])} everywhere."
    named = [f"{down[i]} and {across[j]} {number(-value)}" for value, i, j in (cells[0], cells[-1])]
    return spoken(title, [f"{end} {cell}" for end, cell in zip(("highest", "lowest"), named, strict=True)])


def heat(
    values: Floats,
    colours: Sequence[str],
    low: float,
    high: float,
    *,
    hover: Sequence[Sequence[str]] | None = None,
    **options: Any,
) -> Parts:
    """The cells alone, as plotly's trace; ``hover`` as of `matrix`."""
    rows, columns = values.shape
    on_hover: Parts = {"hoverinfo": "skip"}
    if hover is not None:
        on_hover = {"hoverongaps": False, "hovertext": hover, "hovertemplate": marks.HOVER}
    return on_hover | {
        "type": "heatmap",
        "x": list(range(columns)),
        "y": list(range(rows)),
        "z": values,
        "zmin": low,
        "zmax": high,
        "colorscale": scale_of(*colours),
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        **options,
    }


def shade(colours: Sequence[str], low: float, high: float) -> Callable[[float], str]:
    """The colour of a value on the scale of `heat`; that of an end beyond it."""

    def colour_of(value: float) -> str:
        place = min(max((value - low) / (high - low), 0.0), 1.0) * (len(colours) - 1)
        below = min(int(place), len(colours) - 2)
        return blend(colours[below], colours[below + 1], place - below)

    return colour_of


def all_same(values: Floats) -> bool:
    """Whether all cells of a map have one value: several are known, and none differs from another."""
    known = values[np.isfinite(values)]
    return len(known) > 1 and float(known.max() - known.min()) <= SAME


def numbers_in_cells(
    values: Floats, *, cell: Callable[[float], str], text: Callable[[float], str], size: int, theme: Theme
) -> list[Parts]:
    """One trace per ink, that which reads better on its cell. ``cell`` is the colour behind a value, ``text``
    how it is written. NaN: none."""
    result: dict[str, list[tuple[int, int, str]]] = {ink: [] for ink in INKS}
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value = float(values[i, j])
        result[ink_on(cell(value))].append((int(j), int(i), text(value)))
    return [
        marks.scatter(
            [x for x, _, _ in cells],
            [y for _, y, _ in cells],
            "text",
            text=[text for _, _, text in cells],
            textfont={"size": size, "color": ink, "family": theme.font},
        )
        for ink, cells in result.items()
        if cells
    ]


def click_marks(
    spots: Sequence[tuple[float, float]], carried: Sequence[object], hover: Sequence[str], size: int
) -> Parts:
    """Invisible squares over what cannot report a click itself: boxes, which are annotations, and cells."""
    unseen = {"marker": {"opacity": 0}}
    return marks.scatter(
        [x for x, _ in spots],
        [y for _, y in spots],
        "markers",
        hover,
        customdata=carried,
        selected=unseen,
        unselected=unseen,
        marker={"symbol": "square", "size": size, "opacity": 0},
    )


def square(names: Sequence[str], theme: Theme, *, width: int) -> Parts:
    """Axes, height and margins of a square whose rows and columns have these names, ``width`` characters
    of each at most; slanted below the columns where these are narrower than a name."""
    ticks = [safe(short(name, width)) for name in names]
    row = ROW if len(names) <= MOST_NUMBERS else 22
    name = marks.room_for(ticks)
    slanted = len(ticks) * name > theme.width - name
    return {
        "x": marks.column_axis(ticks, theme, tickangle=-38 if slanted else 0, side="bottom"),
        "y": marks.row_axis(ticks, theme, grid=False),
        "height": max(row * len(ticks), 120),
        "right": 14,
        "bottom": slanted_room(ticks) if slanted else 30,
    }


def slanted_room(labels: Sequence[str]) -> float:
    """Pixels below a plot that slanted names take: a character about 4.2 of them."""
    return 14 + 4.2 * max(len(label) for label in labels)


def table(down: Sequence[tuple[str, str]], across: Sequence[str], theme: Theme, *, row: float = 34) -> Parts:
    """Axes, height and margins of rows, each a name and small text under it, "" for none, and columns named
    on top."""
    wide = max(7, min(28, 98 // len(across)))
    ticks = [safe(short(name, wide)) for name in across]
    labels = [f"{safe(name)}<br>{marks.muted(below, theme)}" if below else safe(name) for name, below in down]
    return {
        "x": marks.column_axis(ticks, theme, side="top", automargin=False),
        "y": marks.row_axis(labels, theme, grid=False, automargin=False),
        "height": row * len(down),
        "left": marks.room_for([*(name for name, _ in down), "n = 1,000"]),
        "right": 8,
        "bottom": 8,
        "above": max(26, round(3.2 * max(map(len, ticks)))),
    }
