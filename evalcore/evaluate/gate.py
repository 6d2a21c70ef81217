"""Is one system worse than another by more than a bound? The gate for a new checkpoint against the last one.

A decline below a bound (such as -0.01) is *established* where the one-sided hypothesis "the mean difference
is the bound or more" is rejected at `LEVEL` (5%), by sign flips of the differences less the bound, of whole
groups where queries come in some, and corrected by Holm over all metrics compared. So at most one run in
twenty raises a false alarm under any metric whose true difference is not below the bound. The test is exact
where differences scatter evenly about their mean, and a good approximation otherwise (Smucker, Allan &
Carterette 2007, doi:10.1145/1321440.1321528).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.comparison import N_PERMUTATIONS, paired_differences
from evalcore.evaluate.summary import alike
from evalcore.ranking.metrics import by_median, sign_of
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import holm
from evalcore.stats.permutation import sign_flip_below
from evalcore.values.arrays import Floats, Ints
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.values.model import Comparison

LEVEL = 0.05
"""The chance of a false alarm under any of the metrics compared, at most."""


class Gated(NamedTuple):
    """A comparison held against the bound.

    p_below: of the rule of this module, corrected; NaN without a query. declined: whether a decline is
    established.
    """

    comparison: Comparison
    p_below: float
    declined: bool


def gate(analysis: Analysis, a: str, b: str, *, bound: float) -> tuple[Gated, ...]:
    """Is system a worse than system b by more than the bound, under each metric of the analysis?

    bound: the lowest mean of a minus b that is no decline, 0 or less; where lower is better, b minus a.

    Raises
    ------
    UnknownName
        A system that is not in view.
    InputError
        A metric by the median, whose decline no mean difference shows.
    """
    view = analysis.view
    if medians := [metric for metric in view.metrics if by_median(metric)]:
        raise InputError(
            f"A decline is tested by mean differences, and {medians[0]} is a median. Use MeanR instead."
        )
    comparisons = [analysis.comparison(a, b, metric) for metric in view.metrics]
    scores = {(score.system, score.metric): score for score in analysis.scores}
    columns, groups = zip(
        *(paired_differences(scores[b, metric], scores[a, metric], view.settings) for metric in view.metrics),
        strict=True,
    )
    leads = [sign_of(metric) * column for metric, column in zip(view.metrics, columns, strict=True)]
    p = below(leads, groups, bound=bound, n_resamples=view.flips, seed=view.seed)
    return tuple(
        Gated(comparison, float(value), bool(value < LEVEL))
        for comparison, value in zip(comparisons, p, strict=True)
    )


def below(
    columns: Sequence[Floats],
    groups: Sequence[Ints | None],
    *,
    bound: float,
    n_resamples: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Floats:
    """Does the mean of each column of differences lie below the bound? p of the rule of this module, (m,).

    Parameters
    ----------
    columns
        Differences by query, each of shape (n,), without NaN; n may differ and be 0 (p NaN).
    groups
        By column the group of each query, -1 for none; None where the queries are independent.
    bound
        The lowest mean that is no decline: 0 or less.
    """
    p = np.full(len(columns), np.nan)
    for members in alike(columns, groups):
        matrix, of = np.stack([columns[i] for i in members], axis=1) - bound, groups[members[0]]
        if of is not None:
            matrix = clusters_of(matrix, of).sums
        # A third stream beside those of intervals and two-sided tests.
        rng = np.random.default_rng((seed, 2))
        p[members] = sign_flip_below(matrix, n_resamples=n_resamples, rng=rng).p
    return holm(p)
