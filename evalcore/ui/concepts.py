"""The Concepts page: how two concepts are connected, what surrounds them, what the terminology covers."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from evalcore.figures.graph import around_figure, path_figure
from evalcore.figures.words import path_chain, path_sentence
from evalcore.graph import ConceptGraph, Paths, shortest_paths, steps
from evalcore.graph.distances import DistanceCounts, distance_counts
from evalcore.graph.neighbourhood import MAX_STEPS, Neighbourhood, neighbourhood
from evalcore.graph.paths import PATH_COLUMNS, path_rows
from evalcore.results.rows import Table, placed
from evalcore.results.study import distances_table, near_table
from evalcore.ui.components import download, figure, fold, messages, select, table, vocabulary
from evalcore.ui.components.vocabulary import example, named, used
from evalcore.ui.frame import cache, jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.concept_scheme import id_word
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, percent, pluralize

MOST = 5
"""Equally short paths shown; their number is always given."""


def show(context: Context) -> None:
    """The page; without a graph, what it would show and the way there."""
    graph = context.study.graph
    if graph is None:
        messages.empty(
            "Paths between concepts.",
            "This study has no concept graph, so nothing connects its concepts. "
            "Add a file of links (child, parent) on the Data page.",
            label="Add a graph",
            key="no-graph",
        )
        return
    start, end = _ends(context.study)
    if not start or not end:
        st.info("Select two concepts to see how they are connected.", icon=":material/route:")
    else:
        _connected(context, graph, start, end)
    if start:
        title = f"What surrounds {md_escape(context.study.name_of(start), limit=60)}"
        fold.section(title, _surroundings, context, graph, start, param=vocabulary.NEAR)
    fold.section("What the terminology covers", _coverage, context, graph, param=vocabulary.COVERED)


def _ends(study: Study) -> tuple[str, str]:
    """From and to, with a button between them that swaps both."""
    first = example(study)
    left, middle, right = st.columns([1, 0.12, 1], vertical_alignment="bottom", gap="small")
    with left:
        start = vocabulary.pick(study, "From", vocabulary.FROM, first[0])
    with right:
        end = vocabulary.pick(study, "To", vocabulary.TO, first[1])
    middle.button(
        "Swap",
        icon=":material/swap_horiz:",
        on_click=vocabulary.open_path,
        args=(end, start),
        key="swap-ends",
        help="Swap start and end",
        width="stretch",
    )
    return start, end


# How are two concepts connected? The path with its neighbours, its equals, and files of it.


def _connected(context: Context, graph: ConceptGraph, start: str, end: str) -> None:
    """Sentence, figure, and below it what a click sets; the rest is folded."""
    drawn_here, direction = st.container(), context.choice.settings.direction
    sets = {"Start": vocabulary.FROM, "End": vocabulary.TO}
    click = st.segmented_control(
        "Select a box to set it as", list(sets), default="End", required=True, key="click_sets"
    )
    result = cache.cached(
        ("paths", graph.digest, start, end, direction),
        lambda: shortest_paths(graph, start, end, direction=direction, limit=MOST),
    )
    with drawn_here:
        if not result.paths:
            messages.headline(_no_path(context.study, result, graph))
            return
        _drawn(context, graph, result, click=sets[str(click)])
    if result.distance:
        n = result.n_shortest
        title = f"{'The path' if n == 1 else f'All {n:,} paths'} in words, and as a file"
        fold.section(title, _in_words, context, graph, result, param=vocabulary.CHAINS)


def _no_path(study: Study, paths: Paths, graph: ConceptGraph) -> str:
    """Why there is none, as far as can be said."""
    a, b = (named(study, cui, technical=True) for cui in (paths.start, paths.end))
    absent = [cui for cui in (paths.start, paths.end) if graph.index(cui) < 0]
    if absent:
        who = " or ".join(named(study, cui) for cui in dict.fromkeys(absent))
        why = (
            f"the terminology does not contain {who}. Such a concept can only match exactly, never as a "
            "related one."
        )
    else:
        why = "they are in separate parts of the terminology."
    return f"No path connects {a} and {b}: {why}"


def _drawn(context: Context, graph: ConceptGraph, paths: Paths, *, click: Key) -> None:
    study, route = context.study, _route(paths)
    path = paths.paths[route - 1]
    along = steps(graph, path)
    look: Any = {"names": study.names, "theme": context.theme}
    if along:
        text = path_sentence(path, along, names=study.names, n_shortest=paths.n_shortest)
        messages.headline(md_escape(text))
        drawn = path_figure(path, along, reading=context.reading, **look)
    else:
        around = _neighbourhood(context, graph, path[0], 1)
        messages.headline(_about(context, graph, around))
        drawn = around_figure(path[0], around.near, **look)
    figure.show(
        context,
        drawn,
        key=f"path-{paths.start}-{paths.end}-{route}-{click}-{graph.digest}",
        file="path",
        clicked=lambda cui: vocabulary.select_concept(click, str(cui)),
    )


def _route(paths: Paths) -> int:
    """Which of the equally short paths is drawn, from 1."""
    n = len(paths.paths)
    if n == 1:
        return 1
    more = f" (the first {n} of {paths.n_shortest:,})" if paths.n_shortest > n else ""
    offered = {str(k): f"Path {k}" for k in range(1, n + 1)}
    return int(select.segments(f"Equally short paths{more}", offered, param=vocabulary.ROUTE))


def _in_words(context: Context, graph: ConceptGraph, paths: Paths) -> None:
    """Every path shown, as a chain of names with relation and source, and as files."""
    length, shown = f"{pluralize(paths.distance or 0, 'step')} long", len(paths.paths)
    if paths.n_shortest == 1:
        st.markdown(f"**1 shortest path**, {length}:")
    else:
        some = f"; {shown} of them:" if paths.n_shortest > shown else ":"
        st.markdown(f"**{paths.n_shortest:,} equally short paths**, each {length}{some}")
    names = context.study.names
    for path in paths.paths:
        chain = path_chain(path, steps(graph, path), names=names, reading=context.reading)
        st.markdown(f"- {md_escape(chain)}")
    stem = f"path-{paths.start}-{paths.end}"
    rows = path_rows(graph, paths.paths, names)
    download.csv(table.in_file(context, Table(rows, placed(*PATH_COLUMNS)), table.studied), stem)


# What lies around a concept, and how much of it does the study use?


def _surroundings(context: Context, graph: ConceptGraph, cui: str) -> None:
    """All concepts within a few steps, in a sentence and a table; a selected row opens the path to it."""
    offered = [str(k) for k in range(1, MAX_STEPS + 1)]
    within = int(select.segments("Maximum number of steps", offered, param=vocabulary.WITHIN, first="2"))
    result = _neighbourhood(context, graph, cui, within)
    st.markdown(_about(context, graph, result))
    if not result.near:
        return
    concepts = pluralize(len(result.near), "concept")
    row = table.results_table(
        context,
        near_table(context.study, result, id_word(context.study.scheme)),
        key=f"around-table-{cui}-{within}",
        file=f"around-{cui}",
        alt=f"{concepts} near the selected one, with steps and number of images",
        choose=True,
        height=360,
        note=f"{concepts}, nearest first. Select a row to see the path to it.",
    )
    if row is not None:
        vocabulary.open_path(cui, result.near[row].cui)
        st.rerun()


def _neighbourhood(context: Context, graph: ConceptGraph, cui: str, within: int) -> Neighbourhood:
    study, direction = context.study, context.choice.settings.direction
    return cache.cached(
        ("around", graph.digest, study.concepts.digest, cui, within, direction),
        lambda: neighbourhood(graph, cui, within=within, used=used(study), direction=direction),
    )


def _about(context: Context, graph: ConceptGraph, around: Neighbourhood) -> str:
    """In how many images a concept is, and how many others are near; Markdown."""
    study = context.study
    name = named(study, around.cui, technical=not context.choice.plain)
    where = f"{name} occurs in {pluralize(used(study).get(around.cui, 0), 'image')}"
    if graph.index(around.cui) < 0:
        return f"{where} but is not in the terminology, so it can only match exactly."
    n, n_used = len(around.near), sum(around.used)
    if not n:
        return f"{where}. The terminology links nothing to it."
    return (
        f"{where}. Within {pluralize(around.within, 'step')} there {'is' if n == 1 else 'are'} "
        f"**{pluralize(n, 'other concept')}**, of which **{n_used:,}** "
        f"{'occurs' if n_used == 1 else 'occur'} in this study."
    )


# What does the terminology cover? How far apart the study's concepts are, and which it does not contain.


def _coverage(context: Context, graph: ConceptGraph) -> None:
    study, settings = context.study, context.choice.settings
    times = np.array(list(used(study).values()), np.int64)
    result = jobs.run(
        f"distances-{study.concepts.digest}-{graph.digest}-{settings.direction}",
        lambda progress: distance_counts(
            graph, list(used(study)), times, direction=settings.direction, progress=progress
        ),
        label="Measuring all distances",
        shared=True,
    )
    if result is None:
        return
    st.markdown(_covered(result))
    table.results_table(
        context,
        distances_table(result),
        key="distances",
        file="distances",
        about=table.studied,
        alt="Pairs of concepts by the number of steps between them",
    )


def _covered(counts: DistanceCounts) -> str:
    connected = int(counts.pairs.sum())
    contains = (
        f"The terminology contains **{counts.n_known:,}** of {pluralize(counts.n_concepts, 'concept')}."
    )
    if not connected:
        return f"{contains} No two of them are connected."
    half = int(np.searchsorted(np.cumsum(counts.pairs), connected / 2))
    return (
        f"{contains} Half of the connected pairs are at most **{pluralize(half, 'step')}** apart; "
        f"**{percent(int(counts.pairs[1]), connected)}** are direct neighbours."
    )
