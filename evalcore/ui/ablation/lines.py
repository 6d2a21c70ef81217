"""Scores of the systems against alpha: who is ahead of whom, or what each step of the reach adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.ablation.lines import (
    AlphaLine,
    Crossing,
    alpha_lines,
    alpha_lines_alt,
    threshold_name,
    threshold_style,
)
from evalcore.figures.numbers import number
from evalcore.figures.reading import how_to_read
from evalcore.figures.theme import style_of
from evalcore.ui.ablation import keys
from evalcore.ui.components import charts, messages
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from evalcore.evaluate.stability import Stability
    from evalcore.model import Interval
    from evalcore.ui.ablation.grid import Grid
    from evalcore.ui.frame.context import Context

BY_REACH, BY_SYSTEM = "Reach", "System"
WIDTH = 320
"""Pixels a panel needs at least: three fit beside the sidebar on a laptop."""


def section(context: Context, grid: Grid, found: Stability) -> None:
    """One panel per threshold with a line per system, or the other way round."""
    chosen = str(state.carry(keys.PANELS, BY_REACH, state.one_of(BY_REACH, BY_SYSTEM)))
    st.segmented_control(
        "One panel per", (BY_REACH, BY_SYSTEM), required=True, key=state.seed(keys.PANELS, chosen),
        on_change=state.take_widget, args=(keys.PANELS,),
        help="Reach: who is ahead of whom. System: what each step of the reach adds to a system.",
    )  # fmt: skip
    if chosen == BY_REACH:
        drawn = {
            _reach(threshold): (_systems(context, grid, found, threshold), _crossings(grid, found, threshold))
            for threshold in grid.thresholds
        }
    else:
        drawn = {
            name: (_reaches(context, grid, found, name), list[Crossing]()) for name in context.choice.systems
        }
    panels = st.grid(min(len(drawn), 3), min_column_width=WIDTH)
    for title, (of, crossings) in drawn.items():
        with panels.container():
            _panel(context, grid, title, of, crossings)
    messages.how_to_read(how_to_read("alpha_lines", context.reading))


def _panel(
    context: Context, grid: Grid, title: str, drawn: list[AlphaLine], crossings: list[Crossing]
) -> None:
    metric = context.choice.metric_shown
    st.plotly_chart(
        alpha_lines(
            drawn, grid.alphas, title=title, metric=metric, theme=context.theme,
            current=context.choice.settings.alpha, crossings=crossings, zero=True,
        ),
        theme=None, key=f"lines-{title}", config=charts.toolbar(context, "alpha"),
        alt=alpha_lines_alt(drawn, grid.alphas, title=title, metric=metric),
    )  # fmt: skip


def _reach(threshold: int) -> str:
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical findings only (IoU)"


def _systems(context: Context, grid: Grid, found: Stability, threshold: int) -> list[AlphaLine]:
    """A line per system at one threshold."""
    in_use = threshold == context.choice.settings.threshold
    return [
        AlphaLine(
            name, _row(grid, found, threshold, name),
            style_of(name, context.study.systems, context.theme), current=in_use,
        )
        for name in context.choice.systems
    ]  # fmt: skip


def _reaches(context: Context, grid: Grid, found: Stability, name: str) -> list[AlphaLine]:
    """A line per threshold of one system."""
    return [
        AlphaLine(
            threshold_name(threshold), _row(grid, found, threshold, name),
            threshold_style(threshold, context.theme), current=threshold == context.choice.settings.threshold,
        )
        for threshold in grid.thresholds
    ]  # fmt: skip


def _row(grid: Grid, found: Stability, threshold: int, name: str) -> list[Interval]:
    at = (found.at(alpha, threshold) for alpha in grid.alphas)
    return [one.mean(name) for one in at if one is not None]


def _crossings(grid: Grid, found: Stability, threshold: int) -> list[Crossing]:
    """Where two lines meet, on the winner's."""
    crossings = []
    for flip in (one for one in found.flips if one.threshold == threshold):
        row = _row(grid, found, threshold, flip.winner)
        before, after = (row[grid.alphas.index(end)].mean for end in flip.between)
        share = (flip.alpha - flip.between[0]) / (flip.between[1] - flip.between[0])
        told = f"{flip.winner} overtakes {flip.loser} at α {number(flip.alpha)}"
        crossings.append(Crossing(flip.alpha, before + share * (after - before), told))
    return crossings
