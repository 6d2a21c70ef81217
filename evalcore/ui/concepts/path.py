"""How are two concepts connected? The path drawn and in words, its equals, and files of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.engine import neighbours_of
from evalcore.figures.concepts import distance_map, routes_figure
from evalcore.figures.concepts.routes import LONGEST, path_chain, path_sentence
from evalcore.figures.paths import path_figure
from evalcore.graph import ConceptGraph, Paths, shortest_paths, steps
from evalcore.graph.distances import distance_table
from evalcore.graph.links import kinds_of, only_links
from evalcore.graph.neighbourhood import around_path
from evalcore.graph.paths import PATH_COLUMNS, path_dot, path_rows
from evalcore.ui.components import cards, download, figure, fold, messages, select, table, vocabulary
from evalcore.ui.components.vocabulary import example, named, used
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import rows_of
from evalcore.values.errors import UnknownName
from evalcore.values.model import Study
from evalcore.values.settings import Direction, Settings
from evalcore.values.writing import count, md_escape, pluralize

# Which links may a path use: of which sources and relations, and in which direction?

EITHER, STRAIGHT = "either", "straight"
UNNAMED = "-"
"""In the address."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The part of the graph that paths may use."""

    graph: ConceptGraph
    direction: Direction
    filtered: bool


def choose(context: Context, graph: ConceptGraph) -> Links:
    """Sources, relations and direction, in a drawer of their own: most readers leave them alone."""
    kinds = kinds_of(graph)
    with st.popover("Filter links", icon=":material/filter_alt:"):
        st.caption("The terminology combines several sources. Leave a box empty to use all of them.")
        sources = _some("Sources", vocabulary.SOURCES, sorted({kind.source for kind in kinds}))
        relations = _some("Relations", vocabulary.RELATIONS, sorted({kind.relation for kind in kinds}))
        straight = select.switch(
            "Only broader or narrower concepts",
            keep=vocabulary.WAY,
            on=STRAIGHT,
            off=EITHER,
            first=context.choice.settings.direction == "directed",
            help="One concept must be a kind of the other. Otherwise a path may go up to a more general "
            "concept that both share and down again.",
        )
    links = graph
    if sources or relations:
        links = cache.share(
            ("only links", graph.digest, sources, relations),
            lambda: only_links(graph, sources=sources, relations=relations),
        )
    return Links(links, "directed" if straight else "undirected", links is not graph or straight)


def _some(label: str, key: Key, offered: list[str]) -> tuple[str, ...] | None:
    """Some of these names; None for all."""
    names = {name or UNNAMED: name or "(unnamed)" for name in offered}
    chosen = select.some(label, names, keep=key, first=(), placeholder="All")
    return tuple("" if one == UNNAMED else one for one in chosen) or None


