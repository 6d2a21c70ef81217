"""The page Queries: which queries are hard, and on which one system is an outlier."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from evalcore.evaluate.per_query import KINDS, PerQuery, sort_queries
from evalcore.figures.queries import most_alone
from evalcore.report import parts, verdicts
from evalcore.results.queries import queries_table
from evalcore.results.rows import only_shown
from evalcore.ui.components import cards, figure, fold, messages, pair, select, table
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import QUERY, SYSTEM_A, SYSTEM_B, go_to_queries
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import Offsets
from evalcore.values.model import OUTSIDE_POOL, count_reasons
from evalcore.values.writing import listed, md_escape, plain, pluralize

# How a query is opened from here.


def open_query(context: Context, image: str, first: str = "") -> None:
    """Leave for a query, with the systems of this page side by side; ``first`` before the others."""
    systems = dict.fromkeys(name for name in (first, *context.choice.systems) if name)
    go_to_queries({QUERY: image, **dict(zip((SYSTEM_A, SYSTEM_B), systems, strict=False))})


def open_cell(context: Context, carried: Any) -> None:
    """The same for what a cell or a bar carries: [query, system], or the query alone."""
    image, system = carried if isinstance(carried, list) else (carried, "")
    open_query(context, str(image), str(system))


KIND_NAMES = {"all": "All", "hard": "Poor for all", "good": "Good for all", "undefined": "No value"}
ORDER_NAMES = {
    "hardest": "Hardest first",
    "easiest": "Easiest first",
    "spread": "Systems differ most",
    "id": "By ID",
}
ORDER_WIDTH, FIND_WIDTH = 220, 300
ROWS = 1_000
"""Rows of the table at most: more take the browser a second. The file contains all."""
LISTED = Key("listed")


@state.fragment()
def show(context: Context) -> None:
    """The whole page: what was found, the map of all queries, and what is behind it."""
    study, choice = context.study, context.choice
    result = cache.cached(
        cache.key_of("per query", study, choice), lambda: cache.analysis(study, choice).queries()
    )
    messages.headline(verdicts.of_queries(result))
    messages.unanswered(cache.scores(study, choice, result.systems))
    places = _controls(context, result)
    if len(places):
        _map(context, result, places)
        title = f"List of {pluralize(len(places), 'query')} with every score"
        fold.section(title, _listed, context, result, places, param=LISTED)
    else:
        st.info("No query matches.", icon=":material/search_off:")
    fold.section("How this was compared", _method, context, result, param=fold.HOW_COMPARED)


def _controls(context: Context, result: PerQuery) -> Offsets:
    """Kind, order, what good means, words to find; the places of the queries that are listed, in order."""
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = str(state.read_param(pages.KIND, KINDS[0], state.one_of(*KINDS)))
        kind = select.segments(
            "Show",
            [name for name in KINDS if name in (KINDS[0], kind) or result.count(name)],
            param=pages.KIND,
            label_visibility="collapsed",
            width="content",
            shown=lambda name: f"{KIND_NAMES[name]} · {result.count(name):,}",
        )
        order = select.selectbox(
            "Order", ORDER_NAMES, param=pages.QUERIES_ORDER, label_visibility="collapsed", width=ORDER_WIDTH
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = select.text(
            "Find",
            param=pages.FIND,
            icon=":material/search:",
            placeholder="ID, caption, concept or label",
            label_visibility="collapsed",
            max_chars=200,
            width=FIND_WIDTH,
        )
        wanted = pair.matching_queries(context.study, sought)[result.queries]
        places = sort_queries(result, order)  # type: ignore[arg-type]
        places = places[result.kind(kind)[places] & wanted[places]]  # type: ignore[arg-type]
        if len(places):
            first = context.study.image_ids[result.queries[places[0]]]
            if st.button(
                f"Open {md_escape(first, limit=40)}", key="open-first", icon=":material/image_search:"
            ):
                open_query(context, first)
    return places


def _method(context: Context, result: PerQuery) -> None:
    """What good and poor mean, how often each system is first, and what has no value."""
    st.markdown(pair.describe_direction(result))
    for line in (_won(result), _without(context, result)):
        if line:
            st.markdown(line)


def _won(result: PerQuery) -> str:
    """How often each system is best alone, and how often several are."""
    if len(result.systems) < 2:
        return ""
    each = listed([f"{md_escape(name)} {n:,}" for name, n in verdicts.best_alone(result)], limit=10)
    n = result.level_at_the_top
    tied = (
        f"{pluralize(n, 'query has', 'queries have')} ties for first place."
        if n
        else "No ties for first place."
    )
    return f"Queries won: {each}. {tied}"


def _without(context: Context, result: PerQuery) -> str:
    """Queries without a value, with the reasons; those that count as 0 where the reader chose that."""
    reasons = count_reasons(result.reasons)
    if not reasons:
        return ""
    why = listed([f"{n:,} {reason}" for reason, n in reasons.items()])
    if context.choice.settings.undefined == "zero":
        left = int(np.count_nonzero(result.reasons == OUTSIDE_POOL))
        rest = f" {pluralize(left, 'query')} outside the pool have no value." if left else ""
        return f"Queries without a value count as 0, as chosen on the left ({why}).{rest}"
    n = result.count("undefined")
    return f"{pluralize(n, 'query has', 'queries have')} no value, which is not 0: {why}."


def _order_in_words() -> str:
    """The chosen order as the figure says it."""
    name = ORDER_NAMES[str(state.get(pages.QUERIES_ORDER, "hardest"))]
    return name[0].lower() + name[1:]


def _map(context: Context, result: PerQuery, places: Offsets) -> None:
    """The queries listed, drawn; where they are too many, neighbours together. A click on one opens it."""
    n, how = len(places), {"metric": context.choice.metric_shown, "order": _order_in_words()}
    drawn = parts.map_of(result, places, context.study.image_ids, **how, theme=context.theme)
    alone = n <= most_alone(len(result.systems))
    opens = partial(open_cell, context) if alone else None
    figure.show(context, drawn, key=f"cells-{n}", file="queries", opens=opens)


def _listed(context: Context, result: PerQuery, places: Offsets) -> None:
    """The queries in the order of the map, with every value; a chosen row opens the query."""
    shown = places[:ROWS]
    study = context.study
    concepts = only_shown("Concepts", lambda i: study.concepts.sizes[result.queries[i]])
    image = only_shown("Image", lambda i: plain(cards.describe(study, int(result.queries[i])), limit=120))
    rows = queries_table(result, shown, study, more=[concepts, image])
    measure = "" if context.choice.plain else f". {md_escape(context.choice.metric)}"
    st.caption(
        f"{pluralize(len(places), 'query')}, {_order_in_words()}"
        + (f"; the first {ROWS:,} are in the table, the file contains all" if len(places) > ROWS else "")
        + ". Select a row to see what the systems returned for it."
    )
    row = table.results_table(
        context,
        rows,
        key="queries-table",
        choose=True,
        height=420,
        file="queries-by-system",
        saved=queries_table(result, np.asarray(places), study),
        about=table.scored,
        placeholder="no value",
        alt=f"Table of {pluralize(len(shown), 'query')} with the value of every system",
        note=f"Mean over the systems, ties are listed by ID{measure}{context.chosen}.",
        columns=table.names(context, "Query"),
    )
    if row is not None:
        open_query(context, study.image_ids[int(result.queries[shown[row]])])
