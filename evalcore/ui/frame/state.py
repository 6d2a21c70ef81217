"""What the session and the address hold, and how the two stay together.

A *carried* value lives in the session, under one name with all others, and the address shows it under its
key unless it is the default. `read_param` reads it (a changed address wins, then the session), `set_param`
writes it.
The key itself is that of the widget that edits the value: `bind_widget` makes it show the value,
`store_widget` reports what it says; `components.select` does all of that in one call. Each page declares its
own keys.

Streamlit can bind widgets to the address by itself (``bind="query-params"``): on the way from the main page
to another one it lost the values of a link (1.67), and it shows labels, not names, in links.

The session holds names and small choices only, never figures or results. It has few names: selectboxes and
sliders copy all of it each time they are drawn (1.67).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, Self

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from evalcore.values.writing import md_escape

Values = Mapping["Key", Any] | Mapping[str, str]
"""What a link sets, by key."""

P = ParamSpec("P")


class Key(str):
    """The name of a carried value in the address, and how far the value is carried.

    ``of_study``: it means nothing in another study and is forgotten there. ``in_links``: links to other
    pages take it along.
    """

    of_study: bool
    in_links: bool

    def __new__(cls, name: str, *, of_study: bool = False, in_links: bool = False) -> Self:
        key = super().__new__(cls, name)
        key.of_study, key.in_links = of_study, in_links
        return key


STUDY = Key("study", in_links=True)
MEASURE = Key("measure", of_study=True, in_links=True)
METRIC = Key("metric", of_study=True, in_links=True)
"""A measure typed by its label, which counts instead of that of the list."""
READING = Key("reading", in_links=True)
TAB = Key("part")
"""The open tab of a page that has some."""

_PAGE, _MOVED, _ACTED, _ACTING = "_page", "_moved", "_acted", "_acting"
_NOTES, _SHOW_NOTES, _REDRAW, _STILL_MAY = "_notes", "_show_notes", "_redraw", "_still_may"
_CARRIED, _EMPTIED = "_carried", "_emptied:"


@dataclass(slots=True)
class _Carried:
    """The carried keys this session has met, and by key their values, defaults, texts of the address, and
    what was around the widget when it was drawn."""

    keys: dict[str, Key] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, list[str]] = field(default_factory=dict)
    drawn_on: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def _carried() -> _Carried:
    carried: _Carried = st.session_state.setdefault(_CARRIED, _Carried())
    return carried


def get(key: str, default: Any = None) -> Any:
    """The value of a carried key, or what a plain widget of that key says."""
    values = _carried().values
    return values[key] if key in values else st.session_state.get(key, default)


def set_plain(key: str, value: Any) -> None:
    """Callback: set a key that is not carried."""
    st.session_state[key] = value
    st.session_state[_ACTED] = True


def set_value(key: Key, value: Any) -> None:
    """Callback: set a carried key; the page shows it in the address when it reads it."""
    carried = _carried()
    carried.keys[key], carried.values[key] = key, value
    st.session_state[_ACTED] = True


def begin(page: str) -> None:
    """Call first on every page: notes whether the reader came from another one, or pressed something."""
    moved = st.session_state.get(_PAGE) != page
    st.session_state[_ACTING] = st.session_state.pop(_ACTED, False)
    st.session_state[_MOVED], st.session_state[_PAGE] = moved, page
    for key in (_SHOW_NOTES, _REDRAW, _STILL_MAY):
        drop(key)
    if moved or in_callback():  # not when a page redraws itself
        drop(_NOTES)
    if moved:
        # Forget what this page's address said before: otherwise a part that is drawn after the first run
        # would lose its choice, as if it had vanished from the address.
        carried = _carried()
        for key in carried.keys:
            if not st.query_params.get_all(key):
                carried.seen.pop(key, None)


def keep_acting() -> None:
    """The page that comes next is drawn because something was pressed here, not by a link."""
    st.session_state[_ACTED] = True


def fragment(key: str | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A part of a page that is drawn again by itself when something in it is pressed: ``@state.fragment()``.

    ``key``: the name by which ``st.rerun`` draws it again.
    """

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @st.fragment(key=key)
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            go_on()
            still_may = st.session_state.get(_STILL_MAY)
            if st.session_state.pop(_REDRAW, False) or (still_may is not None and not still_may()):
                show_again()
                keep_acting()
                st.rerun("app")
            draw(*args, **kwargs)

        return drawn

    return decorate