MOST = 5
"""Equally short paths shown; their number is always given."""
ALL_TOGETHER = "0"
"""All paths in one figure: in the address, where paths count from 1."""


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: pickers, filters, sentence, figure, other paths, files."""
    study = context.study
    first = example(study)
    left, middle, right = st.columns([1, 0.12, 1], vertical_alignment="bottom", gap="small")
    with left:
        start = vocabulary.pick(study, "From", vocabulary.FROM, first[0])
    with right:
        end = vocabulary.pick(study, "To", vocabulary.TO, first[1])
    middle.button(
        "Swap",
        icon=":material/swap_horiz:",
        on_click=_swap,
        args=(start, end),
        key="swap-ends",
        help="Swap start and end",
        width="stretch",
    )
    if not start or not end:
        st.info("Select two concepts to see how they are connected.", icon=":material/route:")
        return
    drawn_here = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        links = choose(context, graph)
        clicks = st.segmented_control(
            "Select a box to set it as", ("Start", "End"), default="End", required=True, key="click_sets"
        )
    result = cache.remember(
        ("paths", links.graph.digest, start, end, links.direction),
        lambda: shortest_paths(links.graph, start, end, direction=links.direction, limit=MOST),
    )
    if not result.paths:
        with drawn_here:
            messages.lead(_no_path(study, result, graph, links))
        return
    with drawn_here:
        _drawn(context, links, result, click=vocabulary.FROM if clicks == "Start" else vocabulary.TO)
    n = result.n_shortest
    title = "The path in words, and as a file" if n == 1 else f"All {count(n)} paths in words, and as a file"
    fold.section(title, _chains, context, links, result, keep=vocabulary.CHAINS, icon=":material/route:")


def _chains(context: Context, links: Links, result: Paths) -> None:
    _in_words(context, links, result)
    _files(context, links, result)


def _swap(start: str, end: str) -> None:
    vocabulary.put(vocabulary.FROM, end)
    vocabulary.put(vocabulary.TO, start)


def _no_path(study: Study, paths: Paths, graph: ConceptGraph, links: Links) -> str:
    """Why there is none, as far as can be said."""
    a, b = (named(study, cui, technical=True) for cui in (paths.start, paths.end))
    absent = [cui for cui in (paths.start, paths.end) if graph.index(cui) < 0]
    if absent:
        who = " or ".join(named(study, cui) for cui in dict.fromkeys(absent))
        why = (
            f"the terminology does not contain {who}. Such a concept can only match exactly, never as a "
            "related one."
        )
    elif links.filtered:
        why = "not with the selected links. Try using all links."
    else:
        why = "they are in separate parts of the terminology."
    return f"No path connects {a} and {b}: {why}"


def _route(paths: Paths) -> str:
    """Which of the equally short paths is drawn, "1" to ``MOST`` or ``ALL_TOGETHER``."""
    n = len(paths.paths)
    if n == 1:
        return "1"
    together = (paths.distance or 0) <= LONGEST
    offered = [str(k) for k in range(0 if together else 1, n + 1)]
    more = f" (the first {n} of {count(paths.n_shortest)})" if paths.n_shortest > n else ""
    return select.segments(
        f"Equally short paths{more}",
        offered,
        keep=vocabulary.ROUTE,
        shown=lambda k: "All together" if k == ALL_TOGETHER else f"Path {k}",
    )


def _drawn(context: Context, links: Links, paths: Paths, *, click: Key) -> None:
    study, route = context.study, _route(paths)
    path = paths.paths[max(int(route), 1) - 1]
    along = steps(links.graph, path)
    messages.lead(md_escape(path_sentence(path, along, names=study.names, n_shortest=paths.n_shortest)))
    if route == ALL_TOGETHER:
        every = [steps(links.graph, path) for path in paths.paths]
        drawn = routes_figure(paths.paths, every, names=study.names, theme=context.theme)
    else:
        around = around_path(links.graph, path, used=used(study)) if along else ()
        drawn = path_figure(
            path, along, names=study.names, theme=context.theme, reading=context.reading, around=around
        )
    figure.show(
        context,
        drawn,
        key=f"path-{paths.start}-{paths.end}-{route}-{click}-{links.graph.digest}",
        file="path",
        clicked=lambda cui: vocabulary.put(click, str(cui)),
    )


def _in_words(context: Context, links: Links, paths: Paths) -> None:
    """Every path shown, as a chain of names with relation and source."""
    if not paths.distance:
        return
    length, shown = f"{pluralize(paths.distance, 'step')} long", len(paths.paths)
    if paths.n_shortest == 1:
        st.markdown(f"**1 shortest path**, {length}:")
    else:
        some = f"; {shown} of them:" if paths.n_shortest > shown else ":"
        st.markdown(f"**{count(paths.n_shortest)} equally short paths**, each {length}{some}")
    for path in paths.paths:
        along = steps(links.graph, path)
        chain = path_chain(path, along, names=context.study.names, reading=context.reading)
        st.markdown(f"- {md_escape(chain)}")


def _files(context: Context, links: Links, found: Paths) -> None:
    """The paths as CSV and DOT; the figure's own toolbar saves the figure."""
    names, paths = context.study.names, found.paths if found.distance else ()
    stem = f"path-{found.start}-{found.end}"
    kind = "PNG" if context.choice.plain else "SVG"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"To save the figure as {kind}, select the camera in its upper right corner.", width="stretch"
        )
        rows = path_rows(links.graph, paths, names)
        download.csv(table.studied(context, pd.DataFrame(rows, columns=list(PATH_COLUMNS))), stem)
        download.file(
            "DOT (Graphviz)",
            path_dot(links.graph, paths, names),
            f"{download.safe_file(stem)}.dot",
            "text/vnd.graphviz",
            key="path-dot",
        )


