"""Ablation: would different settings change the winner?"""

from evalcore.ui.ablation import grids, retrieval, systems
from evalcore.ui.components import select
from evalcore.ui.frame import page, state

context = page.start("ablation")
grid = grids.form(context)
parts = {
    "Systems": lambda: systems.section(context, grid),
    grids.INTERPRETATIONS: lambda: systems.interpretations_section(context, grid),
    "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
    "Time": lambda: retrieval.cost_section(context),
}
select.parts(parts, keep=state.TAB, shown=lambda name: grids.TITLES.get(name, name))
