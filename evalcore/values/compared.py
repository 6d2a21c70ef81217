"""What systems are compared over: which images each system searches, and what follows for the comparison.

`evaluate.common_pool` decides; a study limited by it, and every result of it, carries the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.values.arrays import Bools, Ints
from evalcore.values.brief import brief

if TYPE_CHECKING:
    from evalcore.values.model import Run, Study

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
    """What systems of a study are compared over; `limit` gives the study with nothing else in it.

    ``queries`` and ``candidates`` are image indices, of ``n_all`` candidates of the study; ``digest`` is that
    of the study with nothing else in it. ``pools``: by system, in order; ``differ``: whether they do.
    ``by_vectors``, ``filtered``: the systems with a run that were ranked again by their vectors, and those
    whose run lost the other candidates. ``runs``: filtered to the candidates, None where they stay as they
    are.
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
    runs: Mapping[str, Run] | None = None

    def limit(self, study: Study) -> Study:
        """The study this was decided for, limited to it and carrying the decision, so that it is kept."""
        if self.digest == study.digest:
            return study if study.over is self else replace(study, over=self)
        runs = study.runs if self.runs is None else self.runs
        # The runs are those of the study from here on: the decision need not hold them too.
        return replace(
            study,
            queries=self.queries,
            candidates=self.candidates,
            runs=runs,
            digest=self.digest,
            over=replace(self, runs=None),
        )
