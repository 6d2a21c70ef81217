"""The constant style sheet of the pages and the mark; no data ever passes through here."""

from __future__ import annotations

import streamlit as st

from evalcore.values.bundled import bundled

MARK = bundled(__package__, "mark.svg")
"""Two overlapping sets."""
LOGO = bundled(__package__, "logo.svg")
"""The mark with the name, legible on light and dark."""


def apply() -> None:
    """Add the style sheet to this page."""
    st.html(f"<style>{bundled(__package__, 'look.css')}</style>")
