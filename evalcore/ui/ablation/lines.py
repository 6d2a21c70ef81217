"""Scores of the systems against alpha: who is ahead of whom, or what each step of the reach adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.ablation.lines import Crossing, alpha_lines, threshold_name, threshold_style
from evalcore.figures.bands import Line
from evalcore.figures.numbers import number
from evalcore.figures.theme import style_of
from evalcore.ui.ablation import keys
from evalcore.ui.components import figure, select

if TYPE_CHECKING:
    from evalcore.evaluate.sweep.stability import Stability
    from evalcore.ui.ablation.grids import Grid
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Interval

BY_REACH, BY_SYSTEM = "Reach", "System"
WIDTH = 320
"""Pixels a panel needs at least: three fit beside the sidebar on a laptop."""


def section(context: Context, grid: Grid, found: Stability) -> None:
    """One panel per threshold with a line per system, or the other way round."""
    chosen = select.segments(
        "One panel per", {BY_REACH: "Maximum distance", BY_SYSTEM: "System"}, keep=keys.PANELS,
        help="Maximum distance: which system leads. System: what each further step adds to a system.",
    )  # fmt: skip
    if chosen == BY_REACH:
        by_panel = {
            _reach(threshold): (_systems(context, grid, found, threshold), _crossings(grid, found, threshold))
            for threshold in grid.thresholds
        }
    else:
        by_panel = {
            name: (_reaches(context, grid, found, name), list[Crossing]()) for name in context.choice.systems
        }
    choice, panels = context.choice, st.grid(min(len(by_panel), 3), min_column_width=WIDTH)
    for title, (of, crossings) in by_panel.items():
        drawn = alpha_lines(
            of, grid.alphas, title=title, metric=choice.metric_shown, theme=context.theme,
            current=choice.settings.alpha, crossings=crossings, zero=True,
        )  # fmt: skip
        with panels.container():
            figure.show(context, drawn, key=f"lines-{title}", file="alpha", note=False)
    figure.how_to_read(context, drawn)


def _reach(threshold: int) -> str:
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical concepts only (IoU)"


def _systems(context: Context, grid: Grid, found: Stability, threshold: int) -> list[Line]:
    """A line per system at one threshold."""
    in_use = threshold == context.choice.settings.threshold
    return [
        Line(
            name, _row(grid, found, threshold, name),
            style_of(name, context.study.systems, context.theme), bold=in_use,
        )
        for name in context.choice.systems
    ]  # fmt: skip


def _reaches(context: Context, grid: Grid, found: Stability, name: str) -> list[Line]:
    """A line per threshold of one system."""
    return [
        Line(
            threshold_name(threshold), _row(grid, found, threshold, name),
            threshold_style(threshold, context.theme), bold=threshold == context.choice.settings.threshold,
        )
        for threshold in grid.thresholds
    ]  # fmt: skip


def _row(grid: Grid, found: Stability, threshold: int, name: str) -> list[Interval]:
    at = (found.at(alpha, threshold) for alpha in grid.alphas)
    return [one.mean(name) for one in at if one is not None]


def _crossings(grid: Grid, found: Stability, threshold: int) -> list[Crossing]:
    """Where two lines meet, on the winner's."""
    crossings = []
    for crossover in (one for one in found.crossovers if one.threshold == threshold):
        row = _row(grid, found, threshold, crossover.winner)
        before, after = (row[grid.alphas.index(end)].mean for end in crossover.between)
        share = (crossover.alpha - crossover.between[0]) / (crossover.between[1] - crossover.between[0])
        words = f"{crossover.winner} overtakes {crossover.loser} at α {number(crossover.alpha)}"
        crossings.append(Crossing(crossover.alpha, before + share * (after - before), words))
    return crossings
