"""Widgets whose choice stays: in the session, in the address, on the way to other pages. One call each.

Every function draws one widget for a `state.Key` and returns what is chosen: what the address says, else
what was chosen before, else ``first``. A value the address names and the widget does not offer is refused
in words. Texts that came from a file are made harmless here, as the widget at hand needs it.

Of several names, ``options`` are the names, or a mapping of each to what it is called on screen (``shown``
says so where it follows from the name). Without ``first`` it is the first of them. Streamlit gets ``look``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
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
def hidden(hide: bool = True) -> Iterator[None]:
    """Inside, widgets are not drawn where ``hide``: their functions return what they would show."""
    before = _drawn.set(_drawn.get() and not hide)
    try:
        yield
    finally:
        _drawn.reset(before)


def row() -> AbstractContextManager[object]:
    """A line of widgets."""
    return st.container(horizontal=True, vertical_alignment="bottom") if _drawn.get() else nullcontext()


def _draw(widget: Callable[..., object], param: Key, value: Any, *options: object, **look: Any) -> None:
    """A widget that shows the value of its key, and changes it."""
    if _drawn.get():
        if "on_change" not in look:
            look |= {
                "key": state.bind_widget(param, value),
                "on_change": state.store_widget,
                "args": (param,),
            }
        widget(*options, **look)


def selectbox(
    label: str, options: Offered, *, param: Key, first: str | None = None, shown: Shown = str, **look: Any
) -> str:
    """One of several, from a list that unfolds."""
    names, words = _words(options, shown, plain)
    chosen = _one_of(names, param, first)
    _draw(st.selectbox, param, chosen, label, names, format_func=words, **look)
    return chosen


def segments(
    label: str, options: Offered, *, param: Key, first: str | None = None, shown: Shown = str, **look: Any
) -> str:
    """One of a few, all in sight."""
    names, words = _words(options, shown, md_escape)
    chosen = _one_of(names, param, first)
    _draw(st.segmented_control, param, chosen, label, names, required=True, format_func=words, **look)
    return chosen


def multiselect(label: str, options: Offered, *, param: Key, first: Sequence[str], **look: Any) -> list[str]:
    """Several of a list; ``first`` where none is chosen."""
    names, words = _words(options, str, plain)
    chosen: list[str] = list(state.read_param(param, list(first), state.some_of(*names)))
    _draw(st.multiselect, param, chosen, label, names, format_func=words, **look)
    return chosen


def several(
    label: str,
    options: Offered,
    *,
    param: Key,
    first: Sequence[str],
    most: int,
    shown: Shown = str,
    **look: Any,
) -> list[str]:
    """Several of a list, ``most`` at most, or none, which is ``@none`` in the address."""
    names, words = _words(options, shown, plain)

    def understood(values: list[str]) -> list[str] | None:
        return [NONE] if values == [NONE] else [n for n in dict.fromkeys(values) if n in names][:most] or None

    kept = state.read_param(param, list(first) or [NONE], understood)
    chosen = [] if kept == [NONE] else list(kept)
    look |= _through(param, f"{param}_some", chosen, lambda value: list(value) or [NONE])
    _draw(st.multiselect, param, chosen, label, names, max_selections=most, format_func=words, **look)
    return chosen


def typed(
    label: str,
    offered: Sequence[str],
    *,
    param: Key,
    understood: Callable[[list[str]], list[str]],
    joined: Callable[[list[str]], list[str]],
    **look: Any,
) -> list[str]:
    """Several of a list or typed ones, none at first; ``understood`` gives back those that can be used.

    ``joined`` makes of what the reader chose here what is kept; an address is kept as it is written.
    """
    chosen: list[str] = list(state.read_param(param, [], understood, notes_itself=True))
    options = list(dict.fromkeys([*chosen, *offered]))
    look |= _through(param, param, chosen, lambda value: joined(list(value)))
    _draw(st.multiselect, param, chosen, label, options, accept_new_options=True, format_func=plain, **look)
    return chosen


def integer(label: str, low: int, high: int, *, param: Key, first: int, **look: Any) -> int:
    """A whole number in a range, typed."""
    value = int(state.read_param(param, first, state.whole(low, high)))
    _draw(st.number_input, param, value, label, low, high, **look)
    return value


def amount(
    label: str,
    offered: Iterable[int],
    low: int,
    high: int,
    *,
    param: Key,
    first: int,
    shown: Shown = str,
    **look: Any,
) -> int:
    """One of a few whole numbers, from a list that unfolds, or another in the range that a link asks for."""
    value = int(state.read_param(param, first, state.whole(low, high)))
    options = sorted({*offered, value})
    _draw(st.selectbox, param, value, label, options, format_func=lambda n: plain(shown(n)), **look)
    return value


def steps(label: str, low: int, high: int, *, param: Key, first: int, **look: Any) -> int:
    """A whole number in a small range, on a slider."""
    value = int(state.read_param(param, first, state.whole(low, high)))
    _draw(st.slider, param, value, label, low, high, **look)
    return value


def fraction(label: str, *, param: Key, first: float, step: float = 0.05, **look: Any) -> float:
    """A number from 0 to 1, on a slider."""
    value = round(float(state.read_param(param, first, state.number(0, 1))), 4)
    _draw(st.slider, param, value, label, 0.0, 1.0, step=step, **look)
    return value


def number(
    label: str, low: float, high: float, *, param: Key, first: float, step: float, **look: Any
) -> float:
    """A number in a range, typed."""
    value = float(state.read_param(param, first, state.number(low, high)))
    _draw(st.number_input, param, value, label, low, high, step=step, **look)
    return value


def text(label: str, *, param: Key, **look: Any) -> str:
    """A text, "" for none."""
    value = str(state.read_param(param, ""))
    _draw(st.text_input, param, value, label, **look)
    return value


def switch(label: str, *, param: Key, first: bool = False, **look: Any) -> bool:
    """Yes or no, by these words in the address."""
    chosen = bool(state.read_param(param, "yes" if first else "no", state.one_of("yes", "no")) == "yes")
    look |= _through(param, f"{param}_on", chosen, lambda value: "yes" if value else "no")
    _draw(st.toggle, param, chosen, label, **look)
    return chosen


def parts(offered: Mapping[str, Callable[..., object]], *args: object, shown: Shown = str) -> None:
    """The tabs of a page, of which the open one alone is drawn: its function is called with ``args``.

    The address contains their names, so these stay the same when the words on the tabs (``shown``)
    change.
    """
    opened = _one_of(list(offered), state.TAB, None)
    labels = {name: md_escape(shown(name)) for name in offered}
    by_label = {label: name for name, label in labels.items()}
    bound = _through(state.TAB, f"{state.TAB}_tab", labels[opened], by_label.__getitem__)
    places = st.tabs(list(by_label), **bound)
    with places[list(offered).index(opened)]:
        offered[opened](*args)


def _words(options: Offered, shown: Shown, harmless: Callable[[str], str]) -> tuple[list[str], Shown]:
    """The names on offer, and what says what each is called, fit for the widget at hand."""
    called = options.__getitem__ if isinstance(options, Mapping) else shown
    return list(options), lambda name: harmless(called(name))


def _one_of(names: Sequence[str], param: Key, first: str | None) -> str:
    return str(state.read_param(param, names[0] if first is None else first, state.one_of(*names)))


def _through(param: Key, widget: str, shown: Any, value_of: Callable[[Any], Any]) -> dict[str, Any]:
    """What ties a widget to a key whose value is not what the widget shows."""
    bound = {"key": state.bind_widget(widget, shown)} if _drawn.get() else {}
    return {**bound, "on_change": _changed, "args": (param, widget, value_of)}


def _changed(param: Key, widget: str, value_of: Callable[[Any], Any]) -> None:
    """Callback."""
    state.set_value(param, value_of(st.session_state[widget]))
