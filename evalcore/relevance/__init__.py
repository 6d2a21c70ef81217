"""How relevant one image is to another: the plain functions, one family per file, and their registry.

``overlap`` and ``neighbour`` compare concepts by name and by distance; ``set_similarity`` compares sets by
how alike their concepts are (``concept_similarity``; ``concept_table`` makes a table of a study's concepts);
``embedding`` compares vectors. Written to be read beside the formula; ``evalcore.engine`` gives the same
values for all pairs at once.
"""
