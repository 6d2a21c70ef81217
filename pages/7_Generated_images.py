"""Generated images: do they look like real ones without copying them?"""

from evalcore.ui.frame import page

page.of_feature("synthetic")
