"""Which system is best depends on the measure: places under each, and who passes whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.levels import difference, levels_of

if TYPE_CHECKING:
    from evalcore.evaluate.measures.under_measures import MeasureScores
    from evalcore.values.arrays import Floats, Offsets


@dataclass(frozen=True, slots=True)
class RankSwap:
    """Under ``measure`` the system ``above`` passes ``below``, which ``reference`` puts first.

    ``gap`` and ``reference_gap``: by how much each leads there, both >= 0.
    """

    measure: str
    reference: str
    above: str
    below: str
    gap: float
    reference_gap: float


def places(means: Floats) -> Offsets:
    """Place of every system under every measure, shape (systems, measures); 1 is best.

    Equal means stand in the order of the systems; NaN is last.
    """
    found = np.empty(means.shape, np.int64)
    for j, column in enumerate(means.T):
        found[np.argsort(levels_of(-column), kind="stable"), j] = np.arange(1, len(means) + 1)
    return found


def rank_swaps(scores: MeasureScores, *, reference: str) -> tuple[RankSwap, ...]:
    """Pairs of systems that a measure puts in the other order than the reference does.

    Measure by measure; within one by the gap, largest first, equal gaps in the order of the systems. Equal
    means swap with nobody.
    """
    means, names = scores.means, scores.systems
    base = means[:, scores.measures.index(reference)]
    upper, lower = np.triu_indices(len(names), 1)
    found: list[RankSwap] = []
    for j, measure in enumerate(scores.measures):
        gaps, before = difference(means[upper, j], means[lower, j]), difference(base[upper], base[lower])
        turned = np.flatnonzero(np.sign(gaps) * np.sign(before) < 0)
        for i in turned[np.argsort(levels_of(-np.abs(gaps[turned])), kind="stable")]:
            first, second = names[upper[i]], names[lower[i]]
            above, below = (first, second) if gaps[i] > 0 else (second, first)
            found.append(
                RankSwap(measure, reference, above, below, abs(float(gaps[i])), abs(float(before[i])))
            )
    return tuple(found)
