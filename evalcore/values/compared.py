"""What systems are compared over: which images each system searches, and what follows for the comparison.

`evaluate.common_pool` decides; a study limited by it, and every result of it, carries the decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalcore.values.arrays import Bools, Ints
from evalcore.values.brief import brief

Which = Literal["all", "common", "common-pool"]
"""All queries; those that every system answers; these, and only candidates that every system searches."""
Way = Literal[Which, "given"]
"""The same, or queries given as image indices, over all candidates."""
Source = Literal["run", "vectors", "all", "members", "seeds"]


@brief
@dataclass(frozen=True, slots=True, eq=False)
class SearchedPool:
    """The candidates a system searches: ``images``, shape (n_images,), and the evidence for it."""

    system: str
    images: Bools
    source: Source

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.images))


@brief
@dataclass(frozen=True, slots=True, eq=False)
class ComparedOver:
    """What systems of a study are compared over.

    ``queries`` and ``candidates`` are image indices, of ``n_all`` candidates of the study; ``digest`` is that
    of the study with nothing else in it. ``pools``: by system, in order; ``differ``: whether they do.
    ``by_vectors``, ``filtered``: the systems with a run that were ranked again by their vectors, and those
    whose run lost the other candidates.
    """

    which: Way
    pools: tuple[SearchedPool, ...]
    differ: bool
    n_all: int
    queries: Ints
    candidates: Ints
    digest: str
    by_vectors: tuple[str, ...] = ()
    filtered: tuple[str, ...] = ()
