"""Synthetic images: do generated images have what real ones have, and do they copy them?"""

from evalcore.ui.frame import page

page.of_feature("synthetic")