# How far is each concept of one image from each of another? Two images and a map of distances.

LISTED = 3000
"""Up to so many images are offered by name; of more, the id is typed."""
WIDTH = 260


def show_pair_images(context: Context, graph: ConceptGraph) -> None:
    """Two images side by side, and how far each concept of one is from each of the other."""
    study, settings = context.study, context.choice.settings
    if state.get(vocabulary.VIEW) == vocabulary.PATH:
        st.rerun()  # a cell was selected: its path is another view of the page
    decides = (settings.threshold, settings.direction)
    first = cache.share(("example of images", study.digest, *decides), lambda: _example(study, settings))
    left, right = st.columns(2, gap="medium")
    with left:
        a = _pick(context, "First image", vocabulary.IMAGE_A, first[0])
    with right:
        b = _pick(context, "Second image", vocabulary.IMAGE_B, first[1])
    if a is None or b is None:
        return
    rows, columns = (sorted(study.concepts.of_image(image)) for image in (a, b))
    drawn = distance_map(
        distance_table(graph, rows, columns, direction=settings.direction),
        rows,
        columns,
        titles=(study.image_ids[a], study.image_ids[b]),
        names=study.names,
        theme=context.theme,
    )
    figure.show(
        context,
        drawn,
        key=f"distance-map-{a}-{b}",
        file="distance-map",
        clicked=lambda pair: vocabulary.open_path(*map(str, pair)),
    )


def _example(study: Study, settings: Settings) -> tuple[str, str]:
    """Two images that carry related concepts, those of the most frequent one first, if there are any."""
    near = neighbours_of(study, threshold=settings.threshold, direction=settings.direction)
    concepts, ids = study.concepts, study.image_ids
    images = rows_of(concepts.indptr)
    for concept in np.argsort(-concepts.images_with, kind="stable").tolist():
        for other in near.of(concept)[0].tolist():
            one, two = (images[concepts.indices == which] for which in (concept, other))
            if len(a := np.setdiff1d(one, two)) and len(b := np.setdiff1d(two, one)):
                return ids[a[0]], ids[b[0]]
    return ids[0], ids[min(1, len(ids) - 1)]


def _pick(context: Context, label: str, key: Key, first: str) -> int | None:
    """An image by its id, drawn; None, with a message, when there is none of that id."""
    study = context.study
    if len(study.image_ids) <= LISTED:
        asked = select.one(label, study.image_ids, keep=key, first=first)
    else:
        asked = select.words(f"{label}: ID", keep=key, first=first, max_chars=200, icon=":material/search:")
    try:
        image = study.concepts.index(asked)
    except UnknownName as unknown:
        st.warning(md_escape(str(unknown), limit=400), icon=":material/link_off:")
        return None
    draw(context, image, width=WIDTH, caption=200, key=str(key))
    return image


def draw(context: Context, image: int, *, width: int, caption: int, key: str) -> None:
    """An image with the first ``caption`` characters of its caption and its concepts; ``key`` its place."""
    cards.picture(context.study, image, width=width)
    cards.words(context.study, image, caption=caption, key=key, technical=not context.choice.plain)
