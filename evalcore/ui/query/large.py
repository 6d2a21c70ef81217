"""Query and result over the whole window, and on to the next result by key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from evalcore.ui.components import viewer
from evalcore.ui.components.places import BoardPlace, ask
from evalcore.ui.components.viewer import Picture, picture
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.values.writing import plain

SLOT = "large_pair"
"""Key of the component."""


def button(context: Context) -> None:
    """Opens the first result; nothing where the study has no pictures."""
    if context.study.images is not None:
        st.button(
            "Open large",
            key="open-large",
            icon=":material/open_in_full:",
            on_click=state.set_value,
            args=(pages.LARGE, "A1"),
            help="Query and result over the whole window. Arrow keys go on. Or select a picture.",
        )


def button_for(context: Context, image: int, place: BoardPlace | None) -> None:
    """Opens the result the drawer is about, from within it."""
    if context.study.images is not None:
        st.button(
            "Open large",
            key="open-large-why",
            icon=":material/open_in_full:",
            on_click=_open,
            args=(place.key if place else context.study.image_ids[image],),
        )


def _open(key: str) -> None:
    """Callback of the drawer, which draws itself alone: the page must follow."""
    state.set_value(pages.LARGE, key)
    st.rerun(pages.WALK)


def section(context: Context, query: int, places: Sequence[BoardPlace]) -> None:
    """The viewer, when it was asked for; ``places`` in the order the keys go through them."""
    address = str(state.read_param(pages.LARGE, ""))
    if not address or context.study.images is None:
        return
    ids = context.study.image_ids
    named = [{place.key, ids[place.image]} if place.image >= 0 else {place.key} for place in places]
    at = next((n for n, names in enumerate(named) if address in names), None)
    if at is None and address in ids:  # asked about in the drawer, and on no list here
        places, at = [BoardPlace("", "", 0, ids.index(address))], 0
    if at is None:
        state.set_param(pages.LARGE, "")
        return
    here = places[at]
    shown = [
        picture(context.study, query, title="Query", slot="query", words=ids[query]),
        _result(context, here, slot=f"result-{at % 3}"),
    ]
    ahead = [
        _result(context, places[n], slot=f"result-{n % 3}") for n in (at - 1, at + 1) if 0 <= n < len(places)
    ]
    viewer.show(
        shown,
        key=SLOT,
        at=f"{at + 1:,} of {len(places):,}",
        before=at > 0,
        after=at + 1 < len(places),
        soon=[shot["src"] for shot in ahead if shot["src"]],
        on_step=partial(_step, tuple(places), at),
        on_close=partial(_close, tuple(ids), here),
    )


def _result(context: Context, place: BoardPlace, *, slot: str) -> Picture:
    name = context.study.image_ids[place.image] if place.image >= 0 else ""
    return picture(
        context.study,
        place.image,
        title=f"{place.side} · result {place.rank}" if place.rank else "Result",
        slot=slot,
        words=" · ".join(filter(None, (plain(place.system, limit=60), name))),
    )


def _step(places: tuple[BoardPlace, ...], at: int) -> None:
    """Callback."""
    by = viewer.step_of(SLOT)
    if by:
        state.set_value(pages.LARGE, places[min(max(at + by, 0), len(places) - 1)].key)


def _close(ids: tuple[str, ...], last: BoardPlace) -> None:
    """Callback. The drawer below, where it is open, is then about the result that was looked at last."""
    state.set_value(pages.LARGE, "")
    if state.get(pages.WHY) and last.system and last.image >= 0:
        ask(ids[last.image], last.system)
