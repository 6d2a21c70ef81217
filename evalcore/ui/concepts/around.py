"""What lies around a concept, and how much of it does the study use?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.concepts import neighbourhood_tree
from evalcore.figures.numbers import count, things
from evalcore.graph.neighbourhood import MAX_STEPS, Neighbourhood, neighbourhood
from evalcore.ui.components import figure, messages, select, table, tidy
from evalcore.ui.concepts import keys, picker
from evalcore.ui.concepts.vocabulary import example, named, used
from evalcore.ui.frame import cache, state
from evalcore.values.concept_scheme import id_word
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.ui.frame.context import Context

STEPS = "2"


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: picker, steps, sentence, figure, table."""
    study = context.study
    left, right = st.columns([1, 1], vertical_alignment="bottom", gap="medium")
    with left:
        first = str(state.get(keys.FROM) or "") or example(study)[0]
        cui = picker.pick(study, "Concept", keys.CENTRE, first)
    with right:
        steps = [str(k) for k in range(1, MAX_STEPS + 1)]
        within = int(select.segments("Maximum number of steps", steps, keep=keys.WITHIN, first=STEPS))
    if not cui:
        st.info("Select a concept to see what surrounds it.", icon=":material/hub:")
        return
    direction = context.choice.settings.direction
    found = cache.share(
        ("around", graph.digest, study.concepts.digest, cui, within, direction),
        lambda: neighbourhood(graph, cui, within=within, used=used(study), direction=direction),
    )
    own = used(study).get(cui, 0)
    messages.lead(_sentence(context, graph, found, own))
    figure.show(
        context, neighbourhood_tree(found, used=own, names=study.names, theme=context.theme),
        key=f"around-{cui}-{within}", file="neighbourhood", square=True,
        clicked=lambda other: picker.put(keys.CENTRE, str(other)),
    )  # fmt: skip
    if found.near:
        _listed(context, found)


def _sentence(context: Context, graph: ConceptGraph, found: Neighbourhood, own: int) -> str:
    name = named(context.study, found.cui, technical=not context.choice.plain)
    where = f"{name} occurs in {things(own, 'image')}"
    if graph.index(found.cui) < 0:
        return f"{where} but is not in the terminology, so it can only match exactly."
    if not found.near:
        return f"{where}. The terminology links nothing to it."
    return (
        f"{where}. Within {things(found.within, 'step')} there "
        f"{'is' if len(found.near) == 1 else 'are'} **{things(len(found.near), 'other concept')}**, of which "
        f"**{count(sum(found.used))}** {'occurs' if sum(found.used) == 1 else 'occur'} in this study."
    )


def _listed(context: Context, found: Neighbourhood) -> None:
    """All of them as a table; a selected row opens the path to it."""
    names = context.study.names
    rows = pd.DataFrame(
        {
            "Concept": [plain(names.get(one.cui, one.cui)) for one in found.near],
            id_word(context.study.scheme): [plain(one.cui) for one in found.near],
            "Steps": [one.steps for one in found.near],
            "Images": [one.used for one in found.near],
            "Relation": ["more general" if one.way == "up" else "more specific" for one in found.near],
            "Compared with": [plain(names.get(one.via, one.via)) for one in found.near],
        }
    )
    concepts = things(len(rows), "concept")
    row = table.show(
        rows, key=f"around-table-{found.cui}-{found.within}", file=f"around-{found.cui}",
        saved=tidy.studied(context, _tidy(context, found)),
        alt=f"{concepts} near the selected one, with steps and number of images", choose=True, height=360,
        note=f"{concepts}, nearest first. Select a row to see the path to it.",
    )  # fmt: skip
    if row is not None:
        picker.open_path(found.cui, found.near[row].cui)
        st.rerun()


def _tidy(context: Context, found: Neighbourhood) -> pd.DataFrame:
    """One row per concept near the chosen one, for the file."""
    names = context.study.names
    return pd.DataFrame(
        [
            {
                "cui": found.cui, "near": one.cui, "name": names.get(one.cui, ""), "distance": one.steps,
                "images": one.used, "way": one.way, "via": one.via, "within": found.within,
            }
            for one in found.near
        ]
    )  # fmt: skip
