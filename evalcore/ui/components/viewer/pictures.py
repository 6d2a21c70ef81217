"""Whole pictures for the viewer: each is served only when it is about to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import streamlit as st
from streamlit import runtime

from evalcore.study.pictures.full import full_picture
from evalcore.study.pictures.thumbnails import thumbnail
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.values.model import ImageFiles, Study

NO_PICTURE = "This study has no picture of this image."
UNREADABLE = "The picture of this image cannot be read."
NOT_KNOWN = "This image is not in the study."


class Picture(TypedDict):
    """One side of the viewer: where its picture is, what it is called, what stands in its place."""

    title: str
    src: str
    alt: str
    words: str
    none: str


def picture(
    study: Study, image: int, *, title: str, slot: str, words: str = "", named: bool = True,
    size: int | None = None,
) -> Picture:  # fmt: skip
    """What the viewer shows of an image; a word where there is no picture.

    ``slot`` names a place in the viewer: a new picture there lets go of the one before. ``words`` stand
    beside the title. ``named``: whether the alternative text may say the id of the image. ``size``: longer
    side of a smaller version, for many at a time.
    """
    src, none = "", NOT_KNOWN
    if image >= 0:
        src, none = _address(study, image, slot, size)
    said = (study.image_ids[image] if named and image >= 0 else "", study.caption_of(image))
    alt = plain(f"{title}. {': '.join(filter(None, said))}", limit=240)
    return {"title": title, "src": src, "alt": alt, "words": plain(words, limit=240), "none": none}


def _address(study: Study, image: int, slot: str, size: int | None) -> tuple[str, str]:
    """(address below the program's own, what to say where there is none)."""
    if study.images is None or study.images.entries[image] is None or not runtime.exists():
        return "", NO_PICTURE
    data = _content(study.images.digest, image, size, study.images)
    if data is None:
        return "", UNREADABLE
    served = runtime.get_instance().media_file_mgr
    return served.add(data, "image/jpeg", f"viewer-{slot}"), ""


@st.cache_data(max_size="120MB", show_spinner=False)
def _content(digest: str, image: int, size: int | None, _images: ImageFiles) -> bytes | None:  # noqa: ARG001
    try:
        return full_picture(_images, image) if size is None else thumbnail(_images, image, size=size)
    except CuiscopeError:
        return None
