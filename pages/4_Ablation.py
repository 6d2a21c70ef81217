"""Ablation: would different settings change the winner?"""

from evalcore.ui.ablation import cost, grids, interpretations, keys, retrieval, systems
from evalcore.ui.components import select
from evalcore.ui.frame import page, state

context = page.start("ablation")
grid = grids.form(context)
parts = {
    "Systems": lambda: systems.section(context, grid),
    keys.INTERPRETATIONS: lambda: interpretations.section(context, grid),
    "Retrieval by nn-IoU": lambda: retrieval.section(context, grid),
    "Time": lambda: cost.section(context),
}
select.parts(parts, keep=state.TAB, shown=lambda name: keys.TITLES.get(name, name))
