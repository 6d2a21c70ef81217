"""Whole pictures for the viewer: each is served only when it is about to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

import streamlit as st
from streamlit import runtime

from evalcore.study.parts.images import picture_of
from evalcore.ui.components import tiles
from evalcore.values.bundled import bundled
from evalcore.values.model import ImageFiles, Study
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.writing import plain

NO_PICTURE = "This study has no picture of this image."
UNREADABLE = "The picture of this image cannot be read."
NOT_KNOWN = "This image is not in the study."


class Picture(TypedDict):
    """One side of the viewer: where its picture is, its title, and what is shown if there is none."""

    title: str
    src: str
    alt: str
    words: str
    none: str


def picture(
    study: Study,
    image: int,
    *,
    title: str,
    slot: str,
    words: str = "",
    named: bool = True,
    size: int | None = None,
) -> Picture:
    """What the viewer shows of an image; a word where there is no picture.

    ``slot`` names a place in the viewer: a new picture there releases the one before. ``words`` are
    beside the title. ``named``: whether the alternative text may say the id of the image. ``size``: longer
    side of a smaller version, for many at a time.
    """
    src, none = "", NOT_KNOWN
    if image >= 0:
        src, none = address(study, image, slot, size)
    texts = (study.image_ids[image] if named and image >= 0 else "", study.caption_of(image))
    alt = plain(f"{title}. {': '.join(filter(None, texts))}", limit=240)
    return {"title": title, "src": src, "alt": alt, "words": plain(words, limit=240), "none": none}


IN_PLACE = 400
"""Characters of a text that is shown where a picture would be."""


def address(study: Study, image: int, slot: str, size: int | None) -> tuple[str, str]:
    """(address of a picture below the program's own, what to say where there is none).

    Of a query without a picture that is its text. ``slot`` and ``size``: as of `picture`.
    """
    own = study.own_queries
    if own is not None and own.kind_of(image) in OF_TEXT and (text := own.text_of(image)):
        return "", plain(text, limit=IN_PLACE)
    return ("", NO_PICTURE) if study.images is None else served(study.images, image, slot, size)


def served(images: ImageFiles, image: int, slot: str, size: int | None) -> tuple[str, str]:
    """The same of any pictures, such as those of a review."""
    if images.entries[image] is None or not runtime.exists():
        return "", NO_PICTURE
    # The digest is of names and sizes, which those of two users can share.
    key = ("picture", images.digest, str(images.folder), image, size)
    data = tiles.once(key, lambda: picture_of(images, image, size=size))
    if not data:
        return "", UNREADABLE
    files = runtime.get_instance().media_file_mgr
    return files.add(data, "image/jpeg", f"viewer-{slot}"), ""


# Query and result over the whole window; the next or previous result by key, reported back to Python.

_HTML = '<div class="room"></div>'


def show(
    pair: Sequence[Picture],
    *,
    key: str,
    at: str,
    before: bool,
    after: bool,
    soon: Sequence[str],
    on_step: Callable[[], None],
    on_close: Callable[[], None],
) -> None:
    """Open it over the page.

    ``at`` says which result it is, ``before`` and ``after`` whether there are others, ``soon`` are addresses
    of pictures to fetch ahead. ``on_step``: callback, `step_of` says which way; ``on_close``: callback.
    """
    component = st.components.v2.component(
        "cuiscope_large",
        html=_HTML,
        css=bundled(__package__, "stage.css", "large.css"),
        js=bundled(__package__, "stage.js", "large.js"),
    )
    component(
        data={"pair": list(pair), "at": at, "before": before, "after": after, "soon": list(soon)},
        key=key,
        on_step_change=on_step,
        on_closed_change=on_close,
        height="content",
    )


def step_of(key: str) -> int:
    """1 for the next, -1 for the previous, 0 when nothing was pressed."""
    step = st.session_state[key].get("step") if key in st.session_state else None
    return step if step in (1, -1) else 0


# What a reader without a mouse needs on every page: the first stop of the Tab key leads past the sidebar
# and the pickers to the results, and a table that is too wide for the screen can be reached and scrolled.

RESULTS = "results"
"""The key of the container that holds what a page is about; a page without one has its title there."""


WIDTHS = (340, 620, 816, 1040)
"""Widths in pixels that figures are made for, from a phone to a screen."""
_WIDTH = "_width"


def helps(page: str) -> int:
    """Put the link before everything else, and see to the tables. Streamlit's own link leads to the pickers,
    and is hidden for it. On a phone the sidebar, which covers the page, closes when ``page`` is another one
    than before. Return which of the `WIDTHS` the page has room for, as the browser last reported."""
    phone = "Mobi" in (st.context.headers.get("User-Agent") or "")
    now = int(st.session_state.setdefault(_WIDTH, WIDTHS[0 if phone else -1]))
    component = st.components.v2.component(
        "cuiscope_keyboard", html="<span></span>", js=bundled(__package__, "keyboard.js")
    )
    places = [f".st-key-{RESULTS}", "h1"]
    component(
        data={
            "label": "Skip to the results",
            "places": places,
            "widths": list(WIDTHS),
            "width": now,
            "page": page,
        },
        key="keys",
        on_width_change=_resized,
        height="content",
    )
    return now


def _resized() -> None:
    width = st.session_state["keys"].get("width")
    if width in WIDTHS:
        st.session_state[_WIDTH] = width
