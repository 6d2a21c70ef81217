"""Forty images on one screen: all lists as small tiles, with brightness and contrast, without a rerun.

A component of our own: pointing at a tile frames the same image in the other lists, and the two sliders act
in the browser. Data reaches the page as text and as pictures made here, never as markup.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import streamlit as st

from evalcore.ui.components import cards, tiles
from evalcore.ui.components.cards import bars_alt
from evalcore.ui.components.places import ask
from evalcore.ui.components.results import Result
from evalcore.ui.frame.context import Context
from evalcore.values.bundled import bundled
from evalcore.values.markdown import plain

TILE = 144
"""Pixels of a tile: about twice what it takes on the screen, and 40 of them stay below 300 kB."""
LINE = 260
"""Characters of the query's caption at first."""
SLOT = "dense"
"""Key of the component."""


def board(context: Context, query: int, lists: Sequence[tuple[str, str, Sequence[Result]]]) -> None:
    """Draw the query and the lists: (system, title, results). A click asks why an image counts."""
    component = st.components.v2.component(
        "cuiscope_dense",
        html=bundled(__package__, "dense.html"),
        css=bundled(__package__, "dense.css"),
        js=bundled(__package__, "dense.js"),
    )
    of_query = {"title": "Query", "query": True, "items": [_query(context, query)]}
    of_systems = [
        {
            "title": plain(title, limit=200),
            "query": False,
            "system": system,
            "items": [_of_result(context, query, one) for one in found],
        }
        for system, title, found in lists
    ]
    component(data={"lists": [of_query, *of_systems]}, key=SLOT, on_chosen_change=_asked, height="content")


def _asked() -> None:
    """Callback: open the drawer about the tile that was pressed."""
    chosen = st.session_state[SLOT].get("chosen")
    if isinstance(chosen, dict) and chosen.get("image"):
        ask(str(chosen["image"]), str(chosen.get("system", "")))


def _query(context: Context, image: int) -> dict[str, Any]:
    """The query's tile with its sentences and caption."""
    study = context.study
    names = sorted(study.name_of(cui) for cui in study.concepts.of_image(image))
    caption = study.caption_of(image)
    of_caption = [_cut(caption, LINE)] if caption else []
    lines = [*of_caption, *([{"text": " · ".join(map(plain, names)), "whole": ""}] if names else [])]
    return _item(context, image, size=tiles.CARD) | {"lines": lines}


def _cut(text: str, limit: int) -> dict[str, str]:
    """A text cut short, and all of it; "" where nothing is left out."""
    short, whole = plain(text, limit=limit), plain(text)
    return {"text": short, "whole": whole if whole != short else ""}


def _item(context: Context, image: int, *, size: int = TILE) -> dict[str, Any]:
    tile = tiles.tile(context.study, image, size=size)
    src = "" if tile is None else f"data:image/jpeg;base64,{base64.b64encode(tile).decode()}"
    return {"id": context.study.image_ids[image], "src": src, "alt": cards.describe(context.study, image)}


def _of_result(context: Context, query: int, result: Result) -> dict[str, Any]:
    """One tile: its rank, whether it counts or for how much, and all of it in words."""
    rank, moved = str(result.rank), cards.change(result)
    if result.image < 0:
        words = f"Result {rank}: an image that is not in the study"
        return {
            "id": "",
            "src": "",
            "alt": words,
            "words": words,
            "whole": "",
            "rank": rank,
            "score": "0",
            "shared": False,
        }
    rows = cards.score_rows(context, result)
    item = _item(context, result.image)
    mark = result.mark
    marked = f"{mark.words}, " if mark else ""
    warning = cards.on_card(context.study, query, result)
    text = f"Result {rank}: {marked}{bars_alt(rows)}. {f'{warning}. ' if warning else ''}"
    caption = context.study.caption_of(result.image)
    whole = plain(f"{text}{item['id']}: {caption}") if caption else ""
    return item | {
        "rank": f"{rank} {moved}".strip(),
        "score": mark.brief if mark else "",
        "shared": result.shared,
        "words": f"{text}{item['alt']}",
        "whole": "" if whole == f"{text}{item['alt']}" else whole,
    }
