"""The caption of an image: shortened, and the whole of it on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from evalcore.model import Study

_WHOLE = "_whole_caption:"


def show(study: Study, image: int, *, limit: int, key: str) -> None:
    """The first ``limit`` characters; nothing where the image has no caption. ``key`` names the place."""
    text = study.caption_of(image)
    if not text:
        return
    name, kept = study.image_ids[image], f"{_WHOLE}{key}"
    long = len(plain(text)) > limit
    whole = long and state.get(kept) == name
    st.markdown(md_escape(text, limit=None if whole else limit))
    if long:
        st.button(
            "Show less" if whole else "Show the whole caption", key=f"caption-{key}", type="tertiary",
            icon=":material/unfold_less:" if whole else ":material/unfold_more:", on_click=state.set_plain,
            args=(kept, "" if whole else name),
        )  # fmt: skip
