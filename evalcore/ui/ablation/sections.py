"""The parts of the Sensitivity page, of which the open one is drawn."""

from __future__ import annotations

from evalcore.ui.ablation import grids, retrieval, systems
from evalcore.ui.components import fold, select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.writing import listed, pluralize


def show(context: Context) -> None:
    """The whole page: what is asked of the settings, then which ones are tried."""
    grid = grids.asked_for(context)
    parts = {
        "Systems": lambda: systems.section(context, grid),
        grids.INTERPRETATIONS: lambda: systems.interpretations_section(context, grid),
        "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
        "Time": lambda: retrieval.cost_section(context),
    }
    select.parts(parts, keep=state.TAB, shown=lambda name: str(grids.TITLES.get(name, name)))
    steps = listed([str(threshold) for threshold in grid.thresholds])
    tried = f"Settings tried: {pluralize(len(grid.alphas), 'value')} of α, distances {steps}"
    fold.section(tried, grids.form, context, keep=grids.TRIED, icon=":material/tune:")
