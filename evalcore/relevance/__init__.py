"""How relevant one image is to another: the plain functions, one family per file, and their registry.

Written to be read beside the formula; ``evalcore.engine`` gives the same values for all pairs at once.
"""
