"""How are two concepts connected? One path drawn in layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalcore.figures.concepts import routes
from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, figure, nothing
from evalcore.figures.marks import muted, note
from evalcore.figures.theme import Theme, faded
from evalcore.graph import Step
from evalcore.graph.neighbourhood import Near
from evalcore.values.writing import listed, pluralize, safe, short, wrapped

Beside = list[tuple[Near, routes.Spot]]

# What stands beside a path: a few faded neighbours of its concepts.

ASIDE, FARTHER, LIFT = 0.85, 0.12, 0.24
"""How far a neighbour stands beside its concept (columns, and more per column the path has: they are narrower
then), and above or below it (layers)."""
APART, OVER = 0.42, 0.72
"""The same for the concept at a turn of the path, whose neighbours stand on its far side."""
NAME = 24


def places_beside(path: Sequence[str], places: Sequence[routes.Spot], around: Sequence[Near]) -> Beside:
    """Where the neighbours of a path's concepts stand: outside of it, more general ones higher.

    At most two of each concept. Left out are those that would stand in the way of the path: of the middle
    columns of a winding path, and between its two halves.
    """
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    aside = ASIDE + FARTHER * (right - left)
    beside: Beside = []
    for i, cui in enumerate(path):
        x, y = places[i]
        own = sorted((near for near in around if near.via == cui), key=lambda near: near.way == "down")[:2]
        for k, near in enumerate(own):
            up = k == 0 if len(own) == 2 else near.way == "up"
            if left == right:
                spot = x + (aside if k else -aside), y + (LIFT if near.way == "up" else -LIFT)
            elif x in (left, right):
                spot = x + (aside if x == right else -aside), y + (LIFT if up else -LIFT)
            elif x % 1 and (near.way == "up") == (places[i - 1][1] < y):
                spot = x + (APART if k else -APART), y + (OVER if near.way == "up" else -OVER)
            else:
                continue
            beside.append((near, spot))
    return beside


def faded_notes(
    beside: Beside, places: Mapping[str, routes.Spot], names: Mapping[str, str], theme: Theme
) -> list[Parts]:
    """Faint lines and small boxes as annotations, to be drawn before everything else."""
    lines = [
        {
            "x": x,
            "y": y,
            "ax": places[one.via][0],
            "ay": places[one.via][1],
            "axref": "x",
            "ayref": "y",
            "text": "",
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1,
            "arrowcolor": theme.grid,
        }
        for one, (x, y) in beside
    ]
    boxes = [
        note(
            f"{routes.ARROWS[one.way]} {safe(short(names.get(one.cui, one.cui), NAME))}",
            *spot,
            theme.muted,
            size=11,
            bgcolor=theme.surface,
            borderpad=3,
            bordercolor=theme.grid,
            borderwidth=1,
        )
        for one, spot in beside
    ]
    return [*lines, *boxes]


HOW_TO_READ = Reading(
    "Each arrow is one link in the terminology. Fewer steps mean closer meaning; higher up is more general.",
    "One shortest path in the whole is_a graph; layers by direction of the edges, up to the common "
    "ancestor and down again; sources on the arrows.",
)
Place = tuple[float, int]
"""Column and layer of a box; a higher layer is more general."""
LAYER, AIR = 122, 0.36
BOX_LINE = 17
"""Pixels between two layers; of these above and below the boxes; pixels of a line of text in a box."""
BRIEF = {"up": "under", "down": "lists"}
TECHNICAL = {"up": "is_a", "down": "is_a⁻¹"}
"""What a link says where several columns share the width, and to a researcher."""


def path_figure(
    path: Sequence[str],
    steps: Sequence[Step],
    *,
    names: Mapping[str, str],
    theme: Theme,
    reading: routes.Level = "plain",
    around: Sequence[Near] = (),
) -> Drawn:
    """A path from its first concept up to the common one and down again, more general concepts higher.

    ``path``: CUIs from start to end; one concept alone is drawn as itself, none says that there is no path.
    ``steps``: its edges in the same order (``graph.steps``): each goes up to a parent or down to a child.
    ``reading``: "technical" writes is_a and the sources of each edge as the files do. ``around``: neighbours
    of concepts of the path (``graph.neighbourhood.around_path``), drawn small and faded beside it, with an
    arrow for more general or more specific, where there is room for them. A click on any box carries its CUI.
    """
    if not path:
        return nothing("No path connects the two concepts.", HOW_TO_READ, theme=theme)
    places = layout_of(steps)
    columns = {x for x, _ in places}
    beside = places_beside(path, places, () if theme.narrow else around)
    crowded = len(columns) > (1 if theme.narrow else 3)
    width = 26 if len(columns) <= 1 else 14 if crowded else 20
    texts = [routes.box_text(cui, names, width, theme) for cui in path]
    notes = [
        note
        for i, step in enumerate(steps)
        for note in _arrow(
            (places[i], places[i + 1]),
            step,
            (texts[i], texts[i + 1]),
            _relation(step, reading, theme, crowded=crowded),
            theme,
        )
    ]
    notes += [
        routes.box(text, place, theme, end=i in (0, len(path) - 1))
        for i, (text, place) in enumerate(zip(texts, places, strict=True))
    ]
    notes = [*faded_notes(beside, dict(zip(path, places, strict=True)), names, theme), *notes]
    boxes = [*zip(path, places, strict=True), *((one.cui, spot) for one, spot in beside)]
    xs, ys = zip(*(spot for _, spot in boxes), strict=True)
    apart = (
        f"{pluralize(len(steps), 'step')} apart · higher up is more general" if steps else "The same concept"
    )
    drawn = figure(
        theme=theme,
        height=round(LAYER * (max(ys) - min(ys) + 2 * AIR)),
        title=_title(path, names),
        subtitle=apart,
        bottom=4,
        notes=notes,
        x=NO_AXIS | {"range": [min(xs) - 0.5, max(xs) + 0.5]},
        traces=[routes.marks_over(boxes, names)],
        hoverdistance=60,
        y=NO_AXIS | {"range": [min(ys) - AIR, max(ys) + AIR]},
    )
    return Drawn(drawn, routes.path_sentence(path, steps, names=names), HOW_TO_READ)


def layout_of(steps: Sequence[Step]) -> list[Place]:
    """(column, layer) of every concept of a path.

    The layer rises with each step up. A run of steps in one direction fills a column; the concept
    where the direction turns stands between the two columns.

    >>> from evalcore.graph import Step
    >>> layout_of([Step("a", "b", "up", ""), Step("b", "c", "down", "")])
    [(0, 0), (0.5, 1), (1, 0)]
    """
    places: list[Place] = [(0, 0)]
    column = 0
    for i, step in enumerate(steps):
        layer = places[-1][1] + (1 if step.direction == "up" else -1)
        turns = i + 1 < len(steps) and steps[i + 1].direction != step.direction
        places.append((column + 0.5 if turns else column, layer))
        column += turns
    return places


def _relation(step: Step, reading: routes.Level, theme: Theme, *, crowded: bool) -> str:
    """The words on an arrow: with sources for a researcher, short where several columns share the width."""
    if reading == "technical":
        return f"{TECHNICAL[step.direction]}<br>{muted(wrapped(step.label, 22, lines=2), theme)}"
    if crowded:
        return routes.relation(step, BRIEF)
    source = muted(wrapped(listed(routes.sources_of(step.label)), 22, lines=2), theme) if step.label else ""
    return routes.relation(step) + (f"<br>{source}" if source else "")


def _arrow(
    ends: tuple[Place, Place], step: Step, texts: tuple[str, str], words: str, theme: Theme
) -> list[Parts]:
    """The arrow from edge to edge of two boxes, and its relation in the middle."""
    start, end = ends
    sign = 1 if step.direction == "up" else -1
    tail, head = start[1] + sign * _half(texts[0]), end[1] - sign * _half(texts[1])
    arrow = {
        "x": end[0],
        "y": head,
        "ax": start[0],
        "ay": tail,
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1.1,
        "arrowwidth": 1.75,
        "arrowcolor": theme.muted,
        "standoff": 3,
        "startstandoff": 3,
    }
    upright = start[0] == end[0]
    side = "left" if upright else "center"
    label = note(
        words,
        (start[0] + end[0]) / 2,
        (tail + head) / 2,
        theme.muted,
        align=side,
        xanchor=side,
        xshift=8 if upright else 0,
        bgcolor=faded(theme.surface, 0 if upright else 0.9),
        borderpad=1,
    )
    return [arrow, label]


def _half(text: str) -> float:
    """Half the height of a box with this text, in layers."""
    return ((text.count("<br>") + 1) * BOX_LINE + 16) / 2 / LAYER


def _title(path: Sequence[str], names: Mapping[str, str]) -> str:
    first, last = names.get(path[0], path[0]), names.get(path[-1], path[-1])
    return f"From {first} to {last}" if len(path) > 1 else first
