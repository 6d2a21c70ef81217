"""What lies around a concept, and how much of it does the study use?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.concepts import neighbourhood_tree, neighbourhood_tree_alt
from evalcore.figures.reading import how_to_read
from evalcore.graph.neighbourhood import MAX_STEPS, Neighbourhood, neighbourhood
from evalcore.ui import charts, concepts, messages, state, tables
from evalcore.ui.format import count, things
from evalcore.ui.text import plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.model import Study
    from evalcore.settings import Direction
    from evalcore.ui.context import Context

ROWS_SHOWN = 1000
STEPS = 2


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: picker, steps, sentence, figure, table."""
    study = context.study
    left, right = st.columns([1, 1], vertical_alignment="bottom", gap="medium")
    with left:
        first = str(state.get(state.FROM) or "") or concepts.example(study.digest, study)[0]
        cui = concepts.pick(context, "Around", state.CENTRE, first)
    with right:
        within = int(state.carry(state.WITHIN, STEPS, state.whole(1, MAX_STEPS)))
        st.segmented_control(
            "Steps away, at most", list(range(1, MAX_STEPS + 1)), required=True,
            key=state.seed(state.WITHIN, within), on_change=state.take_widget, args=(state.WITHIN,),
        )  # fmt: skip
    messages.refused(state.refused())
    if not cui:
        st.info("Choose a finding to see what lies around it.", icon=":material/hub:")
        return
    direction = context.choice.settings.direction
    found = _around(graph.digest, study.concepts.digest, cui, within, direction, study)
    messages.lead(_sentence(context, graph, found))
    _drawn(context, found)
    if found.near:
        _listed(context, found)


@st.cache_data(max_size="20MB", show_spinner=False)
def _around(
    graph: str,  # noqa: ARG001
    concept_sets: str,  # noqa: ARG001
    cui: str,
    within: int,
    direction: Direction,
    _study: Study,
) -> Neighbourhood:
    return neighbourhood(_study.graph, cui, within=within, used=concepts.used(_study), direction=direction)


def _sentence(context: Context, graph: ConceptGraph, found: Neighbourhood) -> str:
    name = concepts.named(context.study, found.cui, technical=not context.choice.plain)
    own = things(concepts.used(context.study).get(found.cui, 0), "image")
    if graph.index(found.cui) < 0:
        return f"{name} is in {own}, but the graph does not know it: it can only match exactly."
    if not found.near:
        return f"{name} is in {own}; the graph links nothing to it."
    return (
        f"{name} is in {own}. Within {things(found.within, 'step')} lie "
        f"**{things(len(found.near), 'other finding')}**, of which the study uses "
        f"**{count(sum(found.used))}**."
    )


def _drawn(context: Context, found: Neighbourhood) -> None:
    names, own = context.study.names, concepts.used(context.study).get(found.cui, 0)
    key = f"around-{found.cui}-{found.within}"
    st.plotly_chart(
        neighbourhood_tree(found, used=own, names=names, theme=context.theme), theme=None, key=key,
        config=charts.toolbar(context, "neighbourhood"),
        alt=neighbourhood_tree_alt(found, used=own, names=names),
        on_select=concepts.on_press(key, lambda cui: concepts.set_concept(state.CENTRE, str(cui))),
        selection_mode="points",
    )  # fmt: skip
    messages.how_to_read(
        f"{how_to_read('neighbourhood_tree', context.reading)} Press a mark to go on from there."
    )


def _listed(context: Context, found: Neighbourhood) -> None:
    """All of them as a table; a chosen row opens the path to it."""
    names = context.study.names
    table = pd.DataFrame(
        {
            "Finding": [plain(names.get(one.cui, one.cui)) for one in found.near],
            "CUI": [plain(one.cui) for one in found.near],
            "Steps": [one.steps for one in found.near],
            "Images": [one.used for one in found.near],
            "Is": ["more general" if one.way == "up" else "more specific" for one in found.near],
            "than": [plain(names.get(one.via, one.via)) for one in found.near],
        }
    )
    picked = st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key=f"around-table-{found.cui}-{found.within}",
        on_select="rerun", selection_mode="single-row", height=360,
        alt=f"{things(len(table), 'finding')} near the chosen one, with steps and number of images",
    )  # fmt: skip
    for row in picked["selection"]["rows"][:1]:
        _open_path(found.cui, found.near[row].cui)
    note, save = st.columns([4, 1], vertical_alignment="center")
    cut = f" The first {count(ROWS_SHOWN)} are shown; the file holds all." if len(table) > ROWS_SHOWN else ""
    note.caption(f"{things(len(table), 'finding')}, nearest first. Choose a row to see the path to it.{cut}")
    save.download_button(
        "CSV", tables.csv_safe(table), f"around-{found.cui}.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="around-csv",
    )  # fmt: skip


def _open_path(start: str, end: str) -> None:
    open_path(start, end)
    st.rerun()


def open_path(start: str, end: str) -> None:
    """Callback: show how two concepts are connected."""
    concepts.set_concept(state.FROM, start)
    concepts.set_concept(state.TO, end)
    state.set_value(state.VIEW, concepts.PATH)
