"""The parts of the query page: which queries are on the list, and the way through them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.evaluate.targets import metric_of
from evalcore.relevance.registry import by_judgments
from evalcore.ui.components import download, pair, select
from evalcore.ui.components import places as side
from evalcore.ui.components.pair import Pair
from evalcore.ui.components.places import ask, step_button
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.choices import not_shown
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import SHOW
from evalcore.ui.query import board, large, shared, why
from evalcore.values.arrays import Ints
from evalcore.values.writing import md_escape

NAME_WIDTH, ORDER_WIDTH = 175, 220


def is_open(context: Context) -> bool:
    """Whether a query is on view, rather than the list of them."""
    return bool(state.read_param(pages.QUERY, "", state.one_of(*context.study.image_ids)))


def section(context: Context) -> None:
    """The sentence, one row of controls and the board."""
    with st.container(key="query-lead"):
        lead = st.empty()
    with st.container(key="query-top"):
        with st.container(horizontal=True, vertical_alignment="bottom", key="query-systems"):
            per_query = pair.values(context, *pair.choose(context, width=NAME_WIDTH))
            queries = _queries(context, per_query)
            systems = _systems(context, per_query)
        walk(context, systems, queries, lead)


def _queries(context: Context, per_query: Pair) -> Ints:
    """Search, filters and order; what is left of the queries (image indices, in order)."""
    with st.popover("Find", icon=":material/search:", key="find-queries", width="content"):
        sought = select.text(
            "Find",
            param=pages.FIND,
            icon=":material/search:",
            placeholder="ID, caption, concept or label",
            max_chars=200,
        )
        kept = pair.filtered(context, per_query)
        st.caption(pair.describe_direction(per_query))
        by = select.selectbox("Order", pair.ORDERS, param=pages.QUERY_ORDER, width=ORDER_WIDTH)
    keep = kept & pair.matching_queries(context.study, sought)[per_query.queries]
    return per_query.queries[pair.ordered(per_query, np.flatnonzero(keep), by)]


def _systems(context: Context, chosen: Pair) -> tuple[str, ...]:
    """The systems side by side: A, B, and others below them."""
    with st.popover("View", icon=":material/view_column:", key="view", width="content"):
        systems = (chosen.a, chosen.b, *side.other_systems(context, chosen))
        few = not_shown(context.study, systems)
        if few and len(context.study.systems) > side.MOST:
            few += f"; up to {side.MOST} shown side by side"
        if few:
            st.caption(few)
    return systems


@state.fragment(key=pages.WALK)
def walk(context: Context, systems: Sequence[str], queries: Ints, lead: DeltaGenerator) -> None:
    """The query on view with its arrows, the result lists and the drawer; ``lead``: where the sentence goes.

    A fragment: going on to the next query redraws this part only, not the sidebar and the pickers.
    """
    query = current(context, queries)
    if query is None:
        lead.empty()
        st.info("No query matches this search and filter.", icon=":material/search_off:")
        st.button("Show all queries", key="show-all", on_click=_show_all, icon=":material/filter_alt_off:")
        return
    listed = board.lists(context, systems, query, context.choice.k)
    lead.markdown(_sentence(context, query, listed))
    _arrows(context, queries, query, listed)
    places = board.draw(context, query, listed)
    large.section(context, query, places)
    why.drawer(context, query, places)
    after = queries[int(np.flatnonzero(queries == query)[0]) + 1 :][:1]
    if len(after):
        board.make_ready(context, systems, int(after[0]), depth=context.choice.k)


def _sentence(context: Context, query: int, listed: Sequence[board.Listed]) -> str:
    """What the results say, in one sentence; for experts with the values of the measure."""
    shown = {entry.system: entry for entry in listed}.values()
    metric = metric_of(context.study, context.choice.metric, context.choice.settings)
    answers = [(entry.system, entry.results) for entry in shown]
    text = shared.headline(context, query, answers, judgments=by_judgments(metric.relevance))
    if context.choice.plain:
        return text
    scores = shared.values(context, [entry.system for entry in shown], [entry.score for entry in shown])
    return f"{text} {scores}".strip()


def current(context: Context, queries: Ints) -> int | None:
    """The query on view (image index): the one of the address if it is on the list, else the first."""
    ids = context.study.image_ids
    if not len(queries):
        return None
    on_list = {ids[q]: int(q) for q in queries}
    name = str(state.read_param(pages.QUERY, ""))
    shown = name if name in on_list else ids[queries[0]]
    state.set_param(pages.QUERY, shown)
    return on_list[shown]


def _show_all() -> None:
    state.set_value(pages.FIND, "")
    state.set_value(SHOW, pair.ALL)
    st.rerun("app")


def _arrows(context: Context, queries: Ints, query: int, listed: Sequence[board.Listed]) -> None:
    """Previous and next, also by the arrow keys, the place in the list, and what the marks mean."""
    order = tuple(context.study.image_ids[q] for q in queries)
    at = int(np.flatnonzero(queries == query)[0])
    # The keys go through the results of what is open over the page.
    free = not (state.read_param(pages.WHY, "") or state.read_param(pages.LARGE, ""))
    with st.container(horizontal=True, vertical_alignment="center", key="query-walk"):
        st.button(
            "All queries", key="all-queries", icon=":material/grid_on:", type="tertiary", on_click=_close
        )
        step_button(-1, order, pages.QUERY, open_query, name="go", keyboard=free)
        st.markdown(f"**{md_escape(order[at])}** · query {at + 1:,} of {len(order):,}", width="content")
        step_button(1, order, pages.QUERY, open_query, name="go", keyboard=free)
        large.button(context)
        with st.popover("Legend", icon=":material/help:", key="legend", width="content"):
            st.markdown("\n".join(f"- {line}" for line in board.legend(context, listed)))
            rows = partial(board.evidence, context, query, listed)
            download.csv(rows, f"results-{order[at]}-{context.study.digest[:8]}", label="Results as CSV")
        # Seen on narrow screens only, where the pickers would push the images out of sight.
        st.toggle("Systems and filters", key=pages.PICKERS, on_change="ignore")


def _close() -> None:
    """Callback: back to the list."""
    open_query("")
    state.redraw_page()


def open_query(image_id: str) -> None:
    """Callback: put another query on view and close what was open about the last one."""
    state.set_value(pages.QUERY, image_id)
    ask("", "")
    state.set_value(pages.LARGE, "")
