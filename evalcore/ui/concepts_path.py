"""How are two concepts connected? The path drawn and in words, its equals, and files of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.concepts import routes_alt, routes_figure
from evalcore.figures.concepts.routes import LONGEST
from evalcore.figures.paths import path_alt, path_chain, path_figure, path_sentence
from evalcore.figures.reading import how_to_read
from evalcore.graph import Paths, shortest_paths, steps
from evalcore.graph.drawn import PATH_COLUMNS, path_dot, path_rows
from evalcore.graph.neighbourhood import around_path
from evalcore.ui import charts, concepts, concepts_filter, messages, state
from evalcore.ui.format import count, things
from evalcore.ui.tables import csv_of
from evalcore.ui.text import md_escape

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.model import Study
    from evalcore.settings import Direction
    from evalcore.ui.concepts_filter import Links
    from evalcore.ui.context import Context

MOST = 5
"""Equally short paths shown; their number is always told."""
ALL_TOGETHER, ALL = 0, -1
"""All paths in one figure: in the address, and as the path to draw."""


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: pickers, filters, sentence, figure, other paths, files."""
    first = concepts.example(context.study.digest, context.study)
    left, middle, right = st.columns([1, 0.12, 1], vertical_alignment="bottom", gap="small")
    with left:
        start = concepts.pick(context, "From", state.FROM, first[0])
    with right:
        end = concepts.pick(context, "To", state.TO, first[1])
    middle.button(
        "Swap", icon=":material/swap_horiz:", on_click=_swap, args=(start, end), key="swap-ends",
        help="Exchange start and end", width="stretch",
    )  # fmt: skip
    if not start or not end:
        st.info("Choose two findings to see how they are connected.", icon=":material/route:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        links = concepts_filter.choose(context, graph)
        to_end = _what_a_click_does()
    messages.refused(state.refused())
    found = _paths(links.graph.digest, start, end, links.direction, links.graph)
    if not found.paths:
        messages.lead(_no_path(context.study, found, graph, links))
        return
    route = _route(found)
    _drawn(context, links, found, route, click=state.TO if to_end else state.FROM)
    _in_words(context, links, found)
    _files(context, links, found)


def _swap(start: str, end: str) -> None:
    concepts.set_concept(state.FROM, end)
    concepts.set_concept(state.TO, start)


@st.cache_data(max_size="20MB", show_spinner=False)
def _paths(digest: str, start: str, end: str, direction: Direction, _graph: ConceptGraph) -> Paths:  # noqa: ARG001
    return shortest_paths(_graph, start, end, direction=direction, limit=MOST)


def _what_a_click_does() -> bool:
    """Whether a click in the figure sets the end (else the start)."""
    said = st.segmented_control(
        "A click on a box makes it the", ("start", "end"), default="end", required=True, key="click_sets"
    )
    return said != "start"


# --------------------------------------------------------------------------- what was found


def _no_path(study: Study, found: Paths, graph: ConceptGraph, links: Links) -> str:
    """Why there is none, as far as can be said."""
    a, b = (concepts.named(study, cui, technical=True) for cui in (found.start, found.end))
    absent = [cui for cui in (found.start, found.end) if graph.index(cui) < 0]
    if absent:
        who = " and ".join(concepts.named(study, cui) for cui in dict.fromkeys(absent))
        return (
            f"No path connects {a} and {b}: the graph does not know {who}. Such a finding can only match "
            "exactly, never as a related one."
        )
    if links.filtered:
        return f"No path connects {a} and {b} over the links chosen. With all links there may be one."
    return f"No path connects {a} and {b}: they lie in parts of the graph that nothing links."


def _route(found: Paths) -> int:
    """Which of the equally short paths is drawn (from 0); ``ALL`` for all together."""
    n = len(found.paths)
    together = n > 1 and (found.distance or 0) <= LONGEST
    first = ALL_TOGETHER if together else 1
    route = int(state.carry(state.ROUTE, first, state.whole(ALL_TOGETHER, MOST)))
    route = min(route, n) if route or together else 1
    if n > 1:
        more = f" (the first {n} of {count(found.n_shortest)})" if found.n_shortest > n else ""
        st.segmented_control(
            f"Equally short paths{more}", list(range(first, n + 1)), required=True,
            format_func=lambda k: f"Path {k}" if k else "All together",
            key=state.seed(state.ROUTE, route), on_change=state.take_widget, args=(state.ROUTE,),
        )  # fmt: skip
    return route - 1


def _drawn(context: Context, links: Links, found: Paths, route: int, *, click: str) -> None:
    study, path = context.study, found.paths[max(route, 0)]
    along = steps(links.graph, path)
    messages.lead(
        md_escape(path_sentence(path, along, names=study.names, n_shortest=found.n_shortest, reading="plain"))
    )
    if route == ALL:
        every = [steps(links.graph, one) for one in found.paths]
        drawn = routes_figure(found.paths, every, names=study.names, theme=context.theme)
        alt, figure = routes_alt(found.paths, names=study.names), "routes_figure"
    else:
        around = around_path(links.graph, path, used=concepts.used(study)) if len(path) > 1 else ()
        drawn = path_figure(
            path, along, names=study.names, theme=context.theme, reading=context.reading, around=around
        )
        alt, figure = path_alt(path, along, names=study.names), "path_figure"
    key = f"path-{found.start}-{found.end}-{route}-{click}-{links.graph.digest}"
    st.plotly_chart(
        drawn, theme=None, key=key, config=charts.toolbar(context, "path"), alt=alt, selection_mode="points",
        on_select=concepts.on_press(key, lambda cui: concepts.set_concept(click, str(cui))),
    )  # fmt: skip
    messages.how_to_read(how_to_read(figure, context.reading))


def _in_words(context: Context, links: Links, found: Paths) -> None:
    """Every path shown, as a chain of names with relation and source."""
    if not found.distance:
        return
    long = f"{things(found.distance, 'step')} long"
    shown = len(found.paths)
    if found.n_shortest == 1:
        st.markdown(f"**1 shortest path**, {long}:")
    else:
        some = f"; {shown} of them:" if found.n_shortest > shown else ":"
        st.markdown(f"**{count(found.n_shortest)} equally short paths**, each {long}{some}")
    for path in found.paths:
        along = steps(links.graph, path)
        told = path_chain(path, along, names=context.study.names, reading=context.reading)
        st.markdown(f"- {md_escape(told)}")


def _files(context: Context, links: Links, found: Paths) -> None:
    """The paths as CSV and DOT; the figure's own toolbar saves SVG."""
    names = context.study.names
    paths = found.paths if found.distance else ()
    stem = f"path-{found.start}-{found.end}"
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = "PNG" if context.choice.plain else "SVG"
        told = f"The figure itself: the camera in its upper right corner saves {kind}."
        st.caption(told, width="stretch")
        st.download_button(
            "CSV", csv_of(PATH_COLUMNS, path_rows(links.graph, paths, names)), f"{stem}.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key="path-csv",
        )  # fmt: skip
        st.download_button(
            "DOT (Graphviz)", path_dot(links.graph, paths, names), f"{stem}.dot", "text/vnd.graphviz",
            icon=":material/download:", on_click="ignore", key="path-dot",
        )  # fmt: skip
