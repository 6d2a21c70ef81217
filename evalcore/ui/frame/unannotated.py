"""A study nobody annotated yet: what to do next, in place of figures without a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import things
from evalcore.ui.components import messages
from evalcore.ui.data import keys
from evalcore.ui.frame import state
from evalcore.ui.frame.pages import page_info

if TYPE_CHECKING:
    from evalcore.values.model import Study


def say(study: Study, page: str) -> None:
    """On the pages about concepts: that there are none yet, and the way to them.

    Stops the page where nothing on it has a value without them.
    """
    if page_info(page).about_files or study.concepts.annotated.any():
        return
    texts = study.captions.count if study.captions else 0
    with st.container(border=True, key="no-concepts-yet"):
        messages.lead("**No image has concepts yet.** " + _why(study, texts), key="lead-first")
        _steps(study, texts)
    if not _goes_on(study, page):
        st.stop()


def _why(study: Study, texts: int) -> str:
    if texts:
        return f"Find them in the {things(texts, 'caption')} on the Data page; then systems can be compared."
    return (
        f"{things(len(study.image_ids), 'image is', 'images are')} there, but no captions to find them in. "
        "Add captions or a table of concepts on the Data page."
    )


def _steps(study: Study, texts: int) -> None:
    label = "Find concepts in the captions" if texts else "Add captions or concepts"
    with st.container(horizontal=True, vertical_alignment="center"):
        messages.go_to("data", label=label, params={state.TAB: keys.FIND if texts else keys.BRING})
        if not study.systems:
            messages.go_to("data", label="Make first systems", params={state.TAB: keys.SYSTEMS})


def _goes_on(study: Study, page: str) -> bool:
    """Whether the page has something to show without concepts."""
    if page == "concepts":
        return study.knows_neighbours
    if page == "query":
        return bool(study.systems)
    return bool(study.systems) and (bool(study.label_columns) or study.judged is not None)
