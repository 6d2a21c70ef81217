"""Demsar's critical-difference diagram: mean ranks over queries, Friedman's test, Nemenyi's distance.

Kept for those who are asked for it. A mean rank depends on which other systems take part: two systems can be
told apart beside one set of others and not beside another (Benavoli, Corani & Mangili 2016, JMLR 17(5):1-10,
who advise to compare pairs instead, as `every_pair` does).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.pairs.every_pair import common_values
from evalcore.evaluate.summary import n_groups_of
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import CLEAR
from evalcore.stats.friedman import critical_difference, friedman
from evalcore.stats.levels import best_first
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Scores

CAVEAT = (
    "A mean rank depends on which other systems take part: add or leave out a system, and two others may be "
    "told apart or not (Benavoli et al. 2016). For a claim about two systems, use their paired comparison."
)


@dataclass(frozen=True, slots=True, eq=False)
class MeanRanks:
    """Mean ranks over queries under one metric, lowest (best) first.

    ``distance``: how far apart two mean ranks must be to be told apart at ``level`` (NaN without a query);
    ``groups``: systems no two of which are that far apart, as large as can be, two at least. ``n``: queries
    with a value under every system; ``n_blocks``: what was ranked, which is groups of queries (the mean of
    each) where they come in some, else queries.
    """

    metric: str
    systems: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    statistic: float
    p: float
    distance: float
    level: float
    groups: tuple[tuple[str, ...], ...]
    n: int
    n_blocks: int
    left_out: int
    grouped_by: str


def mean_ranks(
    scores: Sequence[Scores], *, settings: Settings | None = None, level: float = CLEAR
) -> MeanRanks:
    """The mean rank of each system under one metric over the queries that all have a value for.

    Raises
    ------
    InputError
        Fewer than three systems: Friedman's test is one of several; two are compared by their pair.
    """
    if len(scores) < 3:
        raise InputError("Mean ranks are compared for three systems or more; compare two by their pair.")
    found = common_values(scores, settings)
    blocks = found.values
    if found.groups is not None:
        clusters = clusters_of(blocks, found.groups)
        blocks = clusters.sums / clusters.sizes[:, np.newaxis]
    tested = friedman(blocks)
    order = best_first(found.systems, (-tested.mean_ranks).tolist())
    names = tuple(found.systems[i] for i in order)
    ranks = tuple(float(tested.mean_ranks[i]) for i in order)
    distance = critical_difference(len(names), tested.n, level=level) if tested.n else float("nan")
    return MeanRanks(
        scores[0].metric, names, ranks, tested.statistic, tested.p, distance, level,
        tuple(tuple(names[i] for i in group) for group in near_groups(ranks, distance)), len(found.queries),
        tested.n, found.left_out, scores[0].grouped_by if n_groups_of(found.groups) else "",
    )  # fmt: skip


def near_groups(ranks: Sequence[float], distance: float) -> list[range]:
    """The largest stretches of ascending ranks whose ends are at most ``distance`` apart; two or more.

    >>> near_groups([1.2, 1.9, 2.6, 4.0], 1.0)
    [range(0, 2), range(1, 3)]
    """
    found: list[range] = []
    for first, rank in enumerate(ranks):
        after = first + sum(1 for other in ranks[first:] if other - rank <= distance)
        if after - first > 1 and (not found or after > found[-1].stop):
            found.append(range(first, after))
    return found
