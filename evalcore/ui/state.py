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

# carried
STUDY, MEASURE, QUERY, WHY = "study", "measure", "q", "why"
# bound, in the sidebar
BASELINE, SYSTEMS, K, ALPHA, THRESHOLD = "baseline", "systems", "k", "alpha", "threshold"
POOL, READING = "queries", "reading"
# bound, on a page
SYSTEM_A, SYSTEM_B, FIND, SHOW, ORDER, DEPTH, TAB = "a", "b", "find", "show", "order", "n", "part"
# in a link only
DIGEST = "digest"
# never in the address
WHAT_IF, OUTCOME, FOLDER, ZIP, TARGET = "what_if", "outcome", "folder_path", "zip_file", "target"
NEW_NAME, KIND, SYSTEM_NAME, PART = "new_name", "kind", "system_name", "part_file"

GLOBAL = (STUDY, BASELINE, SYSTEMS, MEASURE, K, ALPHA, THRESHOLD, POOL, READING)
"""What every page link carries."""
OF_A_PAIR = (SYSTEM_A, SYSTEM_B)
"""What links besides carry between Compare and Query."""
BOUND = (
    BASELINE, SYSTEMS, K, ALPHA, THRESHOLD, POOL, READING, SYSTEM_A, SYSTEM_B, FIND, SHOW, ORDER, DEPTH,
)  # fmt: skip
_CARRIED_OF_A_STUDY = (MEASURE, QUERY, WHY)
_BOUND_OF_A_STUDY = (BASELINE, SYSTEMS, POOL, SYSTEM_A, SYSTEM_B, FIND, SHOW, ORDER)

_PAGE, _RESET, _TOLD = "_page", "_reset", "_told"
_SEEN, _WIDGET, _DEFAULT = "_seen:", "_w:", "_default:"


def widget_key(key: str) -> str:
    """Streamlit's key of the widget that edits a carried value."""
    return _WIDGET + key


def get(key: str, default: Any = None) -> Any:
    """What the session holds under a key."""
    return st.session_state.get(key, default)


def set_value(key: str, value: Any) -> None:
    """Callback: set a key (of a widget not yet drawn, or of a carried value)."""
    st.session_state[key] = value


# --------------------------------------------------------------------------- carried values


def carry(key: str, default: str, *, allowed: Collection[str] | None = None) -> str:
    """The value of a carried key: a changed address wins, then the session, then the default.

    A value outside ``allowed`` is replaced by the default.
    """
    told = st.query_params.get(key)
    if told is not None and told != st.session_state.get(_SEEN + key):
        st.session_state[key] = told
    value = str(st.session_state.get(key, default))
    if allowed is not None and value not in allowed:
        value = default
    put(key, value, default=default)
    return value


def put(key: str, value: str, *, default: str = "") -> None:
    """Set a carried value here and in the address (where the default is left out)."""
    st.session_state[key] = value
    st.session_state[_DEFAULT + key] = default
    if value == default:
        st.session_state.pop(_SEEN + key, None)
        if key in st.query_params:
            del st.query_params[key]
        return
    st.session_state[_SEEN + key] = value
    if st.query_params.get(key) != value:
        st.query_params[key] = value


def take_widget(key: str) -> None:
    """Callback: what the widget of a carried key now says becomes the value."""
    st.session_state[key] = st.session_state[_WIDGET + key]
    st.session_state[_SEEN + key] = st.query_params.get(key)


# --------------------------------------------------------------------------- bound values


def arrive(page: str) -> None:
    """On the first run of a page, hand the session's values to its widgets again.

    Streamlit takes bound values of another page out of the address when the page changes. The server
    still has them, but the browser would draw the defaults unless they are set anew.
    """
    if _TOLD not in st.session_state:
        st.session_state[_TOLD] = {key: st.query_params.get_all(key) for key in st.query_params}
    if st.session_state.get(_PAGE) == page:
        return
    st.session_state[_PAGE] = page
    for key in BOUND:
        if key in st.session_state and key not in st.query_params:
            st.session_state[key] = st.session_state[key]


def ready(key: str, default: Any, *, offered: Collection[Any] | None = None) -> None:
    """Call before drawing a bound widget: resets it after a change of study, drops what is not on offer.

    The default is remembered, so that links leave it out as Streamlit does.
    """
    st.session_state[_DEFAULT + key] = default
    reset = st.session_state.get(_RESET, set())
    if key in reset:
        reset.discard(key)
        st.session_state[key] = default
        return
    value = st.session_state.get(key)
    if value is None or offered is None:
        return
    if isinstance(value, list):
        kept = [v for v in value if v in offered]
        if kept != value:
            st.session_state[key] = kept or default
    elif value not in offered:
        st.session_state[key] = default


def change_study(slug: str) -> None:
    """Callback: put another study on view; choices that mean nothing there start afresh."""
    st.session_state[STUDY] = slug
    for key in _CARRIED_OF_A_STUDY:
        for name in (key, _WIDGET + key, _SEEN + key):
            st.session_state.pop(name, None)
        if key in st.query_params:
            del st.query_params[key]
    st.session_state[_RESET] = set(_BOUND_OF_A_STUDY)


# --------------------------------------------------------------------------- links


def link_params(*keys: str) -> dict[str, str | list[str]]:
    """The current values of the global and the named keys as query parameters; defaults left out."""
    params: dict[str, str | list[str]] = {}
    for key in (*GLOBAL, *keys):
        value = st.session_state.get(key)
        if value is None or value in ("", [], st.session_state.get(_DEFAULT + key)):
            continue
        params[key] = [str(v) for v in value] if isinstance(value, (list, tuple)) else str(value)
    return params


def misfits() -> dict[str, str]:
    """{key: value} of the link the session began with that could not be used here; told once."""
    told: dict[str, list[str]] = st.session_state.get(_TOLD, {})
    wrong = {key: ", ".join(told[key]) for key in told if not _fits(told[key], st.session_state.get(key))}
    st.session_state[_TOLD] = {}
    return {key: value for key, value in wrong.items() if key in (*GLOBAL, *BOUND)}


def _fits(told: list[str], value: Any) -> bool:
    """Whether a widget now says what the link said; a widget not drawn here has no say."""
    if value is None:
        return True
    if isinstance(value, list):
        return set(told) <= {str(v) for v in value}
    if isinstance(value, (int, float)):
        try:
            return float(told[-1]) == value
        except ValueError:
            return False
    return told[-1] == str(value)
