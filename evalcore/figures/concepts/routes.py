"""Where do several equally short paths part and meet? All of them in one figure, from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.concepts.boxes import box, box_text, marks_over
from evalcore.figures.concepts.path_words import ARROWS
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import NO_AXIS, figure, nothing
from evalcore.figures.marks import note
from evalcore.figures.numbers import things

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.concepts.boxes import Spot
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.graph import Step

HOW_TO_READ = Reading(
    "Equally short ways from the left concept to the right one. ↑ leads to something more general, ↓ to "
    "something more specific. Select a box to continue from there.",
    "The first of the shortest paths in alphabetical order, from the top, shared concepts once; columns by "
    "number of steps from the start (networkx, multipartite layout). Select a box to continue from there.",
)
ROW = 92
NAME = 13
LONGEST = 7
"""Steps that still fit side by side."""


def routes_figure(
    paths: Sequence[Sequence[str]], steps: Sequence[Sequence[Step]], *, names: Mapping[str, str], theme: Theme
) -> Drawn:
    """Paths of equal length from one concept to another; shared concepts are drawn once.

    ``steps[k]`` are the edges of ``paths[k]``. The sign on an arrow says whether it leads to something more
    general (↑) or more specific (↓). A click carries the CUI.
    """
    if not paths or len(paths[0]) < 2:
        return nothing("No path connects the two concepts.", HOW_TO_READ, theme=theme)
    spots = route_places(paths)
    links = {(step.start, step.end): step for along in steps for step in along}
    first, last = paths[0][0], paths[0][-1]
    ys = [y for _, y in spots.values()]
    notes = [note for step in links.values() for note in _arrow(step, spots, theme)]
    notes += [
        box(box_text(cui, names, NAME, theme), spot, theme, end=cui in (first, last), small=True)
        for cui, spot in spots.items()
    ]
    drawn = figure(
        theme=theme, height=ROW * (max(ys) - min(ys) + 1), bottom=4, hoverdistance=60,
        title=f"From {names.get(first, first)} to {names.get(last, last)}",
        subtitle=f"{things(len(paths), 'path')}, "
        f"{things(len(steps[0]), 'step')} each · ↑ is listed under, ↓ lists",
        traces=[marks_over(list(spots.items()), names)], notes=notes,
        x=NO_AXIS | {"range": [-0.5, len(paths[0]) - 0.5]},
        y=NO_AXIS | {"range": [min(ys) - 0.5, max(ys) + 0.5]},
    )  # fmt: skip
    return Drawn(drawn, _take_away(paths, names), HOW_TO_READ)


def _take_away(paths: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """The paths in words, the middle concepts of each."""
    ends = [names.get(cui, cui) for cui in (paths[0][0], paths[0][-1])]
    over = "; ".join(", ".join(names.get(cui, cui) for cui in path[1:-1]) for path in paths)
    alt = f"{things(len(paths), 'path')} from {ends[0]} to {ends[1]}, "
    alt += f"{things(len(paths[0]) - 1, 'step')} each"
    return f"{alt}, over {over}." if over.strip("; ") else f"{alt}."


def route_places(paths: Sequence[Sequence[str]]) -> dict[str, Spot]:
    """(step, row) of every concept: steps from the start, and those of one step in rows 1 apart, that of the
    first path on top."""
    import networkx as nx  # takes a fifth of a second, and few pages draw several paths

    # Lists, not sets: the same concepts stand in the same rows every time.
    layers = {k: list(dict.fromkeys(cuis))[::-1] for k, cuis in enumerate(zip(*paths, strict=True))}
    graph = nx.empty_graph(cui for layer in layers.values() for cui in layer)
    placed = nx.multipartite_layout(graph, subset_key=layers)
    # The layout is centred and scaled; one step and one row are one unit again.
    unit = (len(layers) - 1) / 2 / max(abs(x) for x, _ in placed.values())
    return {
        cui: (float(step), float(placed[cui][1] * unit)) for step, layer in layers.items() for cui in layer
    }


def _arrow(step: Step, spots: Mapping[str, Spot], theme: Theme) -> list[Parts]:
    (ax, ay), (x, y) = spots[step.start], spots[step.end]
    arrow = {
        "x": ax + 0.72 * (x - ax), "y": ay + 0.72 * (y - ay), "ax": ax, "ay": ay, "axref": "x", "ayref": "y",
        "text": "", "showarrow": True, "arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 1.5,
        "arrowcolor": theme.muted,
    }  # fmt: skip
    rest = {**arrow, "x": x, "y": y, "ax": arrow["x"], "ay": arrow["y"], "arrowhead": 0}
    sign = note(
        ARROWS[step.direction], ax + 0.56 * (x - ax), ay + 0.56 * (y - ay), theme.ink, size=13,
        bgcolor=theme.surface, borderpad=1,
    )  # fmt: skip
    return [rest, arrow, sign]
