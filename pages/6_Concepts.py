"""Concepts: how are findings connected, and what does that change?

Links to this page: ``from`` and ``to`` (CUIs, or names) open a path; ``about`` is one of the names in
``concepts.VIEWS`` ("Path" when left out); ``image_a`` and ``image_b`` (ids) are the images of the distance
map; ``link=A-B`` opens two neighbouring concepts, ``off=A-B`` (repeatable) leaves a link of the graph out.
"""

from evalcore.ui.concepts import around as concepts_around
from evalcore.ui.concepts import distances as concepts_distances
from evalcore.ui.concepts import effect as concepts_effect
from evalcore.ui.concepts import path as concepts_path
from evalcore.ui.concepts import sections as concepts
from evalcore.ui.frame import page

context = page.start("concepts")
graph = concepts.graph_or_stop(context)
view = concepts.view()
if view == concepts.PATH:
    concepts_path.show(context, graph)
elif view == concepts.AROUND:
    concepts_around.show(context, graph)
elif view == concepts.DISTANCES:
    concepts_distances.histogram(context, graph)
    concepts_distances.two_images(context, graph)
else:
    concepts_effect.show(context, graph)
