"""Which automatic measure agrees best with readers? Grades against values, votes against scores of lists.

| statistic | question | at chance | best |
|---|---|---|---|
| within | are the results of one query in the readers' order? tau-b (rho), mean over queries | 0 | 1 |
| pooled | the same over all results of all queries | 0 | 1 |
| auc | is a result that readers call relevant valued above one they do not? | 0.5 | 1 |
| votes | does the list that readers prefer have the higher score? | 0.5 | 1 |

Intervals draw queries, the same ones for all measures and statistics. A measure that does not tell apart what
readers do is at chance there, and stays in. Differences: paired sign flips over queries of the tau-b within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.agreement import orders
from evalcore.features.review.agreement.ratings import MIDDLE
from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correction import holm
from evalcore.stats.levels import SAME, difference
from evalcore.stats.permutation import sign_flip_test
from evalcore.stats.sums import mean_of
from evalcore.values.model import Interval
from evalcore.values.settings import FLIPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Floats, Ints

N_RESAMPLES = 2_000
CONFIDENCE = 0.95
METHOD = "percentile bootstrap over queries"


@dataclass(frozen=True, slots=True)
class Against:
    """A measure's tau-b within queries less the reference's: interval, p, and p corrected by Holm."""

    reference: str
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """How well one measure agrees with readers; see the module. ``against`` None of the reference itself."""

    measure: str
    within: Interval
    within_rho: Interval
    pooled: Interval
    pooled_rho: Interval
    auc: Interval
    votes: Interval | None = None
    against: Against | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Graded results and what each measure says of them.

    ``grades`` (n,), ``values`` (n, measures), no NaN; ``cluster`` numbers the ``n_queries`` queries.
    """

    measures: tuple[str, ...]
    grades: Floats
    values: Floats
    cluster: Ints
    n_queries: int


@dataclass(frozen=True, slots=True, eq=False)
class Voted:
    """Votes: -1 for the first list, 1 for the second, never 0, shape (n,); ``scores`` (n, measures, 2).

    ``cluster`` numbers the ``n_queries`` queries. A score that is undefined is NaN.
    """

    sides: Floats
    scores: Floats
    cluster: Ints
    n_queries: int


def measure_agreement(
    judged: Judged, voted: Voted | None = None, *, reference: str | None = None,
    n_resamples: int = N_RESAMPLES, seed: int = 0, n_flips: int = FLIPS,
) -> tuple[MeasureAgreement, ...]:  # fmt: skip
    """Every measure against the readers, in the order given.

    Parameters
    ----------
    reference
        What the others are compared with; None: the measure with the highest tau-b within queries.
    n_resamples, n_flips
        Bootstrap draws of queries, and sign flips of the test.
    """
    n, m = judged.n_queries, len(judged.measures)
    weights = _weights(n, n_resamples, seed)
    taus = np.stack([_within(judged, j, "kendall") for j in range(m)], axis=1)
    rhos = np.stack([_within(judged, j, "spearman") for j in range(m)], axis=1)
    accuracy = _accuracy(voted, n_resamples, seed) if voted is not None and len(voted.sides) else [None] * m
    against = _against(judged.measures, taus, weights, reference, seed, n_flips)
    relevant = judged.grades >= MIDDLE - SAME
    found = []
    for j, name in enumerate(judged.measures):
        x, y, cluster = judged.values[:, j], judged.grades, judged.cluster
        pairs = orders.tau_pairs(x, y, cluster, n)
        above = orders.auc_pairs(x, relevant, cluster, n)

        def over(values: Floats, of: int, n: int = n) -> Interval:
            return _interval(values[0], values[1:], of, n, n_resamples, seed)

        known = int(np.count_nonzero(~np.isnan(taus[:, j])))
        found.append(
            MeasureAgreement(
                name,
                over(orders.weighted_mean(taus[:, j], weights), known, known),
                over(orders.weighted_mean(rhos[:, j], weights), known, known),
                over(orders.resampled_taus(pairs, weights), len(x)),
                over(orders.resampled_rhos(x, y, cluster, weights), len(x)),
                over(orders.resampled_aucs(above, weights), len(x)),
                accuracy[j],
                against[j],
            )
        )
    return tuple(found)


def best_first(found: Sequence[MeasureAgreement]) -> list[MeasureAgreement]:
    """By tau-b within queries, highest first; level ones in the order given, undefined ones last."""
    return sorted(found, key=lambda one: (np.isnan(one.within.mean), -round(one.within.mean, 11)))


def _weights(n: int, n_resamples: int, seed: int) -> Floats:
    """How often each query counts: all once in the first row, then resample by resample."""
    rng = np.random.default_rng(seed)
    drawn = [rows for _, rows in resampled_weights(n, n_resamples, rng)] if n else []
    return np.concatenate([np.ones((1, n)), *drawn])


def _within(judged: Judged, j: int, method: str) -> Floats:
    return orders.within(judged.values[:, j], judged.grades, judged.cluster, judged.n_queries, method=method)


def _interval(value: float, again: Floats, n: int, n_queries: int, n_resamples: int, seed: int) -> Interval:
    low = high = float("nan")
    if n_queries > 1 and np.isfinite(value):
        tail = (1 - CONFIDENCE) / 2
        low, high = np.nanquantile(again, [tail, 1 - tail]).tolist()
    return Interval(float(value), low, high, CONFIDENCE, METHOD, n, n_resamples, seed, n_queries)


def _against(
    names: Sequence[str], taus: Floats, weights: Floats, reference: str | None, seed: int, n_flips: int
) -> list[Against | None]:
    rows = taus[~np.isnan(taus).any(axis=1)]
    if len(rows) < 2:
        return [None] * len(names)
    means = [mean_of(rows[:, j]) for j in range(len(names))]
    at = names.index(reference) if reference in names else int(np.argmax(np.round(means, 11)))
    columns = difference(rows, rows[:, [at]])
    test = sign_flip_test(columns, n_resamples=n_flips, rng=np.random.default_rng((seed, 1)))
    p = test.p.copy()
    p[at] = np.nan
    corrected = holm(p)
    every = difference(taus, taus[:, [at]])
    found: list[Against | None] = []
    for j in range(len(names)):
        again = orders.weighted_mean(every[:, j], weights)
        low, high = np.nanquantile(again[1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
        one = Against(names[at], float(again[0]), low, high, float(p[j]), float(corrected[j]))
        found.append(None if j == at else one)
    return found


def _accuracy(voted: Voted, n_resamples: int, seed: int) -> list[Interval | None]:
    """The share of votes for the list with the higher score, equal or undefined scores half, by measure."""
    weights = _weights(voted.n_queries, n_resamples, seed)
    sizes = np.bincount(voted.cluster, minlength=voted.n_queries).astype(float)
    found: list[Interval | None] = []
    for j in range(voted.scores.shape[1]):
        ahead = np.sign(difference(voted.scores[:, j, 1], voted.scores[:, j, 0]))
        right = 0.5 + np.nan_to_num(ahead, nan=0.0) * voted.sides / 2
        sums = np.bincount(voted.cluster, weights=right, minlength=voted.n_queries)
        again = (weights @ sums) / (weights @ sizes)
        found.append(_interval(again[0], again[1:], len(right), voted.n_queries, n_resamples, seed))
    return found
