"""Compare: where do two systems differ, and by how much?"""

from evalcore.ui.compare import everyone, slices
from evalcore.ui.compare import sections as compare
from evalcore.ui.components import pair as reach
from evalcore.ui.frame import page
from evalcore.ui.frame.pages import SYSTEM_A, SYSTEM_B

context = page.start("compare", shows=(SYSTEM_A, SYSTEM_B))
pair = compare.pickers(context)
compare.estimate(context, pair)
reach.section(context, pair)
compare.figures(context, pair)
slices.section(context, pair)
compare.queries(context, pair)
everyone.section(context)
