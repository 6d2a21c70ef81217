"""What lies around a concept? A tree that grows to the right, one column per step, the most used first."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from evalcore.figures.concepts.path_words import ARROWS
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import HOVER, above_line, note, segment
from evalcore.figures.numbers import count, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.graph.neighbourhood import Near, Neighbourhood

HOW_TO_READ = Reading(
    "What the terminology links to this concept. Filled marks are concepts that images of this study carry, "
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
    rest = f" · {things(missing, 'more concept')} not drawn" if missing else ""
    drawn = figure(
        theme=theme, height=ROW * rows + 24, title=f"Around {name}", bottom=4, above=20,
        subtitle=f"↑ more general, ↓ more specific than what is to the left · numbers: images{rest}",
        traces=[_marks(spots, names, theme)], shapes=_lines(spots, theme),
        notes=[*_texts(spots, names, theme), *_heads(columns, theme)],
        hoverdistance=60,
        x=NO_AXIS | {"range": [-0.04, columns - 0.06]}, y=NO_AXIS | {"range": [rows - 0.4, -0.6]},
    )  # fmt: skip
    return Drawn(drawn, _take_away(around, used, names), HOW_TO_READ)


def _take_away(around: Neighbourhood, used: int, names: Mapping[str, str]) -> str:
    """How many concepts lie how near, and which of them the study uses most."""
    rings = ", ".join(
        f"{things(n, 'concept')} {things(k, 'step')} away ({count(u)} used)"
        for k, (n, u) in enumerate(zip(around.totals, around.used, strict=True), start=1)
    )
    most = sorted(around.near, key=lambda one: (-one.used, one.steps, one.cui))[:3]
    listed = ", ".join(f"{names.get(one.cui, one.cui)} ({count(one.used)})" for one in most if one.used)
    most_used = f"Most used: {listed}." if listed else "The study uses none of them."
    return f"{names.get(around.cui, around.cui)}, in {things(used, 'image')}: {rings}. {most_used}"


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


def _marks(spots: Sequence[Spot], names: Mapping[str, str], theme: Theme) -> Parts:
    top = max(spot.used for spot in spots) or 1
    sizes = [SMALLEST + (LARGEST - SMALLEST) * sqrt(spot.used / top) for spot in spots]
    fills = [theme.accent if spot.used else theme.surface for spot in spots]
    return {
        "type": "scatter", "mode": "markers", "x": [spot.column for spot in spots],
        "y": [spot.row for spot in spots], "customdata": [spot.cui for spot in spots],
        "hovertext": [_hover(spot, names) for spot in spots], "hovertemplate": HOVER, "cliponaxis": False,
        "marker": {"size": sizes, "color": fills, "opacity": 1,
                   "line": {"color": [theme.accent if s.used else theme.muted for s in spots], "width": 1.5}},
        "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}},
    }  # fmt: skip


def _texts(spots: Sequence[Spot], names: Mapping[str, str], theme: Theme) -> list[Parts]:
    texts = []
    for spot in spots:
        way = f"{ARROWS[spot.way]} " if spot.way else ""
        name = safe(short(names.get(spot.cui, spot.cui), NAME))
        shown = f"{way}<b>{name}</b> {count(spot.used)}" if spot.used else f"{way}{name}"
        texts.append(note(
            shown, spot.column + TEXT_FROM, spot.row, theme.ink if spot.used else theme.muted,
            size=13 if spot.used else 12, xanchor="left", bgcolor=theme.surface, borderpad=2,
        ))  # fmt: skip
    return texts


def _heads(columns: int, theme: Theme) -> list[Parts]:
    """What each column is, over it."""
    heads = ["The concept", *(things(k, "step") for k in range(1, columns))]
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


def _hover(spot: Spot, names: Mapping[str, str]) -> str:
    name = names.get(spot.cui, "no name known")
    where = f"{things(spot.column, 'step')} away" if spot.column else "the concept itself"
    return f"<b>{safe(name)}</b> ({safe(spot.cui)})<br>{where} · {things(spot.used, 'image')}"
