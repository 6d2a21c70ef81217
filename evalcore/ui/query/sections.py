"""The parts of the query page: which queries are on the list, and the way through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import streamlit as st

from evalcore.ui.components import pair, select
from evalcore.ui.components import places as side
from evalcore.ui.components.places import ask, stepped
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import SHOW
from evalcore.ui.query import board, large, why
from evalcore.values.arrays import Ints
from evalcore.values.markdown import md_escape
from evalcore.values.writing import count

DEPTHS = ("5", "10", "20")
FEW = 3
"""Up to how many systems have ten cards each at first, or twenty images; of more it is half of that."""
NAME_WIDTH, ORDER_WIDTH = 220, 180


def controls(context: Context) -> tuple[tuple[str, ...], Ints]:
    """A and B, filter, search and order, the systems beside them.

    All systems side by side, A and B first, and what is left of the queries (image indices, in order).
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="query-systems"):
        of = pair.values(context, *pair.choose(context, width=NAME_WIDTH))
        sought = select.words(
            "Find",
            keep=pages.FIND,
            icon=":material/search:",
            placeholder="ID, caption, concept or label",
            max_chars=200,
            width="stretch",
        )
        by = select.one("Order", pair.ORDERS, keep=pages.QUERY_ORDER, width=ORDER_WIDTH)
    with st.container(horizontal=True, vertical_alignment="center", key="query-filters"):
        kept = pair.kept(context, of)
        beside = side.others(context, of)
    keep = kept & pair.found(context.study, sought)[of.queries]
    if state.get(SHOW) in (pair.BOTH_GOOD, pair.BOTH_POOR):
        st.caption(pair.limits_in_words(context, of))
    return (of.a, of.b, *beside), of.queries[pair.ordered(of, np.flatnonzero(keep), by)]


@state.fragment(key=pages.WALK)
def walk(context: Context, systems: Sequence[str], queries: Ints) -> None:
    """The query on view with its arrows, the result lists and the drawer.

    A fragment: going on to the next query redraws this part only, not the sidebar and the pickers.
    """
    query = current(context, queries)
    if query is None:
        nothing_found()
        return
    layout, depth = arrows(context, queries, query, n_systems=len(systems))
    places = board.draw(context, systems, query, layout=layout, depth=depth)
    large.section(context, query, places)
    why.drawer(context, query, places)
    after = queries[int(np.flatnonzero(queries == query)[0]) + 1 :][:1]
    if len(after):
        board.make_ready(context, systems, int(after[0]), layout=layout, depth=depth)


def current(context: Context, queries: Ints) -> int | None:
    """The query on view (image index): the one of the address if it is on the list, else the first."""
    ids = context.study.image_ids
    if not len(queries):
        return None
    on_list = {ids[q]: int(q) for q in queries}
    first = ids[queries[0]]
    asked = state.read_param(pages.QUERY, first, lambda given: given[-1] if given[-1] in on_list else None)
    return on_list[str(asked)]


def nothing_found() -> None:
    """What to do when search and filter leave nothing."""
    st.info("No query matches this search and filter.", icon=":material/search_off:")
    st.button("Show all queries", key="show-all", on_click=_show_all, icon=":material/filter_alt_off:")


def _show_all() -> None:
    state.set_value(pages.FIND, "")
    state.set_value(SHOW, pair.ALL)
    st.rerun("app")


def arrows(context: Context, queries: Ints, query: int, *, n_systems: int) -> tuple[str, int]:
    """Previous and next, also by the arrow keys, and the place in the list; the view and its depth."""
    order = tuple(context.study.image_ids[q] for q in queries)
    at = int(np.flatnonzero(queries == query)[0])
    with st.container(horizontal=True, vertical_alignment="center", key="query-walk"):
        _arrow("Previous", "left", ":material/chevron_left:", order, -1, disabled=at == 0)
        st.markdown(
            f"**{md_escape(order[at])}** · query {count(at + 1)} of {count(len(order))}",
            text_alignment="center",
            width="stretch",
        )
        _arrow("Next", "right", ":material/chevron_right:", order, 1, disabled=at + 1 == len(order))
        layouts = board.LAYOUTS if context.study.images is not None else board.WITHOUT_PICTURES
        layout = select.segments(
            "View",
            layouts,
            keep=pages.LAYOUT,
            label_visibility="collapsed",
            help="Cards, many small images, or tables",
        )
        state.follow_default(pages.QUERY_DEPTH)
        depth = select.segments(
            "Results shown",
            DEPTHS,
            keep=pages.QUERY_DEPTH,
            first=_usual_depth(layout, n_systems),
            label_visibility="collapsed",
            help="Results shown per system",
        )
        large.button(context)
        # Seen on narrow screens only, where the pickers would push the images out of sight.
        st.toggle("Systems and filters", key=pages.PICKERS, on_change="ignore")
    return layout, int(depth)


def _usual_depth(layout: str, n_systems: int) -> str:
    """At first as many results as a screen holds: fewer of more systems, more in the dense view."""
    place = (layout == board.DENSE) + (n_systems <= FEW)
    return DEPTHS[place]


def _arrow(
    label: str, key: Literal["left", "right"], icon: str, order: tuple[str, ...], step: int, *, disabled: bool
) -> None:
    over = state.read_param(pages.WHY, "") or state.read_param(
        pages.LARGE, ""
    )  # the keys then go through its results
    st.button(
        label,
        key=f"go-{key}",
        icon=icon,
        shortcut=None if over else key,
        disabled=disabled,
        on_click=_walk,
        args=(order, step),
    )


def _walk(order: tuple[str, ...], step: int) -> None:
    """Callback: go on from the query on view now; a key pressed twice quickly walks two queries."""
    open_query(stepped(order, state.get(pages.QUERY), step))


def open_query(image_id: str) -> None:
    """Callback: put another query on view and close what was open about the last one."""
    state.set_value(pages.QUERY, image_id)
    ask("", "")
    state.set_value(pages.LARGE, "")
