"""The parts of the Sensitivity page, of which the open one is drawn."""

from __future__ import annotations

from evalcore.ui.ablation import grids, retrieval, systems
from evalcore.ui.components import select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context


def show(context: Context) -> None:
    """The whole page."""
    grid = grids.form(context)
    parts = {
        "Systems": lambda: systems.section(context, grid),
        grids.INTERPRETATIONS: lambda: systems.interpretations_section(context, grid),
        "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
        "Time": lambda: retrieval.cost_section(context),
    }
    select.parts(parts, keep=state.TAB, shown=lambda name: str(grids.TITLES.get(name, name)))
