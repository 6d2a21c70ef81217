"""Robustness: would another setting or measure change the winner?"""

from evalcore.ui.frame import page
from evalcore.ui.robustness import sections

sections.show(page.start("robustness"))
