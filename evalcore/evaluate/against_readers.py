"""Which automatic measure agrees best with readers? Grades against values, votes against scores of lists.

| statistic | question | at chance | best |
|---|---|---|---|
| within | are the results of one query in the readers' order? tau-b, mean over queries | 0 | 1 |
| votes | does the list that readers prefer have the higher score? | 0.5 | 1 |

Intervals draw queries, the same ones for all measures and statistics. A measure that does not tell apart what
readers do is at chance there, and stays in. Differences: paired sign flips over queries of the tau-b within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correction import holm
from evalcore.stats.correlation import within_groups
from evalcore.stats.levels import difference
from evalcore.stats.permutation import sign_flip_test
from evalcore.stats.sums import cut, mean_of, weighted_sums
from evalcore.values.arrays import Floats, Ints
from evalcore.values.model import Interval
from evalcore.values.settings import FLIPS

if TYPE_CHECKING:
    from collections.abc import Sequence


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Means of the values there are, shape (n,), under whole weights (resamples, n); NaN where none is."""
    known = ~np.isnan(values)
    total = weights[:, known].sum(axis=1)
    sums = weighted_sums(weights[:, known], cut(values[known, np.newaxis]))[:, 0]
    means: Floats = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
    return means


N_RESAMPLES = 2_000
CONFIDENCE = 0.95
METHOD = "percentile bootstrap over queries"


@dataclass(frozen=True, slots=True)
class Against:
    """A measure's tau-b within queries less the best measure's: interval, p, and p corrected by Holm."""

    reference: str
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """How well one measure agrees with readers; see the module. ``against`` None of the best itself."""

    measure: str
    within: Interval
    votes: Interval | None = None
    against: Against | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes: -1 for the first list, 1 for the second, never 0, shape (n,); ``scores`` (n, measures, 2).

    ``cluster`` numbers the ``n_queries`` queries. A score that is undefined is NaN.
    """

    sides: Floats
    scores: Floats
    cluster: Ints
    n_queries: int


def measure_agreement(
    measures: Sequence[str],
    grades: Floats,
    values: Floats,
    queries: Ints,
    votes: Votes | None = None,
    *,
    seed: int = 0,
    n_flips: int = FLIPS,
) -> tuple[MeasureAgreement, ...]:
    """Every measure against the readers, in the order given.

    Parameters
    ----------
    grades, values
        Of graded results, shape (n,), and what each measure says of them, shape (n, measures); no NaN.
    queries
        The query of each result, shape (n,).
    seed, n_flips
        Of the bootstrap, which draws queries, and of the sign flips of the test; how many flips.
    """
    numbers, cluster = np.unique(queries, return_inverse=True)
    n, m = len(numbers), len(measures)
    weights = _weights(n, seed)
    taus = np.stack(
        [within_groups(values[:, j], grades, cluster.astype(np.int32), n) for j in range(m)], axis=1
    )
    accuracy = _accuracy(votes, seed) if votes is not None and len(votes.sides) else [None] * m
    against = _against(measures, taus, weights, seed, n_flips)
    result = []
    for j, name in enumerate(measures):
        known, means = int(np.count_nonzero(~np.isnan(taus[:, j]))), weighted_mean(taus[:, j], weights)
        within = over_queries(means[0], means[1:], known, known, seed)
        result.append(MeasureAgreement(name, within, accuracy[j], against[j]))
    return tuple(result)


def best_first(agreements: Sequence[MeasureAgreement]) -> list[MeasureAgreement]:
    """By tau-b within queries, highest first; level ones in the order given, undefined ones last."""
    return sorted(
        agreements, key=lambda agreement: (np.isnan(agreement.within.mean), -round(agreement.within.mean, 11))
    )


def _weights(n: int, seed: int) -> Floats:
    """How often each query counts: all once in the first row, then resample by resample."""
    rng = np.random.default_rng(seed)
    drawn = [rows for _, rows in resampled_weights(n, N_RESAMPLES, rng)] if n else []
    return np.concatenate([np.ones((1, n)), *drawn])


def over_queries(
    value: float, again: Floats, n: int, n_queries: int, seed: int, *, n_resamples: int = N_RESAMPLES
) -> Interval:
    """A value with the middle of those of its resamples; without an interval for fewer than two queries."""
    low = high = float("nan")
    if n_queries > 1 and np.isfinite(value):
        tail = (1 - CONFIDENCE) / 2
        low, high = np.nanquantile(again, [tail, 1 - tail]).tolist()
    return Interval(float(value), low, high, CONFIDENCE, METHOD, n, n_resamples, seed, n_queries)


def _against(
    names: Sequence[str], taus: Floats, weights: Floats, seed: int, n_flips: int
) -> list[Against | None]:
    rows = taus[~np.isnan(taus).any(axis=1)]
    if len(rows) < 2:
        return [None] * len(names)
    means = [mean_of(rows[:, j]) for j in range(len(names))]
    at = int(np.argmax(np.round(means, 11)))
    columns = difference(rows, rows[:, [at]])
    test = sign_flip_test(columns, n_resamples=n_flips, rng=np.random.default_rng((seed, 1)))
    p = test.p.copy()
    p[at] = np.nan
    corrected = holm(p)
    every = difference(taus, taus[:, [at]])
    result: list[Against | None] = []
    for j in range(len(names)):
        again = weighted_mean(every[:, j], weights)
        low, high = np.nanquantile(again[1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
        row = Against(names[at], float(again[0]), low, high, float(p[j]), float(corrected[j]))
        result.append(None if j == at else row)
    return result


def _accuracy(votes: Votes, seed: int) -> list[Interval | None]:
    """The share of votes for the list with the higher score, equal or undefined scores half, by measure."""
    weights = _weights(votes.n_queries, seed)
    sizes = np.bincount(votes.cluster, minlength=votes.n_queries).astype(float)
    result: list[Interval | None] = []
    for j in range(votes.scores.shape[1]):
        ahead = np.sign(difference(votes.scores[:, j, 1], votes.scores[:, j, 0]))
        right = 0.5 + np.nan_to_num(ahead, nan=0.0) * votes.sides / 2
        sums = np.bincount(votes.cluster, weights=right, minlength=votes.n_queries)
        again = (weights @ sums) / (weights @ sizes)
        result.append(over_queries(again[0], again[1:], len(right), votes.n_queries, seed))
    return result
