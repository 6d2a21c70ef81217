"""Rankings and largest values on this machine: what `interface` asks for, and every worker of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.engine.kernels import kernel_of
from evalcore.values.arrays import Floats, Ints
from evalcore.values.model import Run, Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings


def rank(
    study: Study, name: str, queries: Ints, *, candidates: Ints, depth: int, settings: Sequence[Settings],
    whole_ties: bool, progress: Progress | None,
) -> list[Run]:  # fmt: skip
    """`interface.rank_under` for queries that have such a relevance; both lists ascending and different."""
    relevance, kernel = kernel_of(study, name)
    found = kernel.rank(
        study, relevance, queries, candidates, depth=depth, settings=settings, whole_ties=whole_ties,
        progress=progress,
    )  # fmt: skip
    return [Run.from_arrays(f"@{name}", queries, *lists) for lists in found]


def best(
    study: Study, name: str, queries: Ints, *, candidates: Ints, depth: int, settings: Sequence[Settings],
    progress: Progress | None,
) -> Floats:  # fmt: skip
    """`interface.ideal_gains_of`, nothing remembered; candidates ascending and different."""
    relevance, kernel = kernel_of(study, name)
    return np.asarray(
        kernel.best(study, relevance, queries, candidates, depth=depth, settings=settings, progress=progress)
    )
