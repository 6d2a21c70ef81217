"""After the drawer: the focus goes back to the button of the result that was looked at last.

Streamlit gives it back by itself while the drawer stays one and the same; a drawer whose title changes, as
on the way to the next result, is another one to it, and the focus would be nowhere.
"""

from __future__ import annotations

import streamlit as st

from evalcore.ui.frame import state
from evalcore.ui.query.places import ask

_BACK = "_focus_back"
_JS = """
export default function ({ data }) {
  const held = document.activeElement;
  if (held && held !== document.body) return;
  document.querySelector(`.st-key-${CSS.escape(data.to)} button`)?.focus();
}
"""


def dismissed(place: str) -> None:
    """Callback: the drawer about the result at this place (A3) was closed."""
    ask("", "")
    state.set_plain(_BACK, f"why-{place[:1]}-{place[1:]}" if place else "")


def back() -> None:
    """Give the focus back, once; where the button is on no card, as in the dense view, it stays as it is."""
    to = state.get(_BACK)
    state.drop(_BACK)
    if to:
        component = st.components.v2.component("cuiscope_focus", html="<span></span>", js=_JS)
        component(data={"to": to}, key="focus-back", height="content")
