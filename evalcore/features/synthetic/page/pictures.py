"""Tiles of pictures that belong to no study: uploaded ones and altered copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.study.pictures.thumbnails import shrunk
from evalcore.ui.components import tiles
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.features.synthetic.read.listed import Pictures

SIZE = 192


def show(pictures: Pictures, place: int, *, framed: bool = False) -> None:
    """A picture on its tile, or a word where it cannot be read."""
    tile = _tile(pictures.digest, place, framed, pictures)
    if tile is None:
        st.caption("No picture")
    else:
        st.image(tile, width="stretch", alt=plain(pictures.ids[place], limit=200))


@st.cache_data(max_size="60MB", show_spinner=False)
def _tile(digest: str, place: int, framed: bool, _pictures: Pictures) -> bytes | None:  # noqa: ARG001
    try:
        return tiles.mounted(
            shrunk(_pictures.shown(place), file=_pictures.ids[place], size=SIZE), size=SIZE, framed=framed
        )
    except CuiscopeError:
        return None
