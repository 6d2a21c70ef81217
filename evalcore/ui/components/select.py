"""Widgets whose choice stays: in the session, in the address, on the way to other pages. One call each.

Every function draws one widget for a `state.Key` and returns what is chosen: what the address says, else
what was chosen before, else ``first``. A value the address names and the widget does not offer is refused
in words. Texts that came from a file are made harmless here, as the widget at hand needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from evalcore.ui.frame.state import Key

    Shown = Callable[[Any], str]

NONE = "@none"
"""None of several, in the address; no system has such a name."""


def one(
    label: str, options: Sequence[str], *, keep: Key, first: str, shown: Shown = str, **look: Any
) -> str:  # fmt: skip
    """One of several, from a list that unfolds."""
    chosen = str(state.carry(keep, first, state.one_of(*options)))
    st.selectbox(label, options, **_kept(keep, chosen), format_func=lambda o: plain(shown(o)), **look)
    return chosen


def segments(
    label: str, options: Sequence[str], *, keep: Key, first: str, shown: Shown = str,
    then: Callable[[], None] | None = None, **look: Any,
) -> str:  # fmt: skip
    """One of a few, all in sight. ``then`` is called after the choice was taken, before the page is drawn."""
    chosen = str(state.carry(keep, first, state.one_of(*options)))
    st.segmented_control(
        label, options, required=True, **_kept(keep, chosen, then), format_func=lambda o: md_escape(shown(o)),
        **look,
    )  # fmt: skip
    return chosen


def pills(
    label: str, options: Sequence[str], *, keep: Key, first: str = "", shown: Shown = str, **look: Any
) -> str:  # fmt: skip
    """One of a few or none, which is ""."""
    chosen = str(state.carry(keep, first, state.one_of("", *options)))
    st.pills(label, options, **_kept(keep, chosen or None), format_func=lambda o: md_escape(shown(o)), **look)
    return chosen


def some(
    label: str, options: Sequence[str], *, keep: Key, first: Sequence[str], shown: Shown = str, **look: Any
) -> list[str]:  # fmt: skip
    """Several of a list; ``first`` where none is chosen."""
    chosen: list[str] = list(state.carry(keep, list(first), state.some_of(*options)))
    st.multiselect(label, options, **_kept(keep, chosen), format_func=lambda o: plain(shown(o)), **look)
    return chosen


def several(
    label: str, options: Sequence[str], *, keep: Key, first: Sequence[str], most: int, shown: Shown = str,
    **look: Any,
) -> list[str]:  # fmt: skip
    """Several of a list, ``most`` at most, or none, which is ``@none`` in the address."""

    def understood(given: list[str]) -> list[str] | None:
        return [NONE] if given == [NONE] else [n for n in dict.fromkeys(given) if n in options][:most] or None

    kept = state.carry(keep, list(first) or [NONE], understood)
    chosen = [] if kept == [NONE] else list(kept)
    widget = state.seed(f"{keep}_some", chosen)
    st.multiselect(
        label, options, key=widget, on_change=_some_or_none, args=(keep, widget), max_selections=most,
        format_func=lambda o: plain(shown(o)), **look,
    )  # fmt: skip
    return chosen


def typed(
    label: str, offered: Sequence[str], *, keep: Key, understood: Callable[[list[str]], list[str]],
    **look: Any,
) -> list[str]:  # fmt: skip
    """Several of a list or typed ones, none at first; ``understood`` gives back those that can be used."""
    chosen: list[str] = list(state.carry(keep, [], understood))
    options = list(dict.fromkeys([*chosen, *offered]))
    st.multiselect(label, options, **_kept(keep, chosen), accept_new_options=True, format_func=plain, **look)
    return chosen


def whole(label: str, low: int, high: int, *, keep: Key, first: int, **look: Any) -> int:
    """A whole number in a range, typed."""
    value = int(state.carry(keep, first, state.whole(low, high)))
    st.number_input(label, low, high, **_kept(keep, value), **look)
    return value


def amount(
    label: str, offered: Iterable[int], low: int, high: int, *, keep: Key, first: int, shown: Shown = str,
    **look: Any,
) -> int:  # fmt: skip
    """One of a few whole numbers, from a list that unfolds, or another in the range that a link asks for."""
    value = int(state.carry(keep, first, state.whole(low, high)))
    options = sorted({*offered, value})
    st.selectbox(label, options, **_kept(keep, value), format_func=lambda n: plain(shown(n)), **look)
    return value


def steps(label: str, low: int, high: int, *, keep: Key, first: int, **look: Any) -> int:
    """A whole number in a small range, on a slider."""
    value = int(state.carry(keep, first, state.whole(low, high)))
    st.slider(label, low, high, **_kept(keep, value), **look)
    return value


def share(label: str, *, keep: Key, first: float, step: float = 0.05, **look: Any) -> float:
    """A number from 0 to 1, on a slider."""
    value = round(float(state.carry(keep, first, state.number(0, 1))), 4)
    st.slider(label, 0.0, 1.0, step=step, **_kept(keep, value), **look)
    return value


def number(
    label: str, low: float, high: float, *, keep: Key, first: float, step: float, **look: Any
) -> float:  # fmt: skip
    """A number in a range, typed."""
    value = float(state.carry(keep, first, state.number(low, high)))
    st.number_input(label, low, high, step=step, **_kept(keep, value), **look)
    return value


def words(label: str, *, keep: Key, first: str = "", **look: Any) -> str:
    """A text, "" for none."""
    typed = str(state.carry(keep, first))
    st.text_input(label, **_kept(keep, typed), **look)
    return typed


def switch(
    label: str, *, keep: Key, first: bool = False, on: str = "yes", off: str = "no", **look: Any
) -> bool:  # fmt: skip
    """Yes or no; ``on`` and ``off`` stand for it in the address."""
    chosen = state.carry(keep, on if first else off, state.one_of(on, off)) == on
    widget = state.seed(f"{keep}_on", chosen)
    st.toggle(label, key=widget, on_change=_switched, args=(keep, widget, on, off), **look)
    return bool(chosen)


def tab(names: Sequence[str], *, keep: Key, shown: Shown = str) -> tuple[str, DeltaGenerator]:
    """The tab that is open, by its name, and the place to draw in it; the other tabs stay empty.

    ``names`` stand in the address, so they stay as they are where the words on the tabs (``shown``) change.
    """
    chosen = str(state.carry(keep, names[0], state.one_of(*names)))
    labels = {name: md_escape(shown(name)) for name in names}
    widget = state.seed(f"{keep}_tab", labels[chosen])
    by_label = {label: name for name, label in labels.items()}
    places = st.tabs(list(by_label), key=widget, on_change=_opened, args=(keep, widget, by_label))
    return chosen, places[names.index(chosen)]


def _opened(keep: Key, widget: str, by_label: Mapping[str, str]) -> None:
    state.set_value(keep, by_label[st.session_state[widget]])


def _kept(keep: Key, value: Any, then: Callable[[], None] | None = None) -> dict[str, Any]:
    """What ties a widget to its key."""
    return {"key": state.seed(keep, value), "on_change": _taken, "args": (keep, then)}


def _taken(keep: Key, then: Callable[[], None] | None) -> None:
    state.take_widget(keep)
    if then is not None:
        then()


def _some_or_none(keep: Key, widget: str) -> None:
    state.set_value(keep, list(st.session_state[widget]) or [NONE])


def _switched(keep: Key, widget: str, on: str, off: str) -> None:
    state.set_value(keep, on if st.session_state[widget] else off)
