"""Every key of the session and of the address, and how the two stay together.

Three kinds of keys:

* *bound* keys belong to widgets that Streamlit binds to the address itself (``bind="query-params"``);
* *carried* keys are ours: the value lives in the session under the key, the address shows it under the
  same name (``carry`` reads, ``put`` writes). They serve values whose name on screen is not their name in
  a link (the measure), or that no widget holds (the query on view);
* ``_w:`` keys are Streamlit's own copies for widgets of carried keys.

The session holds names and small choices only, never figures or results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Collection

STUDY = "study"
MEASURE = "measure"
QUERY = "q"
WHY = "why"
DIGEST = "digest"
BASELINE = "baseline"
SYSTEMS = "systems"
K = "k"
ALPHA = "alpha"
THRESHOLD = "threshold"
POOL = "queries"
READING = "reading"
SYSTEM_A = "a"
SYSTEM_B = "b"
FIND = "find"
SHOW = "show"
ORDER = "order"
DEPTH = "n"
WHAT_IF = "what_if"
TAB = "part"
OUTCOME = "outcome"
FOLDER = "folder_path"
ZIP = "zip_file"
TARGET = "target"
NEW_NAME = "new_name"
KIND = "kind"
SYSTEM_NAME = "system_name"
PART = "part_file"

GLOBAL = (STUDY, BASELINE, SYSTEMS, MEASURE, K, ALPHA, THRESHOLD, POOL, READING)
"""What every page link carries."""
OF_A_PAIR = (SYSTEM_A, SYSTEM_B)
"""What the links between Compare and Query carry besides."""
OF_A_STUDY = (BASELINE, SYSTEMS, MEASURE, POOL, SYSTEM_A, SYSTEM_B, QUERY, WHY, FIND, SHOW, ORDER)
"""Choices that mean nothing in another study."""

_SEEN = "_seen:"
_JUST_SET = "_just_set:"
_WIDGET = "_w:"
_DEFAULT = "_default:"


def widget_key(key: str) -> str:
    """Streamlit's key of the widget that edits a carried value."""
    return _WIDGET + key


def carry(key: str, default: str, *, allowed: Collection[str] | None = None) -> str:
    """The value of a carried key: a changed address wins, then the session, then the default.

    Right after a callback has set the value the address is not asked: the browser may have sent it
    before it heard of the last change (keys pressed quickly).

    A value outside ``allowed`` is replaced by the default; ``refused`` then names it once.
    """
    told = st.query_params.get(key)
    just_set = st.session_state.pop(_JUST_SET + key, False)
    if told is not None and told != st.session_state.get(_SEEN + key) and not just_set:
        st.session_state[key] = told
    value = str(st.session_state.get(key, default))
    if allowed is not None and value not in allowed:
        st.session_state[_refused(key)] = value
        value = default
    put(key, value, default=default)
    return value


def put(key: str, value: str, *, default: str = "") -> None:
    """Set a carried value here and in the address (where the default is left out)."""
    st.session_state[key] = value
    if value != default:
        st.query_params[key] = value
        st.session_state[_SEEN + key] = value
    else:
        st.query_params.pop(key, None)
        st.session_state.pop(_SEEN + key, None)


def take_widget(key: str) -> None:
    """Callback: what the widget of a carried key now says becomes the value."""
    set_value(key, st.session_state[_WIDGET + key])


def refused(key: str) -> str | None:
    """A value from the address that could not be used, told once."""
    value = st.session_state.pop(_refused(key), None)
    return None if value is None else str(value)


def _refused(key: str) -> str:
    return f"_refused:{key}"


def get(key: str, default: Any = None) -> Any:
    """What the session holds under a key."""
    return st.session_state.get(key, default)


def set_value(key: str, value: Any) -> None:
    """Callback: set a key (of a widget not yet drawn, or of a carried value)."""
    st.session_state[key] = value
    st.session_state[_JUST_SET + key] = True


def forget(*keys: str) -> None:
    """Drop keys, so that their widgets start from their defaults."""
    for key in keys:
        st.session_state.pop(key, None)
        st.session_state.pop(_WIDGET + key, None)
        st.session_state.pop(_SEEN + key, None)


def note_default(key: str, default: Any) -> None:
    """What a bound widget starts from: links leave such values out, as Streamlit does."""
    st.session_state[_DEFAULT + key] = default


def keep_known(key: str, offered: Collection[str]) -> None:
    """Before a bound widget is drawn: drop a remembered choice that is not on offer any more."""
    value = st.session_state.get(key)
    if value is None:
        return
    kept = [v for v in value if v in offered] if isinstance(value, (list, tuple)) else value
    if kept == value and (isinstance(value, (list, tuple)) or value in offered):
        return
    if isinstance(kept, list) and kept:
        st.session_state[key] = kept
    else:
        st.session_state.pop(key)


def link_params(*keys: str) -> dict[str, str | list[str]]:
    """The current values of the global and the named keys as query parameters; defaults left out."""
    params: dict[str, str | list[str]] = {}
    for key in (*GLOBAL, *keys):
        value = st.session_state.get(key)
        if value is None or value in ("", [], st.session_state.get(_DEFAULT + key)):
            continue
        params[key] = [str(v) for v in value] if isinstance(value, (list, tuple)) else str(value)
    return params
