"""How far apart are the study's concepts?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.figures.concepts import distance_bars
from evalcore.figures.concepts.histogram import half_within
from evalcore.figures.numbers import count, percent, things
from evalcore.graph.distances import DistanceCounts, distance_counts
from evalcore.ui.components import download, figure, messages, select, tidy
from evalcore.ui.concepts import images, keys
from evalcore.ui.concepts.vocabulary import used
from evalcore.ui.frame import jobs

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.ui.frame.context import Context

COLUMNS = ("distance", "pairs", "weighted")


def show(context: Context, graph: ConceptGraph) -> None:
    """Steps between all pairs of the study's concepts, then between those of two images."""
    _everywhere(context, graph)
    images.show(context, graph)


def _everywhere(context: Context, graph: ConceptGraph) -> None:
    study, settings = context.study, context.choice.settings
    cuis = used(study)
    times = np.array(list(cuis.values()), np.int64)
    found = jobs.run(
        f"distances-{study.concepts.digest}-{graph.digest}-{settings.direction}",
        lambda progress: distance_counts(
            graph, list(cuis), times, direction=settings.direction, progress=progress
        ),
        label="Measuring all distances",
    )
    if found is None:
        return
    sentence = st.container()
    weighted = select.switch(
        "Give frequent concepts more weight", keep=keys.WEIGHTED,
        help="Each pair of concepts counts once for every image with the one and every image with the other.",
    )  # fmt: skip
    with sentence:
        messages.lead(_sentence(found, weighted=weighted))
    drawn = distance_bars(found, weighted=weighted, theme=context.theme, threshold=settings.threshold)
    figure.show(context, drawn, key="distance-bars", file="distances")
    download.csv(tidy.studied(context, _tidy(found)), context.stem("distances"))


def _tidy(found: DistanceCounts) -> pd.DataFrame:
    """One row per distance, and one each for pairs without a path and pairs the graph does not know."""
    rows: list[tuple[object, ...]] = [
        ("connected", d, int(found.pairs[d]), int(found.weighted[d])) for d in range(1, len(found.pairs))
    ]
    rows += [("no path", None, *found.no_path), ("not in the graph", None, *found.not_in_graph)]
    return pd.DataFrame(rows, columns=["pairs_are", *COLUMNS])


def _sentence(found: DistanceCounts, *, weighted: bool) -> str:
    by_steps, _, _ = found.of(weighted=weighted)
    connected = int(by_steps.sum())
    if not connected:
        return "No two concepts of this study are connected in the terminology."
    near = int(by_steps[1]) if len(by_steps) > 1 else 0
    weights = "With more weight on frequent concepts, half" if weighted else "Half"
    return (
        f"{weights} of the connected pairs of concepts are at most "
        f"**{things(half_within(by_steps), 'step')}** apart; **{percent(near, connected)}** are direct "
        f"neighbours. The terminology contains **{count(found.n_known)}** of "
        f"{things(found.n_concepts, 'concept')}."
    )
