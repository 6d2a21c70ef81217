"""Tabs of which only the open one is computed; the address names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def show(sections: Mapping[str, Callable[[], None]], *, key: str) -> None:
    """Draw the tabs by their titles and, in the open one, its section. ``key`` is that of the address."""
    tabs = st.tabs(list(sections), key=key, on_change="rerun", bind="query-params")
    for tab, section in zip(tabs, sections.values(), strict=True):
        if tab.open:
            with tab:
                section()
