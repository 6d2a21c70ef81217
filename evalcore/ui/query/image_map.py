"""The map of the images by a system's vectors, coloured by label or score; what is chosen in it is listed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.figures.frame import Drawn
from evalcore.figures.image_map import MOST, image_map
from evalcore.stats.projection import Plane, principal_plane, sampled, umap_plane
from evalcore.ui.components import figure, fold, messages, pair, select, table
from evalcore.ui.components.pair import Pair
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import only_where
from evalcore.ui.frame.context import Context
from evalcore.ui.query.sections import open_query
from evalcore.values.arrays import Floats, Ints
from evalcore.values.markdown import md_escape, plain
from evalcore.values.writing import arrow, count, pluralize, share

PCA, UMAP = "pca", "umap"
WAYS = {PCA: "Principal components", UMAP: "UMAP"}
SCORE_A, SCORE_B = "score:a", "score:b"
SEED = 0
FITTED = 8_000
"""Images that decide the axes at most, beside those drawn."""
FILTERED = 200
"""Images a filter may name: they stand in the address."""


def section(context: Context, a: str, b: str) -> None:
    """The map, folded; nothing where no system has vectors."""
    study = context.study
    offered = [name for name in study.systems if name in study.embeddings]
    if offered:
        inside = (pages.MAP_OF, pages.MAP_BY, pages.MAP_WAY)
        fold.section("Map of the images", _section, context, a, b, offered, keep=pages.MAP, opened_by=inside)


def _section(context: Context, a: str, b: str, offered: Sequence[str]) -> None:
    """Whose vectors, which colours, and the map."""
    study = context.study
    st.caption("Images that a system finds similar are close together. Draw around images to list them.")
    of = pair.values(context, a, b)
    colours = {name: name for name in study.label_columns}
    colours |= {SCORE_A: f"Score of A · {of.a}", SCORE_B: f"Score of B · {of.b}"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        system = select.one("Vectors of", offered, keep=pages.MAP_OF)
        by = select.one("Colour", colours, keep=pages.MAP_BY)
        way = select.one("Drawn by", WAYS, keep=pages.MAP_WAY)
    if way == UMAP and messages.missing("umap", "The map by UMAP"):
        st.caption("Principal components are shown instead.")
        way = PCA
    _map(context, of, system, by, way)


@state.fragment()
def _map(context: Context, of: Pair, system: str, by: str, way: str) -> None:
    """The figure, and below it the images chosen in it. A fragment: choosing draws this part only."""
    study, images = context.study, sampled(context.study.queries, MOST, seed=SEED)
    plane = cache.share(
        ("plane", study.content, study.embeddings[system].digest, study.queries.tobytes(), way),
        partial(_plane, context, system, way),
        spinner="Placing the images",
    )
    here = np.isin(plane.images, images)
    result, places = plane.images[here], plane.places[here]
    key = f"map-{study.content[:8]}-{system}-{by}-{way}"
    drawn = _drawn(context, of, system, by, plane, result, places)
    figure.show(context, drawn, key=key, file="map", lasso=True)
    _chosen(context, of, [str(one) for one in figure.carried(key)])


def _plane(context: Context, system: str, way: str) -> Plane:
    """Principal components of the images of the study, or a sample and those drawn; UMAP of those drawn."""
    study = context.study
    vectors, drawn = study.embeddings[system], sampled(study.queries, MOST, seed=SEED)
    if way == UMAP:
        return umap_plane(vectors, drawn, seed=SEED)
    every = np.arange(len(study.image_ids), dtype=np.int32)
    return principal_plane(vectors, np.union1d(sampled(every, FITTED, seed=SEED), drawn))


def _drawn(
    context: Context, of: Pair, system: str, by: str, plane: Plane, result: Ints, places: Floats
) -> Drawn:
    study = context.study
    ids = [study.image_ids[i] for i in result]
    axes: tuple[str, str] = ("", "")
    if plane.explained is not None:
        one, two = (share(of_all) for of_all in plane.explained)
        axes = f"component 1: {one} of the variance", f"component 2: {two} of the variance"
    note = _note(context, plane, len(result))
    draw = partial(image_map, ids, places, system=system, axes=axes, note=note, theme=context.theme)
    if by in (SCORE_A, SCORE_B):
        name, values = (of.a, of.values_a) if by == SCORE_A else (of.b, of.values_b)
        at = np.searchsorted(of.queries, result)
        return draw(by=f"{context.choice.metric_shown} of {name}", values=values[at])
    column = study.label_columns[by]
    return draw(by=by, labels=[column.of_image(int(i)) for i in result])


def _note(context: Context, plane: Plane, n: int) -> str:
    """How many queries are drawn, by which sample, how many have no vector, and what the axes come from."""
    asked = context.study.queries
    drawn = min(len(asked), MOST)
    parts = [pluralize(n, "query")]
    if drawn < len(asked):
        parts.append(f"drawn at random of {count(len(asked))} (seed {SEED})")
    if n < drawn:
        parts.append(f"{count(drawn - n)} without a vector")
    if plane.explained is not None:
        parts.append(f"axes from {pluralize(len(plane.images), 'image')}")
    return " · ".join(parts)


def _chosen(context: Context, of: Pair, names: list[str]) -> None:
    """The images chosen in the map; a chosen row opens the query above."""
    if not names:
        st.caption("No image is selected: drag in the map to draw around some, or select one.")
        return
    study = context.study
    ids = study.image_ids
    at = {ids[q]: place for place, q in enumerate(of.queries)}
    names = sorted(at.keys() & names)
    rows = [at[name] for name in names]
    frame = pd.DataFrame(
        {
            "Query": [plain(name) for name in names],
            f"A {plain(of.a)} {arrow(of.lower_is_better)}": of.values_a[rows],
            f"B {plain(of.b)} {arrow(of.lower_is_better)}": of.values_b[rows],
        }
    )
    if study.captions:
        frame["Caption"] = [plain(study.caption_of(q) or "") for q in of.queries[rows]]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{pluralize(len(names), 'image')} selected.** Select a row to open it above.", width="content"
        )
        if len(names) <= FILTERED and not any(";" in name for name in names):
            st.button(
                "Only these queries",
                key="map-filter",
                icon=":material/filter_alt:",
                on_click=only_where,
                args=(f"id={';'.join(names)}",),
                help="Adds them to the filter, on every page.",
            )
    picked = table.show(
        frame,
        key="map-chosen",
        file=context.stem("chosen-images"),
        choose=True,
        note=f"Scores: {md_escape(context.choice.metric_shown)}.",
        columns=table.numbers("%.3f", *frame.columns[1:3]),
        alt=f"{pluralize(len(names), 'image')} selected in the map, with the scores of A and B",
    )
    if picked is not None and state.get(pages.QUERY) != names[picked]:
        open_query(names[picked])
        st.rerun("app")
