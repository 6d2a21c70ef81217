"""What does the graph do to this study, is each of its links sensible, and what if one were left out?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.errors import InputError
from evalcore.evaluate.graph_effect import (
    GraphEffect,
    WorkingPair,
    graph_effect,
    study_without,
    working_pairs,
)
from evalcore.figures.concepts import working_pair_bars, working_pair_bars_alt
from evalcore.figures.reading import how_to_read
from evalcore.graph.links import Edge, edge_named
from evalcore.ui import charts, concepts, concepts_link, concepts_without, jobs, messages, state, tables
from evalcore.ui.format import count, number, percent, things
from evalcore.ui.shared import shared
from evalcore.ui.text import plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.model import Study
    from evalcore.settings import Settings
    from evalcore.ui.context import Context

ROWS_SHOWN = 1000


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: share of image pairs, the links at work, one of them with images, links left out."""
    study, settings = context.study, context.choice.settings
    if settings.threshold == 0:
        st.info(
            "Only identical findings count now, so the graph changes nothing. Let findings count as related "
            "from 1 step on, on the left.", icon=":material/tune:",
        )  # fmt: skip
        return
    off = _left_out(graph)
    less = _without(study.digest, tuple(link for _, link in off), study)
    whole = _effect(study, settings)
    changed = _effect(less, settings) if off else whole
    if whole is None or changed is None:
        return
    messages.lead(_sentence(whole, changed, len(off)))
    if off:
        concepts_without.left_out(study, off)
    _numbers(context, whole, changed, off)
    pairs = _pairs(less.digest, repr(settings), less, settings)
    chosen = _chosen(pairs)
    _drawn(context, pairs, chosen)
    if chosen is not None:
        concepts_link.show(context, less, pairs[chosen])
    if off:
        concepts_without.scores(context, less, len(off))
    if pairs:
        _listed(context, pairs)


def _left_out(graph: ConceptGraph) -> list[tuple[str, Edge]]:
    """The links left out now, with how the address names them; unknown ones are told and dropped."""
    told: list[str] = state.carry(state.OFF, [], lambda texts: list(dict.fromkeys(texts)))
    links, unknown = [], []
    for text in told:
        try:
            links.append((text, edge_named(graph, text)))
        except InputError:
            unknown.append(text)
    messages.refused({state.OFF: ", ".join(unknown)} if unknown else {})
    return links


@shared()
def _without(digest: str, off: tuple[Edge, ...], _study: Study) -> Study:  # noqa: ARG001
    return study_without(_study, off)


def _effect(study: Study, settings: Settings) -> GraphEffect | None:
    return jobs.run(
        f"graph-effect-{study.digest}-{settings!r}",
        lambda progress: graph_effect(study, settings=settings, progress=progress),
        label="Looking at all pairs of images",
    )


@st.cache_data(max_size="20MB", show_spinner=False)
def _pairs(digest: str, settings: str, _study: Study, _settings: Settings) -> tuple[WorkingPair, ...]:  # noqa: ARG001
    return working_pairs(_study, settings=_settings)


def _sentence(whole: GraphEffect, changed: GraphEffect, n_off: int) -> str:
    told = (
        f"The graph brings **{percent(whole.n_changed, whole.n_pairs)}** of all image pairs closer together: "
        f"{count(whole.n_changed)} of {count(whole.n_pairs)} hold findings that differ but are related."
    )
    if not n_off:
        return told
    fewer = whole.n_changed - changed.n_changed
    return (
        f"{told} Without {things(n_off, 'link')} it is **{count(changed.n_changed)}**, "
        f"{percent(fewer, whole.n_changed)} fewer."
    )


