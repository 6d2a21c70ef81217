"""The results on the board by their places, and which of them the drawer "Why?" is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.ui.frame import state
from evalcore.ui.query.keys import WHY, WHY_IN

if TYPE_CHECKING:
    from collections.abc import Sequence


class Place(NamedTuple):
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

    here: Place
    before: Place | None
    after: Place | None
    n: int


def holding(places: Sequence[Place], image: int) -> list[Place]:
    """Where an image stands, at most once for each system."""
    found: dict[str, Place] = {}
    for one in places:
        if one.image == image >= 0:
            found.setdefault(one.system, one)
    return list(found.values())


def around(places: Sequence[Place], here: Place) -> Around:
    """The neighbours of a result in its own list."""
    own = [one for one in places if (one.side, one.system) == (here.side, here.system)]
    known = [one for one in own if one.image >= 0]
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
