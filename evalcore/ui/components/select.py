"""Widgets whose choice stays: in the session, in the address, on the way to other pages. One call each.

Every function draws one widget for a `state.Key` and returns what is chosen: what the address says, else
what was chosen before, else ``first``. A value the address names and the widget does not offer is refused
in words. Texts that came from a file are made harmless here, as the widget at hand needs it.

Of several names, ``options`` are the names, or a mapping of each to what it is called on screen (``shown``
says so where it follows from the name). Without ``first`` it is the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeAlias

import streamlit as st

from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key
from evalcore.values.writing import md_escape, plain

Offered: TypeAlias = Sequence[str] | Mapping[str, str]
Shown: TypeAlias = Callable[[Any], str]

NONE = "@none"
"""None of several, in the address; no system has such a name."""


_drawn = ContextVar("drawn", default=True)
"""Whether widgets are drawn."""


@contextmanager
def undrawn() -> Iterator[None]:
    """Inside, widgets are not drawn: their functions return what they would show."""
    before = _drawn.set(False)
    try:
        yield
    finally:
        _drawn.reset(before)


def row() -> AbstractContextManager[object]:
    """A line of widgets."""
    return st.container(horizontal=True, vertical_alignment="bottom") if _drawn.get() else nullcontext()


def _draw(widget: Callable[..., object], *given: object, **look: Any) -> None:
    if _drawn.get():
        widget(*given, **look)


def one(
    label: str, options: Offered, *, keep: Key, first: str | None = None, shown: Shown = str, **look: Any
) -> str:
    """One of several, from a list that unfolds."""
    names, words = _words(options, shown, plain)
    chosen = _one_of(names, keep, first)
    _draw(st.selectbox, label, names, **_kept(keep, chosen), format_func=words, **look)
    return chosen


def segments(
    label: str, options: Offered, *, keep: Key, first: str | None = None, shown: Shown = str, **look: Any
) -> str:
    """One of a few, all in sight."""
    names, words = _words(options, shown, md_escape)
    chosen = _one_of(names, keep, first)
    _draw(st.segmented_control, label, names, required=True, **_kept(keep, chosen), format_func=words, **look)
    return chosen


def some(label: str, options: Offered, *, keep: Key, first: Sequence[str], **look: Any) -> list[str]:
    """Several of a list; ``first`` where none is chosen."""
    names, words = _words(options, str, plain)
    chosen: list[str] = list(state.read_param(keep, list(first), state.some_of(*names)))
    _draw(st.multiselect, label, names, **_kept(keep, chosen), format_func=words, **look)
    return chosen


def several(
    label: str,
    options: Offered,
    *,
    keep: Key,
    first: Sequence[str],
    most: int,
    shown: Shown = str,
    **look: Any,
) -> list[str]:
    """Several of a list, ``most`` at most, or none, which is ``@none`` in the address."""
    names, words = _words(options, shown, plain)

    def understood(given: list[str]) -> list[str] | None:
        return [NONE] if given == [NONE] else [n for n in dict.fromkeys(given) if n in names][:most] or None

    kept = state.read_param(keep, list(first) or [NONE], understood)
    chosen = [] if kept == [NONE] else list(kept)
    widget = state.bind_widget(f"{keep}_some", chosen)
    _draw(
        st.multiselect,
        label,
        names,
        key=widget,
        on_change=_some_or_none,
        args=(keep, widget),
        max_selections=most,
        format_func=words,
        **look,
    )
    return chosen


def typed(
    label: str,
    offered: Sequence[str],
    *,
    keep: Key,
    understood: Callable[[list[str]], list[str]],
    joined: Callable[[list[str]], list[str]] = list,
    **look: Any,
) -> list[str]:
    """Several of a list or typed ones, none at first; ``understood`` gives back those that can be used.

    ``joined`` makes of what the reader chose here what is kept; an address is kept as it is written.
    """
    chosen: list[str] = list(state.read_param(keep, [], understood))
    options = list(dict.fromkeys([*chosen, *offered]))
    kept = _kept(keep, chosen) | {"on_change": _joined, "args": (keep, joined)}
    _draw(st.multiselect, label, options, **kept, accept_new_options=True, format_func=plain, **look)
    return chosen


def whole(label: str, low: int, high: int, *, keep: Key, first: int, **look: Any) -> int:
    """A whole number in a range, typed."""
    value = int(state.read_param(keep, first, state.whole(low, high)))
    _draw(st.number_input, label, low, high, **_kept(keep, value), **look)
    return value


def amount(
    label: str,
    offered: Iterable[int],
    low: int,
    high: int,
    *,
    keep: Key,
    first: int,
    shown: Shown = str,
    **look: Any,
) -> int:
    """One of a few whole numbers, from a list that unfolds, or another in the range that a link asks for."""
    value = int(state.read_param(keep, first, state.whole(low, high)))
    options = sorted({*offered, value})
    _draw(st.selectbox, label, options, **_kept(keep, value), format_func=lambda n: plain(shown(n)), **look)
    return value


def steps(label: str, low: int, high: int, *, keep: Key, first: int, **look: Any) -> int:
    """A whole number in a small range, on a slider."""
    value = int(state.read_param(keep, first, state.whole(low, high)))
    _draw(st.slider, label, low, high, **_kept(keep, value), **look)
    return value


def share(label: str, *, keep: Key, first: float, step: float = 0.05, **look: Any) -> float:
    """A number from 0 to 1, on a slider."""
    value = round(float(state.read_param(keep, first, state.number(0, 1))), 4)
    _draw(st.slider, label, 0.0, 1.0, step=step, **_kept(keep, value), **look)
    return value


def number(
    label: str, low: float, high: float, *, keep: Key, first: float, step: float, **look: Any
) -> float:
    """A number in a range, typed."""
    value = float(state.read_param(keep, first, state.number(low, high)))
    _draw(st.number_input, label, low, high, step=step, **_kept(keep, value), **look)
    return value


def words(label: str, *, keep: Key, first: str = "", **look: Any) -> str:
    """A text, "" for none."""
    typed = str(state.read_param(keep, first))
    _draw(st.text_input, label, **_kept(keep, typed), **look)
    return typed


def switch(
    label: str, *, keep: Key, first: bool = False, on: str = "yes", off: str = "no", **look: Any
) -> bool:
    """Yes or no; ``on`` and ``off`` stand for it in the address."""
    chosen = state.read_param(keep, on if first else off, state.one_of(on, off)) == on
    widget = state.bind_widget(f"{keep}_on", chosen)
    _draw(st.toggle, label, key=widget, on_change=_switched, args=(keep, widget, on, off), **look)
    return bool(chosen)


def parts(
    offered: Mapping[str, Callable[..., object]],
    *given: object,
    keep: Key,
    shown: Shown = str,
    opened_by: Mapping[str, Sequence[Key]] = MappingProxyType({}),
) -> None:
    """Tabs, of which the open one alone is drawn: its function is called with what is ``given``.

    The address contains their names, so these stay as they are where the words on the tabs (``shown``)
    change. ``opened_by``: keys of widgets in a tab; a link that sets one of them opens it, and the address
    leaves them out while it is closed.
    """
    asked = [name for name in offered if any(state.asked_anew(key) for key in opened_by.get(name, ()))]
    if asked and not state.asked_anew(keep):
        state.put(keep, asked[0], default=next(iter(offered)))
    opened = _one_of(list(offered), keep, None)
    state.leave_out(key for name in offered if name != opened for key in opened_by.get(name, ()))
    labels = {name: md_escape(shown(name)) for name in offered}
    widget = state.bind_widget(f"{keep}_tab", labels[opened])
    by_label = {label: name for name, label in labels.items()}
    places = st.tabs(list(by_label), key=widget, on_change=_opened, args=(keep, widget, by_label))
    with places[list(offered).index(opened)]:
        offered[opened](*given)


def _opened(keep: Key, widget: str, by_label: Mapping[str, str]) -> None:
    state.set_value(keep, by_label[st.session_state[widget]])


def _words(options: Offered, shown: Shown, harmless: Callable[[str], str]) -> tuple[list[str], Shown]:
    """The names on offer, and what says what each is called, fit for the widget at hand."""
    called = options.__getitem__ if isinstance(options, Mapping) else shown
    return list(options), lambda name: harmless(called(name))


def _one_of(names: Sequence[str], keep: Key, first: str | None) -> str:
    return str(state.read_param(keep, names[0] if first is None else first, state.one_of(*names)))


def _kept(keep: Key, value: Any) -> dict[str, Any]:
    """What ties a widget to its key."""
    return {"key": state.bind_widget(keep, value), "on_change": state.take_widget, "args": (keep,)}


def _some_or_none(keep: Key, widget: str) -> None:
    state.set_value(keep, list(st.session_state[widget]) or [NONE])


def _joined(keep: Key, joined: Callable[[list[str]], list[str]]) -> None:
    state.set_value(keep, joined(list(st.session_state[keep])))


def _switched(keep: Key, widget: str, on: str, off: str) -> None:
    state.set_value(keep, on if st.session_state[widget] else off)
