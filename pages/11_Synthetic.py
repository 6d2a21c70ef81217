"""Synthetic images: do generated images have what real ones have, and do they copy them?"""

from evalcore.ui.frame import page
from evalcore.ui.synthetic import sections

context = page.start("synthetic")
sections.show(context)
