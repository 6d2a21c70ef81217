"""Ablation: how much do the settings decide, and would another choice change the winner?"""

from evalcore.ui.ablation import cost, grids, interpretations, retrieval, systems
from evalcore.ui.components import tabs
from evalcore.ui.frame import page, state

context = page.start("ablation")
grid = grids.form(context)
tabs.show(
    {
        "Systems": lambda: systems.section(context, grid),
        "Readings of the paper": lambda: interpretations.section(context, grid),
        "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
        "Time": lambda: cost.section(context),
    },
    key=state.TAB,
)
