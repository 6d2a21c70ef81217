"""How good the concepts found are, held against those the study was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from evalcore.annotate.values import Annotation
    from evalcore.ui.frame.context import Context


def section(context: Context, made: Annotation) -> None:
    """Where the study has concepts of its own."""
    if not context.study.concepts.annotated.any():
        return
    del made
    st.subheader("Against the concepts of this study", anchor=False)
