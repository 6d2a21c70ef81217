"""Compare: where do two systems differ, and by how much?"""

from evalcore.ui.compare import everyone, sections, slices
from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.frame.pages import SYSTEM_A, SYSTEM_B
from evalcore.ui.frame.state import TAB

PARTS = {"two": sections.two_systems, "groups": slices.section, "all": everyone.section}
KEYS = {"two": sections.KEYS, "groups": slices.KEYS, "all": everyone.KEYS}

context = page.start("compare", shows=(SYSTEM_A, SYSTEM_B))
few = len(context.choice.systems) < everyone.LEAST
offered = {name: draw for name, draw in PARTS.items() if not (few and name == "all")}
select.parts(offered, context, keep=TAB, shown=sections.NAMES.__getitem__, opened_by=KEYS)
