"""The systems under every setting: who leads, where the order changes, what the readings do."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.evaluate.sweep.isolated import BY_NN_IOU
from evalcore.evaluate.sweep.stability import Stability, stability
from evalcore.evaluate.sweep.variants import is_swept
from evalcore.figures.ablation.stability import leader_map, tau_map
from evalcore.ranking.metrics import parse_metric
from evalcore.ui.ablation import grids, lines, parts, sentences
from evalcore.ui.components import figure, messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.sweep.stability import Standing
    from evalcore.ui.ablation.grids import Grid
    from evalcore.ui.frame.context import Context

PANEL = 380
"""Pixels a panel of lines needs at least."""
CROSSOVERS_SHOWN = 4
"""So many overtakings are shown unfolded."""
MAP_COLUMNS = 12
"""Alphas a map can name with a number in each cell."""


def section(context: Context, grid: Grid) -> None:
    """Finding, lines, maps, numbers."""
    found = of_systems(context, grid)
    if found is not None:
        headline(context, found)
        lines.section(context, grid, found)
        if len(context.choice.systems) > 1:
            maps(context, found)
        parts.standings(context, found.standings, "systems-by-setting")


def of_systems(context: Context, grid: Grid) -> Stability | None:
    """The standings over the grid, computed in the background where that takes long."""
    study, choice = context.study, context.choice
    settings = grids.shared(choice.settings)
    return grids.run(
        context, grid, (choice.metric, choice.systems, grid, settings),
        lambda progress: stability(
            study, metric=choice.metric, alphas=grid.alphas, thresholds=grid.thresholds,
            systems=choice.systems, settings=settings, progress=progress,
        ),
        label="Scoring the systems at every setting",
    )  # fmt: skip


def headline(context: Context, found: Stability) -> None:
    """The result in one sentence, and every overtaking in words."""
    messages.lead(sentences.stable(found, context.choice))
    if same := sentences.identical(found):
        st.caption(same)
    messages.few([mean.n_independent for mean in found.standings[0].means])
    metric = parse_metric(context.choice.metric)
    moving = any(BY_NN_IOU in name for name in context.choice.systems)
    if not is_swept(metric.relevance) and not moving:
        st.info(
            "This measure does not look at related concepts, so α and the maximum distance change nothing. "
            "Select one that does under “Measure” on the left, or add @nn-iou to the systems.",
            icon=":material/info:",
        )
    n = len(found.crossovers)
    if n:
        with st.expander(
            f"Where the order changes ({n})", icon=":material/swap_vert:", expanded=n <= CROSSOVERS_SHOWN
        ):
            st.markdown("\n".join(f"- {sentences.crossover(one)}" for one in found.crossovers))
            st.caption(
                "Scores are computed at the values of α tried; values in between are interpolated. “Clear”: "
                "the 95% interval of the difference excludes zero on both sides."
            )


def maps(context: Context, found: Stability) -> None:
    """Who leads by how much, and how alike the whole ranking is to that of the setting in use.

    A map whose cells would all say the same is a sentence instead; without any value there is neither.
    """
    choice, theme, settings = context.choice, context.theme, context.choice.settings
    reference = found.at(settings.alpha, settings.threshold)
    assert reference is not None, "the setting in use is always in the grid"
    if isnan(reference.means[0].mean):
        return
    leaders_move = sentences.lead_moves(found.standings)
    order_moves = sentences.order_moves(found.standings, reference)
    if same := sentences.unchanged(lead=leaders_move, order=order_moves):
        st.markdown(f":material/drag_handle: {same}")
    shown = thinned(found.standings, settings.alpha)
    panels = st.grid(2 if leaders_move and order_moves else 1, min_column_width=PANEL + 80)
    if leaders_move:
        with panels.container():
            leaders = leader_map(
                shown, metric=choice.metric_shown, systems=context.study.systems, theme=theme,
                current=(settings.alpha, settings.threshold),
            )  # fmt: skip
            figure.show(context, leaders, key="leaders")
    if order_moves:
        with panels.container():
            taus = tau_map(shown, reference, metric=choice.metric_shown, theme=theme)
            figure.show(context, taus, key="taus", file="tau")


def thinned(standings: Sequence[Standing], alpha: float) -> list[Standing]:
    """Every tenth of alpha and the one in use, where there are more than a map can hold."""
    alphas = {one.settings.alpha for one in standings}
    if len(alphas) <= MAP_COLUMNS:
        return list(standings)
    kept = {a for a in alphas if abs(10 * a - round(10 * a)) < 1e-9} | {alpha}
    return [one for one in standings if one.settings.alpha in kept]
