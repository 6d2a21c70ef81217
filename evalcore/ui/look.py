"""The constant style sheet of the pages and the mark; no data ever passes through here."""

from __future__ import annotations

import streamlit as st

MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">'
    '<circle cx="12" cy="16" r="9" fill="#0B6E6E" fill-opacity="0.9"/>'
    '<circle cx="20" cy="16" r="9" fill="#4DB6AC" fill-opacity="0.75"/></svg>'
)
"""Two overlapping sets."""

_STYLE = """<style>
.st-key-lead p {font-size: 1.2rem; line-height: 1.5; max-width: 62rem;}
.st-key-banner p {font-size: 0.78rem; opacity: 0.85;}
.st-key-status p {font-size: 0.78rem; opacity: 0.75; text-align: right;}
[class*="st-key-tile"] img {border-radius: 6px; width: 100%;}
[class*="st-key-card-"] {gap: 0.35rem;}
[class*="st-key-card-"] p {font-size: 0.82rem; line-height: 1.35; margin-bottom: 0;}
[class*="st-key-card-"] button {min-height: 1.9rem; padding: 0 0.6rem;}
[class*="st-key-card-shared"] {box-shadow: 0 0 0 2px #56B4E9; border-color: #56B4E9;}
[class*="st-key-next-"] p {font-size: 0.9rem;}
</style>"""


def apply() -> None:
    """Add the style sheet to this page."""
    st.html(_STYLE)
