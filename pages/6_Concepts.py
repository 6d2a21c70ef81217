"""Concepts: how are concepts linked, and how does that affect scores?

Links to this page: ``from`` and ``to`` (CUIs, or names) open a path; ``about`` is one of the views of
``concepts.keys`` ("Path" when left out); ``image_a`` and ``image_b`` (ids) are the images of the distance
map; ``link=A-B`` opens two neighbouring concepts, ``off=A-B`` (repeatable) leaves a link of the graph out.
"""

from evalcore.ui.concepts import sections
from evalcore.ui.frame import page

sections.show(page.start("concepts"))
