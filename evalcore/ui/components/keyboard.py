"""What a reader without a mouse needs on every page: the first stop of the Tab key leads past the sidebar and
the pickers to the results, and a table that is too wide for the screen can be reached and scrolled."""

from __future__ import annotations

import streamlit as st

from evalcore.values.bundled import bundled

RESULTS = "results"
"""The key of the container that holds what a page is about; a page without one has its title there."""


def helps() -> None:
    """Put the link before everything else, and see to the tables. Streamlit's own link leads to the pickers,
    and is hidden for it."""
    component = st.components.v2.component(
        "cuiscope_keyboard", html="<span></span>", js=bundled(__package__, "keyboard.js")
    )
    places = [f".st-key-{RESULTS}", "h1"]
    with st.container(key="keyboard"):
        component(data={"label": "Skip to the results", "places": places}, key="keys", height="content")
