"""The parts of the Sensitivity page, of which the open one is drawn."""

from __future__ import annotations

import streamlit as st

from evalcore.ranking.metrics import lower_is_better
from evalcore.ui.ablation import grids, retrieval, systems
from evalcore.ui.components import fold, messages, select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.writing import listed, md_escape, pluralize


def show(context: Context) -> None:
    """The whole page: what is asked of the settings, then which ones are tried."""
    if not context.study.knows_neighbours:
        messages.empty(
            "Nothing to vary",
            "This study has no related concepts. With a concept graph, or a neighbour dictionary, this page "
            "shows whether their weight and distance change the winner.",
            label="Add a concept graph",
            key="graph",
        )
        return
    grid = grids.asked_for(context)
    ranks = lower_is_better(context.choice.metric)
    parts = {
        "Systems": lambda: _of_ranks(context) if ranks else systems.section(context, grid),
        grids.INTERPRETATIONS: lambda: (
            _of_ranks(context) if ranks else systems.interpretations_section(context, grid)
        ),
        "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
    }
    select.parts(parts, keep=state.TAB, shown=lambda name: str(grids.TITLES.get(name, name)))
    steps = listed([str(threshold) for threshold in grid.thresholds])
    tried = f"Settings tried: {pluralize(len(grid.alphas), 'value')} of α, distances {steps}"
    fold.section(tried, grids.form, context, keep=grids.TRIED, icon=":material/tune:")


def _of_ranks(context: Context) -> None:
    """Why there is nothing to vary under a measure by ranks, and the way on."""
    st.info(
        f"“{md_escape(context.choice.metric_shown)}” looks at the place of the matched item only, which no "
        "setting of related concepts changes. Select a measure by concepts on the left.",
        icon=":material/info:",
    )
