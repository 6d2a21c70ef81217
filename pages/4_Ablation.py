"""Sensitivity, at the address it had before."""

from evalcore.ui.ablation import sections
from evalcore.ui.frame import page

sections.show(page.start("ablation"))
