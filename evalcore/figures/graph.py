"""The graph: how two concepts are connected, or what surrounds one, as boxes and arrows in layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalcore.figures.frame import NO_AXIS, AccessibleFigure, Figure, Parts, Reading, figure, nothing
from evalcore.figures.marks import muted, note
from evalcore.figures.matrix import click_marks
from evalcore.figures.theme import Theme, faded
from evalcore.figures.words import ARROWS, Level, path_sentence, relation, sources_of
from evalcore.graph import Step
from evalcore.graph.neighbourhood import Near
from evalcore.values.writing import listed, pluralize, safe, short, wrapped

HOW_TO_READ = Reading(
    "Each arrow is one link in the terminology. Fewer steps mean closer meaning; higher up is more general. "
    "Select a box to continue from there.",
    "One shortest path in the whole is_a graph; layers by direction of the edges, up to the common "
    "ancestor and down again; sources on the arrows.",
)
AROUND = Reading(
    "Concepts linked to this one: more general ones above it, more specific ones below. Select a box to "
    "continue from there.",
    "Direct links of the whole is_a graph; the concepts that most images of the study carry first.",
)
Spot = tuple[float, float]
"""Column and layer of a box; a higher layer is more general."""
LAYER, AIR = 122, 0.36
"""Pixels between two layers; of these above and below the boxes."""
BOX_LINE = 17
"""Pixels of a line of text in a box."""
NAME, MOST = 30, 12
"""Characters of a neighbour's name, and neighbours of a concept alone."""
BRIEF = {"up": "under", "down": "lists"}
TECHNICAL = {"up": "is_a", "down": "is_a⁻¹"}
"""What a link says where several columns share the width, and to a researcher."""


def path_figure(
    path: Sequence[str],
    steps: Sequence[Step],
    *,
    names: Mapping[str, str],
    theme: Theme,
    reading: Level = "plain",
) -> AccessibleFigure:
    """A path from its first concept up to the common one and down again, more general concepts higher.

    ``path``: CUIs from start to end, two or more; none says that there is no path. ``steps``: its edges in
    the same order (``graph.steps``): each goes up to a parent or down to a child. ``reading``: "technical"
    writes is_a and the sources of each edge as the files do. A click on a box carries its CUI.
    """
    if not path:
        return nothing("No path connects the two concepts.", HOW_TO_READ, theme=theme)
    places = layout_of(steps)
    n_columns = len({x for x, _ in places})
    crowded = n_columns > (1 if theme.narrow else 3)
    width = 26 if n_columns <= 1 else 14 if crowded else 20
    texts, notes = [_box_text(cui, names, width, theme) for cui in path], []
    for i, step in enumerate(steps):
        words = _relation(step, reading, theme, crowded=crowded)
        notes += _arrow((places[i], places[i + 1]), step, (texts[i], texts[i + 1]), words, theme)
    for i, (text, place) in enumerate(zip(texts, places, strict=True)):
        notes.append(_box(text, place, theme, end=i in (0, len(path) - 1)))
    drawn = _boxes(
        [*zip(path, places, strict=True)],
        notes,
        title=f"From {names.get(path[0], path[0])} to {names.get(path[-1], path[-1])}",
        subtitle=f"{pluralize(len(steps), 'step')} apart · higher up is more general",
        names=names,
        theme=theme,
    )
    return AccessibleFigure(drawn, path_sentence(path, steps, names=names), HOW_TO_READ)


def around_figure(
    cui: str, near: Sequence[Near], *, names: Mapping[str, str], theme: Theme
) -> AccessibleFigure:
    """A concept with its neighbours, the most used of them, with an arrow for more general or more specific.

    A click on a box carries its CUI.
    """
    used_first = sorted(near, key=lambda near: (-near.used, near.cui))[:MOST]
    beside, name = places_around(used_first, 2 if theme.narrow else 4), names.get(cui, cui)
    if not beside:
        return nothing(f"The terminology links nothing to {name}.", AROUND, theme=theme)
    drawn = _boxes(
        [(cui, (0, 0)), *((near.cui, spot) for near, spot in beside)],
        [*_near_notes(beside, names, theme), _box(_box_text(cui, names, 26, theme), (0, 0), theme, end=True)],
        title=f"Around {name}",
        subtitle="higher up is more general · numbers: images",
        names=names,
        theme=theme,
    )
    return AccessibleFigure(drawn, _about(name, used_first, names), AROUND)


def _boxes(
    boxes: Sequence[tuple[str, Spot]],
    notes: Sequence[Parts],
    *,
    title: str,
    subtitle: str,
    names: Mapping[str, str],
    theme: Theme,
) -> Figure:
    """Concepts at their places; ``notes``: what boxes and arrows look like."""
    cuis, spots = zip(*boxes, strict=True)
    xs, ys = zip(*spots, strict=True)
    hover = [f"{safe(names.get(cui, 'no name known'))}<br>{safe(cui)}" for cui in cuis]
    return figure(
        theme=theme,
        height=round(LAYER * (max(ys) - min(ys) + 2 * AIR)),
        title=title,
        subtitle=subtitle,
        bottom=4,
        notes=notes,
        traces=[click_marks(spots, cuis, hover, 40) | {"cliponaxis": False}],
        hoverdistance=60,
        x=NO_AXIS | {"range": [min(xs) - 0.5, max(xs) + 0.5]},
        y=NO_AXIS | {"range": [min(ys) - AIR, max(ys) + AIR]},
    )


