"""Synthetic images: do generated images have what real ones have, and do they copy them?"""

from evalcore.features.synthetic.page import sections
from evalcore.ui.frame import page

context = page.start("synthetic")
sections.show(context)
