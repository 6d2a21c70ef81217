"""The results on the board by their places, which of them the drawer "Why?" is about, and the way on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from evalcore.ui.components import select
from evalcore.ui.components.pair import Pair
from evalcore.ui.frame import state
from evalcore.ui.frame.choices import systems_on_offer
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import ALSO, WHY, WHY_IN
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


def ask(image_id: str, system: str) -> None:
    """Callback: open the drawer about a result of a system; "" for whichever system returned it first.

    Without an image the drawer is closed.
    """
    state.set_value(WHY, image_id)
    state.set_value(WHY_IN, system)


def step_button(
    way: Literal[-1, 1],
    order: Sequence[str],
    key: Key,
    go: Callable[[str], object],
    *,
    name: str,
    what: str = "",
    keyboard: bool = True,
) -> None:
    """The button to the entry of ``order`` before (-1) or after (1) the one that ``key`` holds.

    ``go``: callback with that entry. ``name``: begins the key of the widget; ``what``: ends its label.
    ``keyboard``: whether the arrow key does the same; pressed twice quickly it goes two entries on.
    """
    word, side = ("Previous", "left") if way < 0 else ("Next", "right")
    st.button(
        f"{word}{what}",
        key=f"{name}-{side}",
        icon=f":material/chevron_{side}:",
        shortcut=side if keyboard else None,
        disabled=not 0 <= _at(order, key) + way < len(order),
        on_click=_step,
        args=(way, order, key, go),
    )


def _step(way: int, order: Sequence[str], key: Key, go: Callable[[str], object]) -> None:
    """Callback: on from the entry held now."""
    go(order[min(max(_at(order, key) + way, 0), len(order) - 1)])


def _at(order: Sequence[str], key: Key) -> int:
    """The place of the entry that is held, the first where that is none of them."""
    now = state.get(key)
    return order.index(now) if now in order else 0


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
