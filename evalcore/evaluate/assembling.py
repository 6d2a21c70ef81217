"""Blocks of values become the scores of a system; those of several seeds become one mean per query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import Bools, Floats, Ints, frozen
from evalcore.values.model import DEFINED, OUTSIDE_POOL, Scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.policy import Reasons
    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.systems import System
    from evalcore.ranking.metrics import Metric
    from evalcore.values.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class BlockScores:
    """One list per query under one metric, for a block of queries: see `Scores`. Shapes all (n,)."""

    values: Floats
    reasons: Reasons
    missing: Bools
    short: Bools
    tied: Bools
    ceiling: Floats | None


def of_system(
    system: System,
    metric: Metric,
    asked: Ints,
    pool: Pool,
    blocks: Mapping[str, list[BlockScores]],
    settings: Settings,
) -> Scores:
    """The scores of a system from the blocks of each of its lists (`System.each`), by name.

    Those of several seeds: see `Scores.seeds`.
    """
    each = [assemble(one.name, metric, asked, pool, blocks[one.name], settings) for one in system.each]
    if not system.seeds:
        return each[0]
    together = [_mean(of) for of in zip(*(blocks[seed.name] for seed in system.seeds), strict=True)]
    return replace(assemble(system.name, metric, asked, pool, together, settings), seeds=tuple(each))


def _mean(seeds: Sequence[BlockScores]) -> BlockScores:
    """The same queries of several seeds as one: means of values, and whether any is short, tied, missing.

    Which queries have a value lies with the queries, not with what was returned: it is the same for all.
    """
    ceilings = [np.ones(len(one.values)) if one.ceiling is None else one.ceiling for one in seeds]
    limited = any(one.ceiling is not None for one in seeds)
    return BlockScores(
        np.mean([one.values for one in seeds], axis=0), seeds[0].reasons,
        missing=np.logical_or.reduce([one.missing for one in seeds]),
        short=np.logical_or.reduce([one.short for one in seeds]),
        tied=np.logical_or.reduce([one.tied for one in seeds]),
        ceiling=np.mean(ceilings, axis=0) if limited else None,
    )  # fmt: skip


def assemble(
    name: str, metric: Metric, asked: Ints, pool: Pool, blocks: list[BlockScores], settings: Settings
) -> Scores:
    """Scores of all queries asked, with these settings; those outside the pool marked as such."""
    values = np.full(len(asked), np.nan)
    reasons = np.full(len(asked), OUTSIDE_POOL, np.uint8)
    rows = np.searchsorted(asked, pool.queries)
    ceiling = None
    if blocks:
        values[rows] = np.concatenate([block.values for block in blocks])
        reasons[rows] = np.concatenate([block.reasons for block in blocks])
    if any(block.ceiling is not None for block in blocks):
        ceiling = np.full(len(asked), np.nan)
        reached = [np.ones(len(b.values)) if b.ceiling is None else b.ceiling for b in blocks]
        ceiling[rows] = np.where(reasons[rows] == DEFINED, np.concatenate(reached), np.nan)
    return Scores(
        name, str(metric), asked, frozen(values), frozen(reasons),
        missing=_count(block.missing for block in blocks), short=_count(block.short for block in blocks),
        tied=_count(block.tied for block in blocks), cutoff=metric.cutoff,
        ceiling=None if ceiling is None else frozen(ceiling),
        groups=None if pool.groups is None else frozen(pool.groups.of_image[asked]),
        grouped_by="" if pool.groups is None else pool.groups.name, settings=settings,
    )  # fmt: skip


def _count(parts: Iterable[Bools]) -> int:
    return sum(int(np.count_nonzero(part)) for part in parts)
