"""Parts of a page that are closed until a reader opens them; what is closed is neither computed nor drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.ui.components import select
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

OPEN, CLOSED = "open", "closed"
OPENED = "_opened_"
"""Begins the name in the session of what says whether a panel is open."""
HOW_COMPARED = Key("how")
"""The method notes of a page, under "How this was compared"."""


def section(title: str, draw: Callable[..., object], *args: object, param: Key, first: bool = False) -> None:
    """A headed part of the page; ``draw(*given)`` is called only while it is open.

    It is a fragment: opening it, and widgets in it, redraw this part alone. The address says ``param=open``.
    ``title``: Markdown that says what is inside. ``first``: whether it is open until the reader closes it.
    """

    @state.fragment(key=f"{param}-fold")
    def drawn() -> None:
        opened = state.read_param(param, OPEN if first else CLOSED, state.one_of(OPEN, CLOSED)) == OPEN
        widget = state.bind_widget(f"{param}_fold", opened)
        place = st.expander(title, key=widget, on_change=_toggled, args=(param, widget))
        if opened:
            with place:
                draw(*args)

    drawn()


def panel(title: str, *, key: str) -> DeltaGenerator | None:
    """A part of the page or the sidebar that the address does not name; None while it is closed: what it
    holds is then neither sent nor drawn.

    Its title must stay the same, as with another one Streamlit takes it for another panel, which is closed.
    """
    opened = bool(st.session_state.get(OPENED + key))
    widget = state.bind_widget(key, opened)
    place = st.expander(title, key=widget, on_change=_kept_open, args=(key, widget))
    return place if opened else None


@contextmanager
def settings(title: str, *, key: str) -> Iterator[None]:
    """A `panel` with widgets of `select` (in a `select.row`): closed they hold what was selected."""
    with panel(title, key=key) or select.hidden():
        yield


def _kept_open(key: str, widget: str) -> None:
    state.set_plain(OPENED + key, bool(st.session_state[widget]))


def _toggled(param: Key, widget: str) -> None:
    state.set_value(param, OPEN if st.session_state[widget] else CLOSED)
