"""Many systems at once: who differs from whom, the place of each, and how alike their results are."""

from evalcore.figures.many.critical import critical_diagram
from evalcore.figures.many.overlaps import overlap_matrix
from evalcore.figures.many.pairs import pair_matrix
from evalcore.figures.many.ranks import rank_dots

__all__ = ["critical_diagram", "overlap_matrix", "pair_matrix", "rank_dots"]
