"""What does the graph do to this study, does each of its links make sense, and what if one were left out?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.graph_effect import GraphEffect, WorkingPair, graph_effect, study_without
from evalcore.figures.concepts import working_pair_bars
from evalcore.figures.numbers import all_things, count, number, percent, things
from evalcore.graph.links import Edge, edge_named
from evalcore.ui.components import figure, messages, table, tidy
from evalcore.ui.concepts import keys, link, without
from evalcore.ui.concepts.vocabulary import pairs_in_use
from evalcore.ui.frame import cache, jobs, state
from evalcore.values.concept_scheme import id_word
from evalcore.values.errors import InputError
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: share of image pairs, the links in use, one of them with images, links left out."""
    study, settings = context.study, context.choice.settings
    if settings.threshold == 0:
        st.info(
            "Only identical concepts count at this setting, so the terminology changes nothing. In the "
            "sidebar, set the maximum distance for “related” to 1 or more.", icon=":material/tune:",
        )  # fmt: skip
        return
    off = _left_out(graph)
    edges = tuple(edge for _, edge in off)
    less = cache.share(("without", study.digest, edges), lambda: study_without(study, edges))
    whole = _effect(study, settings)
    changed = _effect(less, settings) if off else whole
    if whole is None or changed is None:
        return
    messages.lead(_sentence(whole, changed, len(off)))
    without.judged(context, graph, {text for text, _ in off})
    if off:
        without.left_out(study, off)
    _numbers(context, whole, changed)
    pairs = pairs_in_use(less, settings)
    chosen = _chosen(pairs)
    drawn = working_pair_bars(pairs, names=study.names, theme=context.theme, selected=chosen)
    figure.show(context, drawn, key=f"working-{chosen}-{len(pairs)}", file="links", clicked=_choose)
    if chosen is not None and less.graph is not None:
        link.show(context, less.graph, pairs[chosen])
    if off:
        without.scores(context, less, len(off))
    if pairs:
        _listed(context, pairs)


def _left_out(graph: ConceptGraph) -> list[tuple[str, Edge]]:
    """The links left out now, with how the address names them; unknown ones are reported and dropped."""
    links, unknown = [], []
    for text in state.carry(keys.OFF, [], lambda texts: list(dict.fromkeys(texts))):
        try:
            links.append((text, edge_named(graph, text)))
        except InputError:
            unknown.append(text)
    messages.refused({keys.OFF: ", ".join(unknown)} if unknown else {})
    return links


def _effect(study: Study, settings: Settings) -> GraphEffect | None:
    return jobs.run(
        f"graph-effect-{study.digest}-{settings!r}",
        lambda progress: graph_effect(study, settings=settings, progress=progress),
        label="Comparing all pairs of images",
    )


def _sentence(whole: GraphEffect, changed: GraphEffect, n_off: int) -> str:
    all_links = (
        f"The terminology brings **{percent(whole.n_changed, whole.n_pairs)}** of all image pairs closer "
        f"together: {count(whole.n_changed)} of {count(whole.n_pairs)} carry concepts that differ but are "
        "related."
    )
    if not n_off:
        return all_links
    fewer = percent(whole.n_changed - changed.n_changed, whole.n_changed)
    links = "the link" if n_off == 1 else f"the {things(n_off, 'link')}"
    return f"{all_links} Without {links} left out there are **{count(changed.n_changed)}**, {fewer} fewer."


def _numbers(context: Context, whole: GraphEffect, changed: GraphEffect) -> None:
    """The numbers behind the sentence; where links are left out, how much each differs."""
    rows = [
        ("Image pairs changed", whole.n_changed, changed.n_changed,
         "Image pairs with at least one related match."),
        ("Of these, nothing shared", whole.n_new, changed.n_new,
         "Without the terminology they would score 0."),
        ("Pairs sharing a concept", whole.n_related, changed.n_related, "These need no terminology."),
        ("Related concept pairs", whole.n_neighbours, changed.n_neighbours,
         "Pairs of this study's concepts that count as related. Those that bring images together are listed "
         "below."),
    ]  # fmt: skip
    settings = context.choice.settings
    with st.container(horizontal=True):
        for label, before, after, meaning in rows:
            gap = count(after - before) if after != before else None
            st.metric(label, count(after), delta=gap, delta_color="off", border=True, help=meaning)
        st.metric(
            "Relevance gained" if context.choice.plain else "Mean nn-IoU − IoU", number(changed.mean_change),
            border=True, help=f"Average over the changed pairs, from 0 to 1, at α = {settings.alpha:g}.",
        )  # fmt: skip
    if not context.choice.plain:
        st.caption(
            f"n = {things(whole.n_images, 'annotated image')}, {all_things(whole.n_pairs, 'unordered pair')} "
            f"· distance ≤ {settings.threshold}, {settings.direction}, "
            f"count rule {settings.count_rule.replace('_', ' ')}"
        )


def _name(pair: WorkingPair) -> str:
    """A pair as the address names it."""
    return f"{pair.a}-{pair.b}"


def _chosen(pairs: tuple[WorkingPair, ...]) -> int | None:
    """Position of the pair on view: that of the address, else the first."""
    asked = str(state.carry(keys.LINK, ""))
    return next((k for k, pair in enumerate(pairs) if _name(pair) == asked), 0 if pairs else None)


def _choose(ends: tuple[str, str]) -> None:
    state.set_value(keys.LINK, "-".join(ends))
    state.set_value(keys.SHOWN, 0)


def _listed(context: Context, pairs: tuple[WorkingPair, ...]) -> None:
    """All links in use; a selected row is looked at."""
    names = context.study.names
    st.header("Links in use", anchor=False)
    rows = pd.DataFrame(
        {
            "Concept": [plain(names.get(pair.a, pair.a)) for pair in pairs],
            "Related to": [plain(names.get(pair.b, pair.b)) for pair in pairs],
            "Image pairs": [pair.image_pairs for pair in pairs],
            "Steps": [pair.distance for pair in pairs],
            "Images with the first concept": [pair.images_a for pair in pairs],
            "Images with the second concept": [pair.images_b for pair in pairs],
            f"{id_word(context.study.scheme)}s": [plain(f"{pair.a} {pair.b}") for pair in pairs],
        }
    )
    row = table.show(
        rows, key="working-table", file=context.stem("links"), choose=True, height=320,
        saved=tidy.studied(context, _tidy(context, pairs)),
        alt=f"{things(len(rows), 'pair')} of related concepts with their image pairs",
        note="Most image pairs first. Select a row to see its images.",
    )  # fmt: skip
    if row is not None and state.get(keys.LINK) != _name(pairs[row]):
        _choose((pairs[row].a, pairs[row].b))
        st.rerun()


def _tidy(context: Context, pairs: tuple[WorkingPair, ...]) -> pd.DataFrame:
    """One row per link in use, for the file."""
    names = context.study.names
    return pd.DataFrame(
        [
            {
                "cui_a": pair.a, "name_a": names.get(pair.a, ""), "cui_b": pair.b,
                "name_b": names.get(pair.b, ""), "distance": pair.distance, "image_pairs": pair.image_pairs,
                "images_a": pair.images_a, "images_b": pair.images_b,
                "count_rule": context.choice.settings.count_rule,
            }
            for pair in pairs
        ]
    )  # fmt: skip
