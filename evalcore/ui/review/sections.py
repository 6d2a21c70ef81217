"""The page Review: sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context


def show(context: Context) -> None:
    """Draw it."""
    st.caption(context.study.name)
