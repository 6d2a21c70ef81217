"""One link between two concepts: the path, images it brings together, and a switch to leave it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.evaluate.graph_effect import WorkingPair, image_pairs_of
from evalcore.features.review.page import on_links, votes, who
from evalcore.figures.numbers import count, things
from evalcore.graph import shortest_paths, steps
from evalcore.ui.components import path
from evalcore.ui.concepts import images, keys
from evalcore.ui.concepts.vocabulary import named
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.graph import ConceptGraph, Step
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

EXAMPLES = 3
WIDTH = 170


def show(context: Context, graph: ConceptGraph, pair: WorkingPair) -> None:
    """Does this link make sense? ``graph`` is that of the study without the links left out."""
    study = context.study
    st.header("The link and its images", anchor=False)
    st.markdown(
        f"{named(study, pair.a)} – {named(study, pair.b)} brings "
        f"**{things(pair.image_pairs, 'image pair')}** closer together. If it does not make sense, leave "
        "it out and see what changes."
    )
    found = shortest_paths(graph, pair.a, pair.b, direction=context.choice.settings.direction, limit=1)
    between = found.paths[0] if found.paths else ()
    along = steps(graph, between)
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        _images(context, pair)
    with right:
        path.show(
            context, between, along, n_shortest=found.n_shortest, key=f"link-path-{pair.a}-{pair.b}",
            file="link", note=False,
        )  # fmt: skip
        if along:
            said = votes.said_in(context)
            who.invite()
            votes.failure()
            on_links.ask(context, along, said=said, key="link")
        _switches(study, along)


def _images(context: Context, pair: WorkingPair) -> None:
    """Pairs of images that the link brings together, those with few other concepts first."""
    study = context.study
    skip = int(state.carry(keys.SHOWN, 0, state.whole(0, 1_000_000)))
    found = image_pairs_of(study, pair.a, pair.b, limit=EXAMPLES, skip=skip)
    for head, cui in zip(st.columns(2, gap="small"), (pair.a, pair.b), strict=True):
        head.markdown(named(study, cui))
    for row, pictures in enumerate(found):
        for side, (column, image) in enumerate(zip(st.columns(2, gap="small"), pictures, strict=True)):
            with column, st.container(border=True):
                st.caption(md_escape(study.image_ids[image]))
                images.draw(context, image, width=WIDTH, caption=90, key=f"link-{row}-{side}")
    if not found:
        st.caption("There are no more image pairs.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Other images", icon=":material/refresh:", on_click=state.set_value, key="other-images",
            args=(keys.SHOWN, skip + EXAMPLES if found else 0),
        )  # fmt: skip
        if found:
            last = f"–{count(skip + len(found))}" if len(found) > 1 else ""
            st.caption(f"Images {count(skip + 1)}{last} carrying only one of the two")


def _switches(study: Study, along: Sequence[Step]) -> None:
    """One button per link of the path."""
    for step in along:
        a, b = (md_escape(study.name_of(cui), limit=40) for cui in (step.start, step.end))
        name = f"{step.start}-{step.end}"
        st.button(
            f"Leave out {a} – {b}", icon=":material/link_off:", key=f"off-{name}", on_click=leave_out,
            args=(name,), help="Only on this page and in its address; the study's files do not change.",
        )  # fmt: skip


def leave_out(*links: str) -> None:
    """Callback: leave links out."""
    off = list(state.get(keys.OFF) or [])
    state.set_value(keys.OFF, list(dict.fromkeys((*off, *links))))


def put_back(link: str) -> None:
    """Callback: use a link again; "" puts all back."""
    off = list(state.get(keys.OFF) or [])
    state.set_value(keys.OFF, [one for one in off if link and one != link])
