"""How far apart are the study's concepts, and those of two images?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore.errors import UnknownName
from evalcore.evaluate.graph_effect import image_pairs_of, working_pairs
from evalcore.figures.concepts import distance_bars, distance_bars_alt, distance_map, distance_map_alt
from evalcore.figures.reading import how_to_read
from evalcore.graph.distances import DistanceCounts, distance_counts, distance_table
from evalcore.ui import cards, charts, concepts, jobs, messages, state, tables, tiles
from evalcore.ui.concepts_around import open_path
from evalcore.ui.format import count, percent
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.model import Study
    from evalcore.settings import Settings
    from evalcore.ui.context import Context

LISTED = 3000
"""Up to so many images are offered by name; of more, the id is typed."""


def histogram(context: Context, graph: ConceptGraph) -> None:
    """Steps between all pairs of the study's concepts."""
    study, direction = context.study, context.choice.settings.direction
    images = concepts.used(study)
    times = np.array(list(images.values()), np.int64)
    found = jobs.run(
        f"distances-{study.concepts.digest}-{graph.digest}-{direction}",
        lambda progress: distance_counts(graph, list(images), times, direction=direction, progress=progress),
        label="Measuring all distances",
    )
    if found is None:
        return
    sentence = st.container()
    weighted = state.carry(state.WEIGHTED, "no", state.one_of("yes", "no")) == "yes"
    st.toggle(
        "Count frequent findings more", key=state.seed("weighted_on", weighted), on_change=_take_weighted,
        help="Each pair of findings counts once for every two images that hold them.",
    )  # fmt: skip
    with sentence:
        messages.lead(_sentence(found, weighted=weighted))
    st.plotly_chart(
        distance_bars(
            found, weighted=weighted, theme=context.theme, threshold=context.choice.settings.threshold
        ),
        theme=None, key="distance-bars", config=charts.toolbar(context, "distances"),
        alt=distance_bars_alt(found, weighted=weighted),
    )  # fmt: skip
    messages.how_to_read(how_to_read("distance_bars", context.reading))
    rows = [(str(d), int(found.pairs[d]), int(found.weighted[d])) for d in range(1, len(found.pairs))]
    rows += [("no path", *found.no_path), ("not in the graph", *found.not_in_graph)]
    st.download_button(
        "CSV", tables.csv_of(("distance", "pairs", "weighted"), rows), f"distances-{study.digest[:8]}.csv",
        "text/csv", icon=":material/download:", on_click="ignore", key="distances-csv",
    )  # fmt: skip


def _take_weighted() -> None:
    state.set_value(state.WEIGHTED, "yes" if st.session_state["weighted_on"] else "no")


def _sentence(found: DistanceCounts, *, weighted: bool) -> str:
    by_steps, _, _ = found.of(weighted=weighted)
    connected = int(by_steps.sum())
    if not connected:
        return "No two findings of this study are connected in the graph."
    middle = int(np.searchsorted(np.cumsum(by_steps), connected / 2))
    near = int(by_steps[1]) if len(by_steps) > 1 else 0
    whose = (
        "With frequent findings counted more, half"
        if weighted
        else "Of the findings that are connected, half"
    )
    return (
        f"{whose} lie at most **{middle} steps** apart; "
        f"**{percent(near, connected)}** are direct neighbours. The graph knows **{count(found.n_known)}** "
        f"of {count(found.n_concepts)} findings."
    )


# --------------------------------------------------------------------------- two images


def two_images(context: Context, graph: ConceptGraph) -> None:
    """Two images side by side, and how far each finding of one is from each of the other."""
    study = context.study
    st.subheader("Two images", anchor=False)
    first = _example(study.digest, repr(context.choice.settings), study, context.choice.settings)
    columns = st.columns(2, gap="medium")
    chosen = []
    for column, label, key, default in zip(
        columns, ("First image", "Second image"), (state.IMAGE_A, state.IMAGE_B), first, strict=True
    ):
        with column:
            image = _image(context, label, key, default)
            chosen.append(image)
            if image is not None:
                _seen(context, image)
    messages.refused(state.refused())
    a, b = chosen
    if a is None or b is None:
        return
    _map(context, graph, a, b)


@st.cache_data(max_size="1MB", show_spinner=False)
def _example(digest: str, settings: str, _study: Study, _settings: Settings) -> tuple[str, str]:  # noqa: ARG001
    """Two images that hold related findings, if there are any."""
    pairs = working_pairs(_study, settings=_settings)
    found = image_pairs_of(_study, pairs[0].a, pairs[0].b, limit=1) if pairs else []
    ids = _study.image_ids
    a, b = found[0] if found else (0, min(1, len(ids) - 1))
    return ids[a], ids[b]


def _image(context: Context, label: str, key: str, default: str) -> int | None:
    """An image by its id; None, with a message, when there is none of that id."""
    ids = context.study.image_ids
    offered = len(ids) <= LISTED
    chosen = str(state.carry(key, default, state.one_of(*ids)) if offered else state.carry(key, default))
    if offered:
        st.selectbox(
            label, ids, key=state.seed(key, chosen), on_change=state.take_widget, args=(key,),
            format_func=plain, placeholder="Choose an image",
        )  # fmt: skip
    else:
        st.text_input(
            f"{label}: its id", key=state.seed(key, chosen), on_change=state.take_widget, args=(key,),
            max_chars=200, icon=":material/search:",
        )  # fmt: skip
    try:
        return context.study.concepts.index(chosen)
    except UnknownName as unknown:
        st.warning(md_escape(str(unknown), limit=400), icon=":material/link_off:")
        return None


def _seen(context: Context, image: int) -> None:
    study = context.study
    if study.images is not None:
        picture = tiles.tile(study, image)
        if picture is not None:
            st.image(picture, width=260, alt=cards.describe(study, image))
    cards.words(study, image, caption=200, technical=not context.choice.plain)


def _map(context: Context, graph: ConceptGraph, a: int, b: int) -> None:
    study, names = context.study, context.study.names
    rows, columns = (sorted(study.concepts.of_image(image)) for image in (a, b))
    table = distance_table(graph, rows, columns, direction=context.choice.settings.direction)
    titles = study.image_ids[a], study.image_ids[b]
    key = f"distance-map-{a}-{b}"
    st.plotly_chart(
        distance_map(table, rows, columns, titles=titles, names=names, theme=context.theme), theme=None,
        key=key, config=charts.toolbar(context, "distance-map"), selection_mode="points",
        alt=distance_map_alt(table, rows, columns, names=names),
        on_select=concepts.on_press(key, lambda told: open_path(str(told[0]), str(told[1]))),
    )  # fmt: skip
    messages.how_to_read(how_to_read("distance_map", context.reading))
