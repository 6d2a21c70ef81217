"""The mode for showing the program to others: what it hides, its bar, and the way from view to view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from evalcore.report.tour import PageView
from evalcore.ui.components.vocabulary import IMAGE_A, IMAGE_B
from evalcore.ui.frame import state
from evalcore.ui.frame.context import StudyEntry
from evalcore.ui.frame.pages import LARGE, PAGES, QUERY, WHY, open_view
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import position
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study

# Whether the program is being shown to others, and how.

PRESENT = Key("present", in_links=True)
"""1 while it is."""
STOP = Key("stop", of_study=True)
"""Which place of the tour is on view, from 1; 0 outside a tour."""
CORNERS = Key("corners", in_links=True)
"""1 where the corners of pictures are covered."""

_PAGES = {page.key for page in PAGES}
_WANTED = "_present_wanted"
_SHOW = "_present_show"


@dataclass(frozen=True, slots=True)
class Show:
    """What is shown: the views of the tour (none: the view where it was started), of one study."""

    study: str
    views: tuple[PageView, ...]
    home: PageView


def is_on() -> bool:
    """Whether the program is being shown; call once at the top of each page."""
    on = bool(state.read_param(PRESENT, 0, state.whole(0, 1)))
    state.read_param(CORNERS, 0, state.whole(0, 1))
    state.read_param(STOP, 0, state.whole(0, 99))
    return on


def corners_covered() -> bool:
    """Whether the corners of pictures are covered."""
    return bool(state.get(CORNERS, 0))


def begin(entry: StudyEntry, views: Sequence[PageView], home: PageView) -> None:
    """Start showing: the tour from its first view on, or this view where there is none. Ends the drawing."""
    st.session_state[_SHOW] = Show(entry.slug, tuple(view for view in views if view.page in _PAGES), home)
    _open(entry, 1 if views else 0)


def bar(entry: StudyEntry) -> None:
    """The line above the page while it is shown; goes on to another view when that was asked for."""
    show = _show(entry)
    at = min(int(state.get(STOP, 0)), len(show.views))
    wanted = str(st.session_state.pop(_WANTED, ""))
    if wanted:
        _go(entry, wanted, at, len(show.views))
    with st.container(key="presenting"):
        *back, words, ways = st.columns([2.2] * bool(show.views) + [7.4, 3], vertical_alignment="center")
        for place in back:
            with place:
                _steps(at, len(show.views), keys=True)
        with words:
            _words(show, at)
        with ways.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
            st.button(
                "Start over",
                icon=":material/restart_alt:",
                on_click=_want,
                args=("over",),
                type="tertiary",
                help="All choices are reset.",
                shortcut="Home",
                key="present-over",
            )
            st.button("Leave", icon=":material/close:", on_click=_leave, type="tertiary", key="present-leave")


def narration() -> None:
    """The words about the view and the ways on, in a drawer, which covers the bar; nothing outside a tour."""
    show: Show | None = st.session_state.get(_SHOW)
    if not state.get(PRESENT, 0) or show is None or not show.views:
        return
    if _WANTED in st.session_state:
        st.rerun()
    at = min(int(state.get(STOP, 0)), len(show.views))
    with st.container(key="presenting-here"):
        _words(show, at)
        _steps(at, len(show.views), keys=False)


def _steps(at: int, n: int, *, keys: bool) -> None:
    """The ways to the views before and after; ``keys``: those of the bar, which the keyboard selects."""
    ways: tuple[tuple[str, str, Literal["left", "right"], str, bool], ...] = (
        ("Previous", "before", "left", "PageUp", at <= 1),
        ("Next", "next", "right", "PageDown", at >= n),
    )
    with st.container(horizontal=True):
        for label, wanted, side, key, ended in ways:
            st.button(
                label if keys else f"{label} stop",
                icon=f":material/chevron_{side}:",
                on_click=_want,
                args=(wanted,),
                disabled=ended,
                shortcut=key if keys else None,
                key=f"present-{wanted}{'' if keys else '-here'}",
            )


def _words(show: Show, at: int) -> None:
    if not show.views:
        st.markdown("**Showing this view**")
        return
    number = max(at, 1)
    view = show.views[number - 1]
    title = md_escape(view.name.removeprefix(f"{number}. "))
    st.markdown(f"**{number} of {len(show.views)} · {title}**  \n{md_escape(view.note, limit=600)}")


def _show(entry: StudyEntry) -> Show:
    """What this session shows; for one that came by a link, the view of the link."""
    kept: Show | None = st.session_state.get(_SHOW)
    if kept is None or kept.study != entry.slug:
        kept = Show(entry.slug, (), state_as_view())
        st.session_state[_SHOW] = kept
    return kept


def state_as_view() -> PageView:
    """The page on view with its address."""
    return PageView("This view", state.page(), state.address(state.STUDY, state.DIGEST, PRESENT, STOP))


def _go(entry: StudyEntry, wanted: str, at: int, n: int) -> None:
    goal = at + {"next": 1, "before": -1}[wanted] if wanted in ("next", "before") else min(n, 1)
    if wanted == "over" or 1 <= goal <= n:
        _open(entry, goal)


def _open(entry: StudyEntry, at: int) -> None:
    """Go to a view with its address and nothing that was chosen since; how it is shown stays."""
    show: Show = st.session_state[_SHOW]
    view = show.views[at - 1] if at else show.home
    how: dict[str, str] = {CORNERS: str(state.get(CORNERS))} if CORNERS in st.query_params else {}
    open_view(view, {**how, PRESENT: "1", STOP: str(at), state.STUDY: entry.slug})


def _want(what: str) -> None:
    """Callback."""
    state.set_plain(_WANTED, what)


def _leave() -> None:
    """Callback: the sidebar is back, on the view that is open."""
    state.set_value(PRESENT, 0)
    state.set_value(STOP, 0)


# The open study as others may see it: images by number instead of id, the corners of pictures covered.
#
# Only names change. Numbers, orders and digests are those of the study, so everything computed before is
# used. An address that names an image is turned to the names in use, in both directions.

NAMING = (QUERY, WHY, LARGE, IMAGE_A, IMAGE_B)
"""Keys whose values can be ids of images."""


def names_of(image_ids: Sequence[str]) -> tuple[str, ...]:
    """What images are called instead, in the same order: "Image 007".

    >>> names_of(["patient 9, 2021", "x"])
    ('Image 1', 'Image 2')
    """
    width = len(str(len(image_ids)))
    return tuple(f"Image {i:0{width}d}" for i in range(1, len(image_ids) + 1))


def hide(study: Study, *, corners: bool) -> Study:
    """The study with its images numbered; ``corners``: their pictures without what stands in the corners."""
    images = study.images
    if corners and images is not None:
        images = replace(images, corners_covered=True, digest=f"{images.digest}-corners")
    concepts = replace(study.concepts, image_ids=names_of(study.image_ids))
    return replace(study, concepts=concepts, images=images)


def turn_addresses(study: Study, *, hidden: bool) -> None:
    """Let the address and the session name images as they are called from here on.

    A name that is an id of the study stays one: only what is none is read as the other kind.
    """
    ids, names = study.image_ids, names_of(study.image_ids)
    old, new = (ids, names) if hidden else (names, ids)
    said = {text for key in NAMING for text in (*st.query_params.get_all(key), str(state.get(key, "")))}
    turned = {text: new[position(old, text)] for text in said if position(old, text) >= 0}
    if not hidden:
        turned = {text: name for text, name in turned.items() if position(ids, text) < 0}
    if turned:
        state.rename(NAMING, turned)
