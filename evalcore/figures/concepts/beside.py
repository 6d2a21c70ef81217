"""What stands beside a path: a few faded neighbours of its concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.figures.concepts.path_words import ARROWS
from evalcore.figures.marks import note
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.figures.concepts.boxes import Spot
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.graph.neighbourhood import Near

    Beside = list[tuple[Near, Spot]]

ASIDE, FARTHER, LIFT = 0.85, 0.12, 0.24
"""How far a neighbour stands beside its concept (columns, and more per column the path has: they are narrower
then), and above or below it (layers)."""
APART, OVER = 0.42, 0.72
"""The same for the concept at a turn of the path, whose neighbours stand on its far side."""
NAME = 24


def places_beside(path: Sequence[str], places: Sequence[Spot], around: Sequence[Near]) -> Beside:
    """Where the neighbours of a path's concepts stand: outside of it, more general ones higher.

    At most two of each concept. Left out are those that would stand in the way of the path: of the middle
    columns of a winding path, and between its two halves.
    """
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    aside = ASIDE + FARTHER * (right - left)
    found: Beside = []
    for i, cui in enumerate(path):
        x, y = places[i]
        own = sorted((one for one in around if one.via == cui), key=lambda one: one.way == "down")[:2]
        for k, one in enumerate(own):
            up = k == 0 if len(own) == 2 else one.way == "up"
            if left == right:
                spot = x + (aside if k else -aside), y + (LIFT if one.way == "up" else -LIFT)
            elif x in (left, right):
                spot = x + (aside if x == right else -aside), y + (LIFT if up else -LIFT)
            elif x % 1 and (one.way == "up") == (places[i - 1][1] < y):
                spot = x + (APART if k else -APART), y + (OVER if one.way == "up" else -OVER)
            else:
                continue
            found.append((one, spot))
    return found


def faded_notes(
    beside: Beside, places: Mapping[str, Spot], names: Mapping[str, str], theme: Theme
) -> list[Parts]:
    """Faint lines and small boxes as annotations, to be drawn before everything else."""
    lines = [
        {
            "x": x, "y": y, "ax": places[one.via][0], "ay": places[one.via][1], "axref": "x", "ayref": "y",
            "text": "", "showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": theme.grid,
        }
        for one, (x, y) in beside
    ]  # fmt: skip
    boxes = [
        note(
            f"{ARROWS[one.way]} {safe(short(names.get(one.cui, one.cui), NAME))}", *spot, theme.muted,
            size=11, bgcolor=theme.surface, borderpad=3, bordercolor=theme.grid, borderwidth=1,
        )
        for one, spot in beside
    ]  # fmt: skip
    return [*lines, *boxes]
