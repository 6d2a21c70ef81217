"""Several systems as one run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.fusion.formulas import DEFAULT_K, fusion_of
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.systems import lists_of, resolve_lists, resolve_systems
from evalcore.values.arrays import indptr_of
from evalcore.values.model import Run, Study
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.systems import System

BLOCK = 2048
"""Queries at once."""


def fuse(
    study: Study,
    systems: Sequence[str],
    *,
    method: str = "rrf",
    k: float = DEFAULT_K,
    depth: int | None = None,
    settings: Settings = Settings(),
    progress: Progress = silent,
) -> Run:
    """Systems put together, query by query, as one run over the images of the study.

    As the command ``fuse``. `score` takes the same by name: ``rrf:A+B``.

    Parameters
    ----------
    systems
        Names, two or more; ``@relevance`` among them.
    method
        "rrf", "combsum", "combmnz", "isr" or "borda" (see `fusion.formulas`).
    k
        The constant of rrf, above 0.
    depth
        Results of each list; all where left out. Images that the study does not have are left out.

    Raises
    ------
    SettingError, UnknownName, InputError
        No such method, k out of range, no such system, fewer than two different ones.
    """
    system = fused(study, systems, method=method, k=k)
    runs = list(fused_runs(study, system, depth=depth, settings=settings, progress=progress))
    return Run.from_arrays(
        system.name,
        np.concatenate([np.empty(0, np.int32), *(run.queries for run in runs)]),
        indptr_of(np.concatenate([np.empty(0, np.int64), *(np.diff(run.indptr) for run in runs)])),
        np.concatenate([np.empty(0, np.int32), *(run.candidates for run in runs)]),
        np.concatenate([np.empty(0), *(run.scores for run in runs)]),
    )


def fused(study: Study, systems: Sequence[str], *, method: str, k: float) -> System:
    """The fused system of these; raises as `fuse`."""
    fusion = fusion_of(study, method, systems, k=k, known=lambda name: resolve_lists(study, [name])[0].name)
    return resolve_systems(study, [str(fusion)])[0]


def fused_runs(
    study: Study, system: System, *, depth: int | None, settings: Settings, progress: Progress
) -> Iterator[Run]:
    """Its lists, block by block, without images that are not in the study; equal scores by image id."""
    blocks = range(0, len(study.queries), BLOCK)
    for place, first in enumerate(blocks):
        queries = study.queries[first : first + BLOCK]
        lists = lists_of(
            study,
            system,
            pool_of(study, (), queries, settings),
            queries,
            depth=None,
            settings=replace(settings, ties="id"),
            progress=part_of(progress, place, len(blocks)),
        )
        lists = lists.keep(lists.candidates >= 0)
        if depth is not None:
            lists = lists.keep(lists.ranks <= depth)
        lengths = np.diff(lists.indptr)
        filled = lengths > 0
        yield Run.from_arrays(
            system.name, queries[filled], indptr_of(lengths[filled]), lists.candidates, lists.scores
        )
