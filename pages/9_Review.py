"""Review: what do readers say of these results, not knowing where they come from?"""

from evalcore.ui.frame import page

page.of_feature("review")
