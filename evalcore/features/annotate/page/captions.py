"""One caption after the other: its picture, the text with its terms marked, and why each counts or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.annotate.page import keys, work
from evalcore.features.annotate.page.marked import LEGEND, marked, reason
from evalcore.figures.numbers import count, things
from evalcore.ui.components import select, table, tiles
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.annotate.values import AnnotatedCaption, Annotation
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

ALL = "All"
FILTERS: dict[str, Callable[[AnnotatedCaption], bool]] = {
    ALL: lambda one: one.caption is not None,
    "Something left out": lambda one: any(not match.kept for match in one.matches),
    "In doubt": lambda one: any(match.uncertain is not None for match in one.matches),
    "Nothing found": lambda one: one.caption is not None and not one.matches,
}


def section(context: Context, made: Annotation) -> None:
    """The captions of a kind, and the one that is looked at."""
    st.subheader("What was found in each caption", anchor=False)
    offered = [name for name, holds in FILTERS.items() if name == ALL or any(map(holds, made.captions))]
    wanted = select.segments(
        "Captions", offered, keep=keys.SHOWN, label_visibility="collapsed",
        shown=lambda name: f"{name} ({count(sum(map(FILTERS[name], made.captions)))})",
    )  # fmt: skip
    some = [one for one in made.captions if FILTERS[wanted](one)]
    if not some:
        st.info("No caption is like that.", icon=":material/search_off:")
        return
    images = [one.image for one in some]
    image = _walk(images)
    _one(context.study, some[images.index(image)])
    st.caption(LEGEND)


def _walk(images: Sequence[str]) -> str:
    """The image that is looked at: picked from the list, or the one before or after."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = select.one("Image", images, keep=keys.IMAGE)
        at = images.index(image)
        for way, icon, to in (("Previous", "chevron_left", at - 1), ("Next", "chevron_right", at + 1)):
            st.button(
                way, icon=f":material/{icon}:", key=f"caption-{way}", disabled=not 0 <= to < len(images),
                on_click=state.set_value, args=(keys.IMAGE, images[max(0, min(to, len(images) - 1))]),
            )  # fmt: skip
        st.markdown(f":gray[{at + 1:,} of {len(images):,}]", width="content")
    return image


def _one(study: Study, one: AnnotatedCaption) -> None:
    place = study.image_ids.index(one.image)
    picture = tiles.tile(study, place)
    if picture is None:
        _text(study, one)
        return
    left, right = st.columns([1, 3], gap="medium")
    with left:
        st.image(picture, width="stretch", alt=f"Picture of {plain(one.image, limit=80)}")
    with right:
        _text(study, one)


def _text(study: Study, one: AnnotatedCaption) -> None:
    caption = one.caption or ""
    with st.container(border=True, key="marked-caption"):
        st.markdown(marked(caption, one.matches))
    st.markdown(f"**{_becomes(study, one)}**")
    if one.matches:
        rows = {
            "Term": [md_escape(match.text, limit=80) for match in one.matches],
            "Concept": [
                md_escape(", ".join(work.named(study, concept) for concept in match.concepts), limit=160)
                for match in one.matches
            ],
            "Why": [md_escape(reason(match, caption), limit=160) for match in one.matches],
        }
        alt = f"{things(len(one.matches), 'term')} of this caption and why each counts or not"
        table.wrapped(pd.DataFrame(rows), alt=alt)


def _becomes(study: Study, one: AnnotatedCaption) -> str:
    """What the image gets, Markdown."""
    if one.concepts is None:
        return "Not annotated: the caption holds no known term that counts."
    if not one.concepts:
        return "Annotated with nothing: the caption only denies known terms."
    names = "; ".join(md_escape(study.names.get(concept, concept), limit=60) for concept in one.concepts)
    return f"Gets {things(len(one.concepts), 'concept')}: {names}"
