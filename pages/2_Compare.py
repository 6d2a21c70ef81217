"""Compare: where do two systems differ, and by how much?"""

from evalcore.ui.compare import sections as compare
from evalcore.ui.compare import slices
from evalcore.ui.frame import page

context = page.start("compare")
pair = compare.pickers(context)
compare.estimate(context, pair)
compare.figures(context, pair)
slices.section(context, pair)
compare.queries(context, pair)
