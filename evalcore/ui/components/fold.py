"""Parts of a page that are closed until a reader opens them; what is closed is neither computed nor drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from evalcore.ui.components import select
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

OPEN, CLOSED = "open", "closed"
HOW_COMPARED = Key("how")
"""The method notes of a page, under "How this was compared"."""


def section(
    title: str,
    draw: Callable[..., object],
    *given: object,
    keep: Key,
    icon: str | None = None,
    first: bool = False,
) -> None:
    """A headed part of the page; ``draw(*given)`` is called only while it is open.

    It is a fragment: opening it, and widgets in it, redraw this part alone. The address says ``keep=open``.
    ``title``: Markdown that says what is inside. ``first``: whether it is open until the reader closes it.
    """

    @state.fragment(key=f"{keep}-fold")
    def drawn() -> None:
        opened = state.read_param(keep, OPEN if first else CLOSED, state.one_of(OPEN, CLOSED)) == OPEN
        widget = state.bind_widget(f"{keep}_fold", opened)
        place = st.expander(title, icon=icon, key=widget, on_change=_toggled, args=(keep, widget))
        if opened:
            with place:
                draw(*given)

    drawn()


@contextmanager
def settings(title: str, *, key: str, first: bool = False) -> Iterator[None]:
    """A part of the page with widgets of `select` (in a `select.row`), which are sent only while it is open.

    While it is closed they hold what was selected. ``first``: whether it is open until the reader closes it.
    """
    widget = f"{key}-settings"
    opened = bool(st.session_state.get(f"_{widget}", first))
    state.bind_widget(widget, opened)
    place = st.expander(title, icon=":material/tune:", key=widget, on_change=_kept_open, args=(widget,))
    with place if opened else select.hidden():
        yield


def _kept_open(widget: str) -> None:
    state.set_plain(f"_{widget}", bool(st.session_state[widget]))


def _toggled(keep: Key, widget: str) -> None:
    state.set_value(keep, OPEN if st.session_state[widget] else CLOSED)
