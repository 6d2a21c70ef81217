"""Sensitivity: would different settings change the winner?"""

from evalcore.ui.ablation import sections
from evalcore.ui.frame import page

sections.show(page.start("ablation"))
