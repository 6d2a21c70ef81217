"""Concepts: how are concepts linked?

Links to this page: ``from`` and ``to`` (CUIs, or names) open a path; both the same show what surrounds it.
"""

from evalcore.ui import concepts
from evalcore.ui.frame import page

concepts.show(page.start("concepts"))