def _numbers(context: Context, whole: GraphEffect, changed: GraphEffect, off: list[tuple[str, Edge]]) -> None:
    """The four numbers behind the sentence, before and after."""
    rows = [
        ("Image pairs changed", whole.n_changed, changed.n_changed, "Pairs with a related match."),
        ("of these, nothing shared", whole.n_new, changed.n_new, "Without the graph they would score 0."),
        ("Pairs that share a finding", whole.n_related, changed.n_related, "No graph is needed for these."),
        ("Neighbouring findings", whole.n_neighbours, changed.n_neighbours,
         "Related pairs of the study's findings. Listed below are those that bring images together."),
    ]  # fmt: skip
    with st.container(horizontal=True):
        for label, before, after, help in rows:
            gap = f"{count(after - before)}" if off and after != before else None
            st.metric(label, count(after), delta=gap, delta_color="off", border=True, help=help)
        gained = changed.mean_change
        st.metric(
            "Relevance gained" if context.choice.plain else "Mean nn-IoU − IoU", number(gained), border=True,
            help=f"Average over the changed pairs, from 0 to 1, at α = {context.choice.settings.alpha:g}.",
        )  # fmt: skip
    if not context.choice.plain:
        s = context.choice.settings
        st.caption(
            f"n = {count(whole.n_images)} annotated images, all {count(whole.n_pairs)} unordered pairs "
            f"· distance ≤ {s.threshold}, {s.direction}, count rule {s.count_rule.replace('_', ' ')}"
        )


def _chosen(pairs: tuple[WorkingPair, ...]) -> int | None:
    """Position of the pair on view: that of the address, else the first."""
    told = str(state.carry(state.LINK, ""))
    at = {f"{pair.a}-{pair.b}": k for k, pair in enumerate(pairs)}
    return at.get(told, 0 if pairs else None)


def _choose(told: object) -> None:
    a, b = told if isinstance(told, (list, tuple)) else ("", "")
    state.set_value(state.LINK, f"{a}-{b}")
    state.set_value(state.SHOWN, 0)


def _drawn(context: Context, pairs: tuple[WorkingPair, ...], chosen: int | None) -> None:
    names = context.study.names
    key = f"working-{chosen}-{len(pairs)}"
    st.plotly_chart(
        working_pair_bars(pairs, names=names, theme=context.theme, selected=chosen), theme=None, key=key,
        config=charts.toolbar(context, "links"), alt=working_pair_bars_alt(pairs, names=names),
        on_select=concepts.on_press(key, _choose), selection_mode="points",
    )  # fmt: skip
    messages.how_to_read(how_to_read("working_pair_bars", context.reading))


def _listed(context: Context, pairs: tuple[WorkingPair, ...]) -> None:
    """All links at work; a chosen row is looked at."""
    names = context.study.names
    st.subheader("All links at work", anchor=False)
    table = pd.DataFrame(
        {
            "Finding": [plain(names.get(pair.a, pair.a)) for pair in pairs],
            "related to": [plain(names.get(pair.b, pair.b)) for pair in pairs],
            "Image pairs": [pair.image_pairs for pair in pairs],
            "Steps": [pair.distance for pair in pairs],
            "Images with the first": [pair.images_a for pair in pairs],
            "Images with the second": [pair.images_b for pair in pairs],
            "CUIs": [plain(f"{pair.a} {pair.b}") for pair in pairs],
        }
    )
    picked = st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key="working-table", height=320, on_select="rerun",
        selection_mode="single-row", alt=f"{things(len(table), 'pair')} of related findings with image pairs",
    )  # fmt: skip
    for row in picked["selection"]["rows"][:1]:
        if state.get(state.LINK) != f"{pairs[row].a}-{pairs[row].b}":
            _choose((pairs[row].a, pairs[row].b))
            st.rerun()
    note, save = st.columns([4, 1], vertical_alignment="center")
    note.caption("Most image pairs first. Choose a row to look at its images.")
    save.download_button(
        "CSV", tables.csv_safe(table), f"links-{context.study.digest[:8]}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", width="stretch", key="working-csv",
    )  # fmt: skip
