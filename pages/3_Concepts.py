"""Concepts: how are concepts linked?

Links to this page: ``from`` and ``to`` (CUIs, or names) open a path; ``about`` is one of the views of
``concepts.keys`` ("Path" when left out); ``image_a`` and ``image_b`` (ids) are the images of the distance
map.
"""

from evalcore.ui.concepts import sections
from evalcore.ui.frame import page

sections.show(page.start("concepts"))
