"""How sure is the order of the systems? The rank of each by its mean, under resampled queries.

A resample draws queries (whole groups where they come in some), the same ones for all systems, and ranks the
systems by their means anew: Goldstein & Spiegelhalter 1996 (doi:10.2307/2983325) ask for intervals of ranks
wherever institutions are ranked, Hall & Miller 2009 (doi:10.1214/09-AOS699) show what the bootstrap can say
of them. Between systems that are equally good it says too much: their ranks are a toss-up, which an interval
of one study can miss. Hence the groups of equals beside it (`equals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.pairs.every_pair import common_values
from evalcore.evaluate.summary import METHODS, N_BOOTSTRAP, by_groups, check_resamples, n_groups_of
from evalcore.stats.bootstrap import bootstrap_means
from evalcore.stats.clusters import cluster_means, clusters_of
from evalcore.stats.ranks import row_ranks
from evalcore.stats.sums import column_sums
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Scores


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The place of one system among ``k``, 1 for the highest mean; level ones share the mean of their places.

    ``mean``: over the ``n`` queries with a value under every system. ``low``, ``high``: the ranks that hold
    the middle ``level`` of all resamples, each one that occurred; ``expected``: mean rank over them;
    ``first``: share of the resamples in which no other system was ahead, 0 to 1. NaN where fewer than two
    independent queries count.
    """

    system: str
    metric: str
    k: int
    mean: float
    rank: float
    low: float
    high: float
    expected: float
    first: float
    level: float
    method: str
    n: int
    left_out: int
    n_groups: int
    n_resamples: int
    seed: int


def rank_intervals(
    scores: Sequence[Scores],
    *,
    settings: Settings | None = None,
    level: float = 0.95,
    n_resamples: int = N_BOOTSTRAP,
    seed: int = 0,
) -> tuple[RankInterval, ...]:
    """The rank of each system under one metric, in the order given, over the queries all have a value for.

    The draws are those of `summary.summarise_all`: the same queries with the same seed. The interval is one
    of percentiles, whatever ``settings.interval`` says: ranks are whole numbers or halves.
    """
    check_resamples(n_resamples)
    found = common_values(scores, settings)
    n, k = found.values.shape
    means = column_sums(found.values) / n if n else np.full(k, np.nan)
    ranks = row_ranks(means[np.newaxis])[0] if n else means
    drawn = _resampled(found.values, found.groups, n_resamples=n_resamples, seed=seed)
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0, method="inverted_cdf")
    first = np.where(np.isnan(drawn[0]), np.nan, _ahead_of_all(drawn))
    return tuple(
        RankInterval(
            one.system, one.metric, k, float(means[j]), float(ranks[j]), float(low[j]), float(high[j]),
            float(drawn[:, j].mean()), float(first[j]), level,
            METHODS["percentile"] + by_groups(one.grouped_by, found.groups), n, found.left_out,
            n_groups_of(found.groups), n_resamples, seed,
        )
        for j, one in enumerate(scores)
    )  # fmt: skip


def _resampled(values: Floats, groups: Ints | None, *, n_resamples: int, seed: int) -> Floats:
    """Ranks under resampled queries, shape (r, k); one row of NaN where fewer than two are independent."""
    independent = len(values) if groups is None else n_groups_of(groups)
    if independent < 2:
        return np.full((1, values.shape[1]), np.nan)
    rng = np.random.default_rng(seed)
    if groups is None:
        means = bootstrap_means(values, n_resamples=n_resamples, rng=rng)
    else:
        means = cluster_means(clusters_of(values, groups), n_resamples=n_resamples, rng=rng)
    return row_ranks(means)


def _ahead_of_all(ranks: Floats) -> Floats:
    """In which share of the rows each column has the best rank of the row, alone or with others."""
    best: Floats = (ranks == ranks.min(axis=1, keepdims=True)).mean(axis=0)
    return best
