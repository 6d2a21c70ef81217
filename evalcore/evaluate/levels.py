"""Levels of a hierarchy of labels, ``levels(modality>organ)``: how many labels are shared, from the top.

Level 0: the topmost label differs; level L: all L labels agree. For hierarchical average precision a level is
worth l^a / |Omega(l)|, Omega(l) the candidates of exactly that level: what is rarer among them counts more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.ranking.families import METRICS, Target
from evalcore.values.arrays import rows_of
from evalcore.values.portable_math import exp2, log2

if TYPE_CHECKING:
    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.systems import Lists
    from evalcore.ranking.families import Metric
    from evalcore.values.arrays import Bools, Floats, Offsets
    from evalcore.values.settings import Gain


def levels_shared(metric: Metric, lists: Lists, pool: Pool) -> Floats:
    """The level of every returned image, shape (rows,)."""
    agreed: Bools = np.ones(len(lists.candidates), np.bool_)
    shared = np.zeros(len(agreed))
    for table in pool.tables:
        agreed &= table.agree(lists.query_of_row, lists.candidates, metric.match)
        shared += agreed
    return shared


def target_of_levels(
    metric: Metric, at_least: Offsets, offered: Offsets, own: Bools, depth: int, gain: Gain
) -> Target:
    """What could have been found by levels.

    Parameters
    ----------
    at_least
        Candidates of each query that share the first 1, 2, ..., L labels, shape (n, L).
    offered
        Candidates of each query in all, shape (n,).
    own
        Queries that are among their own candidates.
    depth
        Ranks the measure looks at, of the best list.
    gain
        How a level becomes a gain where the family has gains.
    """
    width = max(1, min(depth, int(at_least[:, 0].max(initial=0))))
    levels = (np.arange(width) < at_least[:, :, np.newaxis]).sum(axis=1).astype(np.float64)
    n_relevant = at_least[:, 0]
    family = METRICS[metric.family]
    if not family.weighs_levels:
        ideal = levels if family.gain is None else family.gain(levels, gain=gain)
        return Target(ideal, n_relevant, offered - n_relevant)
    worth = _worth(metric, at_least, own)
    ideal = -np.sort(-np.take_along_axis(worth, levels.astype(np.int64), axis=1), axis=1)
    return Target(ideal, n_relevant, offered - n_relevant, worth)


def weighed(metric: Metric, lists: Lists, gains: Floats, target: Target) -> Floats:
    """Levels as what they are worth where the family weighs them, else as they are."""
    if target.worth is None or not metric.levels:
        return gains
    worth: Floats = target.worth[rows_of(lists.indptr), gains.astype(np.int64)]
    return worth


def _worth(metric: Metric, at_least: Offsets, own: Bools) -> Floats:
    """What each level is worth to each query, shape (n, L + 1); 0 for level 0 and for empty levels."""
    n, depth = at_least.shape
    exactly = at_least - np.hstack([at_least[:, 1:], np.zeros((n, 1), np.int64)])
    if metric.count_query:  # once: not where it is a candidate anyway
        exactly = exactly.copy()
        exactly[:, -1] += ~own
    raised = _power(np.arange(1, depth + 1), metric.power)
    share = np.divide(raised, exactly, out=np.zeros((n, depth)), where=exactly > 0)
    return np.hstack([np.zeros((n, 1)), share])


def _power(levels: Offsets, a: float) -> Floats:
    """l^a, exact for whole a."""
    if a == int(a):
        return np.array([float(level ** int(a)) for level in levels.tolist()])
    return exp2(a * log2(levels))
