"""How far is each concept of one image from each of another? Two images and a map of distances."""

from __future__ import annotations

import streamlit as st

from evalcore.evaluate.graph_effect import image_pairs_of
from evalcore.figures.concepts import distance_map
from evalcore.graph import ConceptGraph
from evalcore.graph.distances import distance_table
from evalcore.ui.components import cards, figure, select, vocabulary
from evalcore.ui.components.vocabulary import pairs_in_use
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import UnknownName
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study
from evalcore.values.settings import Settings

LISTED = 3000
"""Up to so many images are offered by name; of more, the id is typed."""
WIDTH = 260


def show(context: Context, graph: ConceptGraph) -> None:
    """Two images side by side, and how far each concept of one is from each of the other."""
    study, settings = context.study, context.choice.settings
    st.header("Two images", anchor=False)
    first = _example(study, settings)
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
    """Two images that carry related concepts, if there are any."""
    pairs = pairs_in_use(study, settings)
    found = image_pairs_of(study, pairs[0].a, pairs[0].b, limit=1) if pairs else []
    a, b = found[0] if found else (0, min(1, len(study.image_ids) - 1))
    return study.image_ids[a], study.image_ids[b]


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
