"""Concepts: how are findings connected, and what does that change?

Links to this page: ``from`` and ``to`` (CUIs, or names) open a path; ``about`` is one of the names in
``concepts.VIEWS`` ("Path" when left out); ``image_a`` and ``image_b`` (ids) are the images of the distance
map; ``link=A-B`` opens two neighbouring concepts, ``off=A-B`` (repeatable) leaves a link of the graph out.
"""

from evalcore.ui import concepts, concepts_around, concepts_distances, concepts_effect, concepts_path, page

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
