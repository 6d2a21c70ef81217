"""The views of the Concepts page, and the way to one of them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from evalcore.figures.concepts import distance_bars, neighbourhood_tree
from evalcore.figures.concepts.kinds import half_within
from evalcore.graph import ConceptGraph
from evalcore.graph.distances import DistanceCounts, distance_counts
from evalcore.graph.neighbourhood import MAX_STEPS, Neighbourhood, neighbourhood
from evalcore.results.graph import distances_table, near_table
from evalcore.ui.components import download, figure, fold, messages, select, table, vocabulary
from evalcore.ui.components.vocabulary import example, named, used
from evalcore.ui.concepts import path
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.values.concept_scheme import id_word
from evalcore.values.writing import count, percent, pluralize

# What lies around a concept, and how much of it does the study use?

STEPS = "2"


def show_around(context: Context, graph: ConceptGraph) -> None:
    """The whole view: picker, steps, sentence, figure, table."""
    study = context.study
    left, right = st.columns([1, 1], vertical_alignment="bottom", gap="medium")
    with left:
        first = str(state.get(vocabulary.FROM) or "") or example(study)[0]
        cui = vocabulary.pick(study, "Concept", vocabulary.CENTRE, first)
    with right:
        steps = [str(k) for k in range(1, MAX_STEPS + 1)]
        within = int(select.segments("Maximum number of steps", steps, keep=vocabulary.WITHIN, first=STEPS))
    if not cui:
        st.info("Select a concept to see what surrounds it.", icon=":material/hub:")
        return
    direction = context.choice.settings.direction
    result = cache.share(
        ("around", graph.digest, study.concepts.digest, cui, within, direction),
        lambda: neighbourhood(graph, cui, within=within, used=used(study), direction=direction),
    )
    own = used(study).get(cui, 0)
    messages.lead(_around_sentence(context, graph, result, own))
    figure.show(
        context,
        neighbourhood_tree(result, used=own, names=study.names, theme=context.theme),
        key=f"around-{cui}-{within}",
        file="neighbourhood",
        square=True,
        clicked=lambda other: vocabulary.put(vocabulary.CENTRE, str(other)),
    )
    if result.near:
        title = f"All {pluralize(len(result.near), 'concept')}, as a table"
        fold.section(title, _listed, context, result, keep=vocabulary.NEAR, icon=":material/table:")


def _around_sentence(context: Context, graph: ConceptGraph, found: Neighbourhood, own: int) -> str:
    name = named(context.study, found.cui, technical=not context.choice.plain)
    where = f"{name} occurs in {pluralize(own, 'image')}"
    if graph.index(found.cui) < 0:
        return f"{where} but is not in the terminology, so it can only match exactly."
    if not found.near:
        return f"{where}. The terminology links nothing to it."
    return (
        f"{where}. Within {pluralize(found.within, 'step')} there "
        f"{'is' if len(found.near) == 1 else 'are'} **{pluralize(len(found.near), 'other concept')}**, of "
        "which "
        f"**{count(sum(found.used))}** {'occurs' if sum(found.used) == 1 else 'occur'} in this study."
    )


def _listed(context: Context, found: Neighbourhood) -> None:
    """All of them as a table; a selected row opens the path to it."""
    concepts = pluralize(len(found.near), "concept")
    row = table.declared(
        context,
        near_table(context.study, found, id_word(context.study.scheme)),
        key=f"around-table-{found.cui}-{found.within}",
        file=f"around-{found.cui}",
        alt=f"{concepts} near the selected one, with steps and number of images",
        choose=True,
        height=360,
        note=f"{concepts}, nearest first. Select a row to see the path to it.",
    )
    if row is not None:
        vocabulary.open_path(found.cui, found.near[row].cui)
        st.rerun()


# How far apart are the study's concepts?


def show_distances(context: Context, graph: ConceptGraph) -> None:
    """Steps between all pairs of the study's concepts, then between those of two images."""
    _everywhere(context, graph)
    fold.section(
        "How far apart are the concepts of two images?",
        path.show_pair_images,
        context,
        graph,
        keep=vocabulary.TWO_IMAGES,
        opened_by=(vocabulary.IMAGE_A, vocabulary.IMAGE_B),
        icon=":material/grid_on:",
    )


def _everywhere(context: Context, graph: ConceptGraph) -> None:
    study, settings = context.study, context.choice.settings
    cuis = used(study)
    times = np.array(list(cuis.values()), np.int64)
    result = jobs.run(
        f"distances-{study.concepts.digest}-{graph.digest}-{settings.direction}",
        lambda progress: distance_counts(
            graph, list(cuis), times, direction=settings.direction, progress=progress
        ),
        label="Measuring all distances",
        shared=True,
    )
    if result is None:
        return
    sentence = st.container()
    weighted = select.switch(
        "Give frequent concepts more weight",
        keep=vocabulary.WEIGHTED,
        help="Each pair of concepts counts once for every image with the one and every image with the other.",
    )
    with sentence:
        messages.lead(_sentence(result, weighted=weighted))
    drawn = distance_bars(result, weighted=weighted, theme=context.theme, threshold=settings.threshold)
    figure.show(context, drawn, key="distance-bars", file="distances")
    rows = table.in_file(context, distances_table(result), about=table.studied)
    download.csv(rows, context.stem("distances"))


def _sentence(counts: DistanceCounts, *, weighted: bool) -> str:
    by_steps, _, _ = counts.of(weighted=weighted)
    connected = int(by_steps.sum())
    if not connected:
        return "No two concepts of this study are connected in the terminology."
    near = int(by_steps[1]) if len(by_steps) > 1 else 0
    weights = "With more weight on frequent concepts, half" if weighted else "Half"
    return (
        f"{weights} of the connected pairs of concepts are at most "
        f"**{pluralize(half_within(by_steps), 'step')}** apart; **{percent(near, connected)}** are direct "
        f"neighbours. The terminology contains **{count(counts.n_known)}** of "
        f"{pluralize(counts.n_concepts, 'concept')}."
    )


VIEWS = {
    vocabulary.PATH: ("Path", path.show),
    vocabulary.AROUND: ("Around a concept", show_around),
    vocabulary.DISTANCES: ("Distances", show_distances),
}
"""{as the address names it: as the screen does, and what draws it}."""


def show(context: Context) -> None:
    """The view that is selected; without a graph, what this page would show and the way there."""
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
    called = {view: words for view, (words, _) in VIEWS.items()}
    view = select.segments("View", called, keep=vocabulary.VIEW, label_visibility="collapsed")
    VIEWS[view][1](context, graph)
