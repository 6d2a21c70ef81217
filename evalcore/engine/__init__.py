"""The fast engine behind ``evalcore.relevance``: the same values, for all pairs of a study at once.

Everything the rest of the program may use of it:

``neighbours_of``        who is near whom among the concepts of a study
``relevance_of_pairs``   values of given pairs
``has_relevance``        which queries a relevance says anything about
``counted_concepts``     the concepts of images that it looks at
``rank``                 all candidates ranked for each query, by the one tie rule
``ideal_gains``          the largest values per query

Pairs, ranks and gains are asked for under several settings at once. Results do not depend on the number of
cores. Memory is bounded by blocks; what is returned is up to the caller, who passes queries in blocks when he
asks for deep rankings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.engine.interface import has_relevance, ideal_gains, rank, relevance_of_pairs
    from evalcore.engine.space import counted_concepts, neighbours_of

__all__ = ["counted_concepts", "has_relevance", "ideal_gains", "neighbours_of", "rank", "relevance_of_pairs"]

_HOME = {
    "evalcore.engine.interface": ("has_relevance", "ideal_gains", "rank", "relevance_of_pairs"),
    "evalcore.engine.space": ("counted_concepts", "neighbours_of"),
}

__getattr__ = lazy(__name__, _HOME)
