"""How many pairs of images do neighbour matches change, and by how much? All pairs, counted by result."""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

import numpy as np

from evalcore.engine.counts import Formula, counts_of, formula_of, space_of, tally_with, values_by
from evalcore.engine.listing import pool_of
from evalcore.engine.space import over_cores, slices
from evalcore.relevance.registry import Relevance
from evalcore.stats.sums import sum_of
from evalcore.values.arrays import Floats, Ints, Offsets
from evalcore.values.model import RelevanceCounts, Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings

_SETS_PER_BLOCK = 64


class Changes(NamedTuple):
    """Over ordered pairs of different images: ``n_related`` with a shared concept, ``n_changed`` with a
    neighbour match, ``n_new`` of these without a shared concept; ``total_change`` the sum of
    nn-IoU minus IoU over the changed ones."""

    n_related: int
    n_changed: int
    n_new: int
    total_change: float


def changes_of_pairs(
    study: Study, images: Ints, settings: Settings, *, progress: Progress | None = None
) -> Changes:
    """What neighbour matches change among all ordered pairs of ``images`` (ascending, different)."""
    near = Relevance("nn-iou")
    space, formula = space_of(study, near, settings), formula_of(near, settings)
    alone = formula_of(Relevance("iou"), settings)
    numbers, amounts = np.unique(space.set_of[images], return_counts=True)
    pool = pool_of(space, images)
    tally_of = tally_with(pool, space, rule=formula.rule, threshold=formula.threshold)

    def count(part: slice) -> Changes:
        tally = tally_of(numbers[part])
        results = np.diff(tally.firsts)
        stop = int(tally.firsts[-1])
        counts = RelevanceCounts(
            tally.overlaps[:stop],
            tally.nears[:stop],
            np.repeat(space.sizes[numbers[part]], results),
            tally.sizes[:stop],
        )
        times = np.repeat(amounts[part].astype(np.int64), results) * tally.amounts[:stop]
        return _sum(counts, times, formula, alone)

    # Every image was also counted with itself.
    found = over_cores(count, slices(len(numbers), _SETS_PER_BLOCK), progress)
    own = counts_of(space, images, images, rule=formula.rule, threshold=formula.threshold)
    itself = _sum(own, np.ones(len(images), np.int64), formula, alone)
    sums = [fsum(column) for column in zip(*found, strict=True)] or [0, 0, 0, 0.0]
    related, changed, new, change = (float(a) - float(b) for a, b in zip(sums, itself, strict=True))
    return Changes(round(related), round(changed), round(new), change)


def _sum(counts: RelevanceCounts, times: Offsets, formula: Formula, alone: Formula) -> Changes:
    """The counts of aligned results, each met ``times``."""
    near, shared = counts.neighbours > 0, counts.overlap > 0
    gained: Floats = values_by(formula, counts) - values_by(alone, counts)
    return Changes(
        int(times[shared].sum()),
        int(times[near].sum()),
        int(times[near & ~shared].sum()),
        sum_of(gained[near] * times[near]),
    )