def _about(name: str, near: Sequence[Near], names: Mapping[str, str]) -> str:
    each = [
        f"{names.get(neighbour.cui, neighbour.cui)} ({neighbour.used:,})"
        for neighbour in near[:3]
        if neighbour.used
    ]
    used = f" Most used: {', '.join(each)}." if each else " The study uses none of them."
    return f"{name} is linked with {pluralize(len(near), 'concept')} that are drawn.{used}"


# Places of boxes: along the path, around one concept.


def layout_of(steps: Sequence[Step]) -> list[Spot]:
    """(column, layer) of every concept of a path.

    The layer rises with each step up. A run of steps in one direction fills a column; the concept
    where the direction turns is between the two columns.

    >>> from evalcore.graph import Step
    >>> layout_of([Step("a", "b", "up", ""), Step("b", "c", "down", "")])
    [(0, 0), (0.5, 1), (1, 0)]
    """
    places: list[Spot] = [(0, 0)]
    column = 0
    for i, step in enumerate(steps):
        layer = places[-1][1] + (1 if step.direction == "up" else -1)
        turns = i + 1 < len(steps) and steps[i + 1].direction != step.direction
        places.append((column + 0.5 if turns else column, layer))
        column += turns
    return places


def places_around(around: Sequence[Near], across: int) -> list[tuple[Near, Spot]]:
    """Places of the neighbours of one concept: rows of so many above it and below it, the first nearest."""
    beside: list[tuple[Near, Spot]] = []
    for way, sign in (("up", 1), ("down", -1)):
        same_way = [near for near in around if near.way == way]
        for i, near in enumerate(same_way):
            row, column = divmod(i, across)
            wide = min(across, len(same_way) - row * across)
            beside.append((near, (column - (wide - 1) / 2, sign * (0.75 + 0.42 * row))))
    return beside


# What boxes and arrows look like, as annotations.


def _near_notes(beside: Sequence[tuple[Near, Spot]], names: Mapping[str, str], theme: Theme) -> list[Parts]:
    """Faint lines to the concept and small boxes, to be drawn before everything else."""
    lines = [_link(spot, (0, 0), theme.grid, arrowhead=0, arrowwidth=1) for _, spot in beside]
    boxes = [
        note(
            f"{ARROWS[near.way]} {safe(short(names.get(near.cui, near.cui), NAME))}"
            + (f" {near.used:,}" if near.used else ""),
            *spot,
            theme.muted,
            size=11,
            bgcolor=theme.surface,
            borderpad=3,
            bordercolor=theme.grid,
            borderwidth=1,
        )
        for near, spot in beside
    ]
    return [*lines, *boxes]


def _link(to: Spot, start: Spot, colour: str, **options: object) -> Parts:
    place = {"x": to[0], "y": to[1], "ax": start[0], "ay": start[1], "axref": "x", "ayref": "y"}
    return place | {"text": "", "showarrow": True, "arrowcolor": colour, **options}


def _box(text: str, spot: Spot, theme: Theme, *, end: bool) -> Parts:
    """A concept of the path; both ends have a stronger border."""
    return note(
        text,
        *spot,
        theme.ink,
        size=13,
        align="center",
        borderpad=7,
        bgcolor=theme.raised,
        bordercolor=theme.accent if end else theme.muted,
        borderwidth=2 if end else 1,
    )


def _box_text(cui: str, names: Mapping[str, str], width: int, theme: Theme) -> str:
    """The name in lines of about ``width`` characters over the CUI; the CUI alone where no name is known."""
    if cui not in names:
        return f"<b>{safe(cui)}</b>"
    return f"<b>{wrapped(names[cui], width)}</b><br>{muted(safe(cui), theme)}"


def _relation(step: Step, reading: Level, theme: Theme, *, crowded: bool) -> str:
    """The words on an arrow: with sources for a researcher, short where several columns share the width."""
    if reading == "technical":
        return f"{TECHNICAL[step.direction]}<br>{muted(wrapped(step.label, 22, lines=2), theme)}"
    if crowded:
        return relation(step, BRIEF)
    source = muted(wrapped(listed(sources_of(step.label)), 22, lines=2), theme) if step.label else ""
    return relation(step) + (f"<br>{source}" if source else "")


def _arrow(
    ends: tuple[Spot, Spot], step: Step, texts: tuple[str, str], words: str, theme: Theme
) -> list[Parts]:
    """The arrow from edge to edge of two boxes, and its relation in the middle."""
    (x0, y0), (x1, y1) = ends
    sign = 1 if step.direction == "up" else -1
    # Half the height of a box with this text, in layers.
    tail, head = (
        y + side * ((text.count("<br>") + 1) * BOX_LINE + 16) / 2 / LAYER
        for y, text, side in ((y0, texts[0], sign), (y1, texts[1], -sign))
    )
    look = {"arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 1.75, "standoff": 3, "startstandoff": 3}
    upright = x0 == x1
    side = "left" if upright else "center"
    label = note(
        words,
        (x0 + x1) / 2,
        (tail + head) / 2,
        theme.muted,
        align=side,
        xanchor=side,
        xshift=8 if upright else 0,
        bgcolor=faded(theme.surface, 0 if upright else 0.9),
        borderpad=1,
    )
    return [_link((x1, head), (x0, tail), theme.muted, **look), label]
