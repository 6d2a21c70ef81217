"""Review: what do readers say of these results, not knowing where they come from?"""

from evalcore.features.review.page import reading, sections
from evalcore.ui.frame import page

context = page.start("review", blind=reading.on)
sections.show(context)
