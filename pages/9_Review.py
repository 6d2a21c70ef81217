"""Review: what do readers say of these results, not knowing where they come from?"""

from evalcore.ui.frame import page
from evalcore.ui.review import reading, sections

context = page.start("review", blind=reading.on)
sections.show(context)
