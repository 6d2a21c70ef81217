"""How good could lists of this length have been? What a list does not hold, it cannot be given credit for.

The best list of L results puts the best L candidates first. Its AP is L / R where R > L candidates are
relevant, its nDCG@K the share of the ideal discounted gain that lies in the first L ranks. A mean is no
better than the mean of these ceilings, whatever the system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.policy import counted
from evalcore.ranking.gains import RankedGains
from evalcore.ranking.metrics import METRICS, Metric, Target
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import starts_of

if TYPE_CHECKING:
    from evalcore.values.arrays import Bools, Floats, Offsets
    from evalcore.values.model import Scores
    from evalcore.values.settings import Settings


def ceilings_of(metric: Metric, target: Target, lengths: Offsets, defined: Bools) -> Floats | None:
    """The highest value of the metric for lists of these lengths, shape (n,): 1 where they are long enough.

    None where no list of a query that has a value (``defined``) is too short, and for metrics that are not
    held against what could have been found (P, mean, RBP). A query without an answer has length 0 and the
    ceiling 0.
    """
    if not METRICS[metric.family].needs_something_relevant:
        return None
    most = np.iinfo(np.int64).max if metric.cutoff is None else metric.cutoff
    if target.ideal is not None:
        needed = np.minimum(np.count_nonzero(target.ideal > 0, axis=1), most)
    else:
        assert target.n_relevant is not None, "a target is an ideal or a number"
        needed = np.minimum(target.n_relevant, most)
    too_short = defined & (lengths < needed)
    if not too_short.any():
        return None
    held = np.where(too_short, lengths, 0)
    gains = np.ones(int(held.sum()))
    if target.ideal is not None:
        gains = target.ideal[np.arange(target.ideal.shape[1]) < held[:, np.newaxis]]
    best = METRICS[metric.family].compute(RankedGains(starts_of(held), gains), target, metric)
    found = np.where(too_short, best, 1.0)
    return found if (found < 1).any() else None


def ceiling_of(scores: Scores, settings: Settings) -> float | None:
    """The highest mean that lists of these lengths allow, over the queries that count; None where it is 1."""
    if scores.ceiling is None:
        return None
    queries, _ = counted(scores, settings)
    rows = np.isin(scores.queries, queries)
    found = mean_of(np.nan_to_num(scores.ceiling[rows], nan=0.0))
    return found if found < 1 else None