def while_allowed(still_may: Callable[[], bool]) -> None:
    """What is asked before a part of the page is drawn again by itself: where not, the whole page is."""
    st.session_state[_STILL_MAY] = still_may


def redraw_page() -> None:
    """Callback: what was changed is shown on the whole page, also where a fragment alone would be drawn."""
    st.session_state[_REDRAW] = True


def go_on() -> None:
    """Call first in what may be drawn again by itself, because something in it was pressed (a drawer)."""
    if st.session_state.pop(_ACTED, False):
        st.session_state[_MOVED], st.session_state[_ACTING] = False, True


def navigated() -> bool:
    """Whether the reader has just come from another page, by a link and not by pressing something here."""
    return bool(st.session_state.get(_MOVED, True)) and not in_callback()


def in_callback() -> bool:
    """Whether something was pressed here: the address may then be older than what was chosen."""
    return bool(st.session_state.get(_ACTING, False))


def uploader_key(key: str) -> str:
    """The key of a widget that cannot be set (a file's): another one each time ``empty`` was called."""
    times = st.session_state.get(_EMPTIED + key, 0)
    return f"{key}-{times}" if times else key


def empty(key: str) -> None:
    """Callback: forget the file of an upload widget, which is drawn again, and free its memory, which
    Streamlit holds until the session ends."""
    held, context = st.session_state.get(uploader_key(key)), get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in held if isinstance(held, list) else [held] if held else []:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    drop(uploader_key(key))
    st.session_state[_EMPTIED + key] = st.session_state.get(_EMPTIED + key, 0) + 1


def uploaded_file(key: str) -> UploadedFile | None:
    """The file that an upload widget of ``emptied(key)`` holds; None also for one that a browser still lists
    and that went when the program was started again."""
    held = st.session_state.get(uploader_key(key))
    return held if isinstance(held, UploadedFile) else None


def drop(key: str) -> None:
    """Forget a key that is not carried."""
    st.session_state.pop(key, None)


def read_param(
    key: Key,
    default: Any,
    parse: Callable[[list[str]], Any] = lambda values: values[-1],
    *,
    notes_itself: bool = False,
) -> Any:
    """The value of a carried key, which the address shows from now on.

    What the address says wins when it has changed (a link, a step back); a value that vanished from the
    address of the same page is the default again; otherwise the session's value is used. Right after a
    callback the address is not read: the browser may have sent it before it received the last change (keys
    pressed quickly). ``parse`` makes a value of the address's texts, None when it cannot be: the default is
    used.
    The page says which texts were not used, unless ``parse`` ``notes_itself``.
    """
    texts, is_new = _requested(key)
    value = parse(texts) if texts else None
    if is_new and not notes_itself:
        unused = [text for text in texts if text not in value] if isinstance(value, list) else texts
        if value is None or (isinstance(value, list) and unused):
            refuse(key, ", ".join(unused))
    set_param(key, default if value is None else value, default=default)
    return _carried().values[key]


def requested(key: Key) -> list[str]:
    """What ``read_param`` will make a value of, before it is called; [] where it will be the default."""
    return _requested(key)[0]


def _requested(key: Key) -> tuple[list[str], bool]:
    """What a carried key says, by the rules of ``read_param``, and whether the address has changed."""
    carried, values = _carried(), st.query_params.get_all(key)
    seen = carried.seen.get(key, [])
    if in_callback():
        values = seen
    if values and values != seen:
        return values, True
    if seen and not values and not st.session_state.get(_MOVED, True):
        return [], False
    kept = carried.values.get(key)
    return ([] if kept is None else _texts(kept)), False


def set_param(key: Key, value: Any, *, default: Any = "") -> None:
    """Set a carried value in the session and in the address, which leaves the default out."""
    carried, texts = _carried(), [] if value == default else _texts(value)
    carried.keys[key], carried.seen[key] = key, texts
    carried.values[key], carried.defaults[key] = value, default
    if texts != st.query_params.get_all(key):
        if texts:
            st.query_params[key] = texts
        else:
            del st.query_params[key]


def restrict_url(keys: Iterable[str]) -> None:
    """The address says nothing but these keys; the session keeps what it holds of others."""
    for key in set(st.query_params) - set(keys):
        del st.query_params[key]


def follow_default(key: Key) -> None:
    """Call before `read_param` where a default depends on other choices: an unchosen value follows it."""
    carried = _carried()
    kept = carried.values.get(key)
    if kept is not None and kept == carried.defaults.get(key):
        del carried.values[key]


