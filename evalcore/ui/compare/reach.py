"""What choosing between two systems, or re-ordering what both return, could reach."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.leaderboard import leaderboard_dots
from evalcore.ui.components import figure, select
from evalcore.ui.frame import cache
from evalcore.ui.overview.keys import BOUNDS

if TYPE_CHECKING:
    from evalcore.ui.compare.listing import Pair
    from evalcore.ui.frame.context import Context

SWITCH = "Show the best that could be reached"
HELP = (
    "Two upper bounds, not systems, because they look at the answers first: the best system of each query, "
    "and the best order of everything these systems return."
)


def section(context: Context, of: Pair) -> None:
    """The switch; and the averages of both systems with the bounds as dashed lines."""
    if not select.switch(SWITCH, keep=BOUNDS, help=HELP):
        return
    study, both = context.study, replace(context.choice, systems=(of.a, of.b))
    with st.spinner("Ordering what both systems return"):
        limits = cache.bounds(study, both, both.systems)
    drawn = leaderboard_dots(
        cache.intervals(study, both), metric=both.metric_shown, systems=study.systems, theme=context.theme,
        bounds=limits,
    )  # fmt: skip
    figure.show(context, drawn, key="reach", file="bounds")
