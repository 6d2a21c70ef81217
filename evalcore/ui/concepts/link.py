"""One link between two findings: the path, images it brings together, and a switch to leave it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.evaluate.graph_effect import WorkingPair, image_pairs_of
from evalcore.figures.numbers import count, things
from evalcore.figures.paths import path_alt, path_figure, path_sentence
from evalcore.graph import shortest_paths, steps
from evalcore.ui.components import cards, charts, tiles
from evalcore.ui.components.text import md_escape
from evalcore.ui.concepts import keys
from evalcore.ui.concepts import sections as concepts
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from evalcore.graph.links import Edge
    from evalcore.model import Study
    from evalcore.ui.frame.context import Context

EXAMPLES = 3
PICTURE = 170


def show(context: Context, less: Study, pair: WorkingPair) -> None:
    """Is this link sensible? ``less`` is the study without the links left out."""
    assert less.graph is not None, "links at work come from a graph"
    a, b = concepts.named(less, pair.a), concepts.named(less, pair.b)
    st.subheader("Is this link sensible?", anchor=False)
    st.markdown(
        f"{a} – {b}: **{things(pair.image_pairs, 'image pair')}**. Would you call an image of one related to "
        "an image of the other?"
    )
    direction = context.choice.settings.direction
    found = shortest_paths(less.graph, pair.a, pair.b, direction=direction, limit=1)
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        _images(context, less, pair)
    with right:
        path = found.paths[0] if found.paths else ()
        along = steps(less.graph, path)
        st.plotly_chart(
            path_figure(path, along, names=less.names, theme=context.theme, reading=context.reading),
            theme=None, key=f"link-path-{pair.a}-{pair.b}", config=charts.toolbar(context, "link"),
            alt=path_alt(path, along, names=less.names),
        )  # fmt: skip
        if along:
            told = path_sentence(
                path, along, names=less.names, reading=context.reading, n_shortest=found.n_shortest
            )
            st.markdown(md_escape(told))
        _switches(less, [(step.start, step.end) for step in along])


def _images(context: Context, less: Study, pair: WorkingPair) -> None:
    """Pairs of images that the link brings together, those with few other findings first."""
    skip = int(state.carry(keys.SHOWN, 0, state.whole(0, 1_000_000)))
    found = image_pairs_of(less, pair.a, pair.b, limit=EXAMPLES, skip=skip)
    heads = st.columns(2, gap="small")
    for head, cui in zip(heads, (pair.a, pair.b), strict=True):
        head.markdown(concepts.named(less, cui))
    for one, other in found:
        for column, image in zip(st.columns(2, gap="small"), (one, other), strict=True):
            with column, st.container(border=True):
                _image(context, less, image)
    if not found:
        st.caption("No further image pairs.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Other images", icon=":material/refresh:", on_click=state.set_value, key="other-images",
            args=(keys.SHOWN, skip + EXAMPLES if found else 0),
        )  # fmt: skip
        if found:
            st.caption(
                f"{count(skip + 1)} to {count(skip + len(found))} of those that hold only one of the two"
            )


def _image(context: Context, study: Study, image: int) -> None:
    picture = tiles.tile(study, image) if study.images is not None else None
    if picture is not None:
        st.image(picture, width=PICTURE, alt=cards.describe(study, image))
    st.caption(md_escape(study.image_ids[image]))
    cards.words(study, image, caption=90, technical=not context.choice.plain)


def _switches(study: Study, edges: list[Edge]) -> None:
    """One button per link of the path."""
    for a, b in edges:
        st.button(
            f"Leave out {md_escape(study.name_of(a), limit=40)} – {md_escape(study.name_of(b), limit=40)}",
            icon=":material/link_off:", key=f"off-{a}-{b}", on_click=leave_out, args=(f"{a}-{b}",),
            help="Only here and in this link's address; the study's files stay as they are.",
        )  # fmt: skip


def leave_out(link: str) -> None:
    """Callback: leave a link out."""
    off = list(state.get(keys.OFF) or [])
    state.set_value(keys.OFF, [*off, *([link] if link not in off else [])])


def put_back(link: str) -> None:
    """Callback: use a link again; "" puts all back."""
    off = list(state.get(keys.OFF) or [])
    state.set_value(keys.OFF, [one for one in off if link and one != link])