def changed(keys: Iterable[Key]) -> int:
    """How many of these hold something else than their default."""
    carried = _carried()
    return sum(carried.values.get(key) != carried.defaults.get(key) for key in keys)


def _texts(value: Any) -> list[str]:
    return [str(v) for v in value] if isinstance(value, (list, tuple)) else [str(value)]


def bind_widget(key: str, value: Any) -> str:
    """Make the widget of a carried value show it; returns the widget's key.

    On another page, and where the study, a measure or the reading changed, the value is set again: such a
    change can alter a widget's options or whether it is disabled, and Streamlit then forgets its value.
    """
    carried = _carried()
    around = (st.session_state.get(_PAGE), *map(carried.values.get, (STUDY, MEASURE, METRIC, READING)))
    if carried.drawn_on.get(key) != around or st.session_state.get(key) != value:
        st.session_state[key] = value
        carried.drawn_on[key] = around
    return key


def show_again() -> None:
    """Call before a fragment redraws the whole page by itself: every widget gets its value again.

    The browser otherwise showed the smallest value on number inputs and sliders (1.67) when that happened
    soon after the first drawing.
    """
    _carried().drawn_on.clear()


def store_widget(key: Key) -> None:
    """Callback: what the widget of a carried key now says becomes the value."""
    set_value(key, st.session_state[key])


def change_study(slug: str) -> None:
    """Callback: put another study on view; choices that mean nothing there start afresh."""
    set_value(STUDY, slug)
    carried = _carried()
    for key in carried.keys.values():
        if key.of_study:
            carried.values.pop(key, None)


def link_params(also: Values = MappingProxyType({})) -> dict[str, list[str]]:
    """Query parameters for a link to another page: what it takes along, defaults left out, and ``also``."""
    params: dict[str, list[str]] = {}
    carried = _carried()
    for key in dict.fromkeys([*(key for key in carried.keys.values() if key.in_links), *also]):
        value = also.get(key, carried.values.get(key))
        if value is not None and value != carried.defaults.get(key):
            params[key] = _texts(value)
    return params


def show_notes(show: Callable[[list[str]], None]) -> None:
    """Show what cannot be used of the address and of conditions: now, and again when more is known.

    Widgets of the page are read after its head is drawn, so ``show`` fills a place that was kept free there.
    It stays there until the reader selects something or goes to another page.
    """
    st.session_state[_SHOW_NOTES] = show
    show(list(st.session_state.get(_NOTES, {}).values()))


def note(text: str, about: str = "") -> None:
    """Say something below the title of the page, in Markdown; once, and once ``about`` a key."""
    notes: dict[str, str] = st.session_state.setdefault(_NOTES, {})
    notes[about or text] = text
    show = st.session_state.get(_SHOW_NOTES)
    if show is not None:
        show(list(notes.values()))


def refuse(key: Key, text: str) -> None:
    """Say that a value of the address cannot be used."""
    value = md_escape(text, limit=60)
    note(f"The link asks for {key} = {value}, which is not possible here. The usual value is used.", key)


# --------------------------------------------------------------------------- parsers

MOST_DIGITS = 20


def one_of(*allowed: str) -> Callable[[list[str]], str | None]:
    """A parser of one of these names."""
    return lambda values: values[-1] if values[-1] in allowed else None


def some_of(*allowed: str) -> Callable[[list[str]], list[str] | None]:
    """A parser of several of these names, each once; None when there is none among them."""
    return lambda values: [name for name in dict.fromkeys(values) if name in allowed] or None


def number(low: float, high: float) -> Callable[[list[str]], float | None]:
    """A parser of a number in a range."""

    def parse(values: list[str]) -> float | None:
        try:
            value = float(values[-1])
        except ValueError:
            return None
        return value if low <= value <= high else None

    return parse


def whole(low: int, high: int) -> Callable[[list[str]], int | None]:
    """A parser of a whole number in a range; Python makes no number of more than some thousand digits."""

    def parse(values: list[str]) -> int | None:
        value = int(values[-1]) if values[-1].isdecimal() and len(values[-1]) <= MOST_DIGITS else None
        return value if value is not None and low <= value <= high else None

    return parse


def short_text(most: int) -> Callable[[list[str]], str | None]:
    """A parser of a text of so many characters at most."""
    return lambda values: values[-1] if len(values[-1]) <= most else None
