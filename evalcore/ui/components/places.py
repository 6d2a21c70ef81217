"""The results on the board by their places, and which of them the drawer "Why?" is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.ui.components import pair, select
from evalcore.ui.components.pair import Pair
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.choices import not_shown, systems_on_offer
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import ALSO, SYSTEM_A, SYSTEM_B, WHY, WHY_IN
from evalcore.ui.frame.state import Key


class BoardPlace(NamedTuple):
    """A result on the board: the letter and name of its system, its rank, its image (-1: not known)."""

    side: str
    system: str
    rank: int
    image: int

    @property
    def key(self) -> str:
        return f"{self.side}{self.rank}"


class Around(NamedTuple):
    """A result, the ones before and after it in the list of its system, and how many that list shows.

    Results the study does not know are passed over: there is nothing to explain about them.
    """

    here: BoardPlace
    before: BoardPlace | None
    after: BoardPlace | None
    n: int


def holding(places: Sequence[BoardPlace], image: int) -> list[BoardPlace]:
    """Where an image stands, at most once for each system."""
    result: dict[str, BoardPlace] = {}
    for place in places:
        if place.image == image >= 0:
            result.setdefault(place.system, place)
    return list(result.values())


def around(places: Sequence[BoardPlace], here: BoardPlace) -> Around:
    """The neighbours of a result in its own list."""
    own = [place for place in places if (place.side, place.system) == (here.side, here.system)]
    known = [place for place in own if place.image >= 0]
    at = known.index(here)
    before = known[at - 1] if at else None
    after = known[at + 1] if at + 1 < len(known) else None
    return Around(here, before, after, len(own))


def ask(image_id: str, system: str) -> None:
    """Callback: open the drawer about a result of a system; "" for whichever system returned it first.

    Without an image the drawer is closed.
    """
    state.set_value(WHY, image_id)
    state.set_value(WHY_IN, system)


def stepped(order: Sequence[str], now: object, step: int) -> str:
    """The name ``step`` after that on view now, or the last on the way; counted from the first if none is."""
    at = order.index(now) if now in order else 0
    return order[min(max(at + step, 0), len(order) - 1)]


# Which systems are side by side: A and B, which the filters are about, and up to four others.

MOST = 6
"""Systems side by side at most: columns of more are too narrow for an image."""
LETTERS = "ABCDEF"


def other_systems(context: Context, chosen: Pair) -> tuple[str, ...]:
    """The systems beside A and B, as chosen; none at first."""
    offered = [name for name in systems_on_offer(context.study) if name not in (chosen.a, chosen.b)]
    return tuple(
        select.several(
            "Beside A and B",
            offered,
            param=ALSO,
            first=[],
            most=MOST - 2,
            placeholder="Up to four more systems",
            shown=lambda name: f"+ {name}",
        )
    )


def how_many(context: Context, shown: Sequence[str]) -> str:
    """How many of the study's systems are on the board, where these are not all; else ""."""
    few = not_shown(context.study, shown)
    return f"{few}; up to {MOST} shown side by side" if few and len(context.study.systems) > MOST else few


def scores_at(context: Context, systems: Sequence[str], query: int) -> list[float]:
    """The value of each system for one query under the sidebar's measure; NaN where it has none."""
    indices = np.array([query], np.int32)
    return [
        float(pair.at(score, indices)[0]) for score in cache.scores(context.study, context.choice, systems)
    ]


def link(systems: Sequence[str]) -> dict[Key, Any]:
    """What a link sets that opens a query with the first two of these systems side by side."""
    return dict(zip((SYSTEM_A, SYSTEM_B), dict.fromkeys(systems), strict=False))
