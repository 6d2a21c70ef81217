"""Which automatic measure agrees best with readers? Grades against values, votes against scores of lists.

| statistic | question | at chance | best |
|---|---|---|---|
| within | are the results of one query in the readers' order? tau-b, mean over queries | 0 | 1 |
| auc | is a result that readers call relevant valued above one they do not? | 0.5 | 1 |
| votes | does the list that readers prefer have the higher score? | 0.5 | 1 |

Intervals draw queries, the same ones for all measures and statistics. A measure that does not tell apart what
readers do is at chance there, and stays in. Differences: paired sign flips over queries of the tau-b within.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.correction import holm
from evalcore.stats.correlation import within_groups
from evalcore.stats.levels import SAME, difference, levels_of
from evalcore.stats.permutation import sign_flip_test
from evalcore.stats.sums import cut, mean_of, weighted_sums
from evalcore.values.arrays import Bools, Floats, Ints
from evalcore.values.model import MIDDLE, Interval
from evalcore.values.settings import FLIPS

if TYPE_CHECKING:
    from collections.abc import Sequence

# The area under the ROC curve is a sum over pairs of results, and so a sum over pairs of queries of what
# their results contribute. Counted once as such a table, every resample of queries with its weights w is
# w' S w: pairs of a query that was drawn twice count with both of its copies. Results of one query stand
# together, queries in the order of their numbers.

ROWS = 2_048
"""Results compared with all others at a time."""


def auc_tables(x: Floats, relevant: Bools, cluster: Ints, n: int) -> tuple[Floats, Floats]:
    """Pairs of a relevant result and another one, by their queries: placed above (ties half), and all.

    Shape (n, n) each; multiples of a half, so that their sums are exact in any order.
    """
    levels = levels_of(x)
    of_query = sparse.csr_array((np.ones(len(x)), (np.arange(len(x)), cluster)), shape=(len(x), n))
    inside, outside = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    won = np.zeros((n, n))
    for first in range(0, len(inside), ROWS):
        rows = inside[first : first + ROWS]
        wins = (np.sign(levels[rows, None] - levels[outside]) + 1.0) / 2
        won += of_query[rows].T @ (wins @ of_query[outside])
    counts = [np.bincount(cluster[some], minlength=n).astype(float) for some in (inside, outside)]
    return won, np.outer(*counts)


def resampled_aucs(tables: tuple[Floats, Floats], weights: Floats) -> Floats:
    """The area under the weights of queries; NaN where all or none are relevant."""
    won, every = (((weights @ table) * weights).sum(axis=1) for table in tables)
    areas: Floats = np.divide(won, every, out=np.full(len(won), np.nan), where=every > 0)
    return areas


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
    auc: Interval
    votes: Interval | None = None
    against: Against | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GradedResults:
    """Graded results and what each measure says of them.

    ``grades`` (n,), ``values`` (n, measures), no NaN; ``cluster`` numbers the ``n_queries`` queries.
    """

    measures: tuple[str, ...]
    grades: Floats
    values: Floats
    cluster: Ints
    n_queries: int


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
    graded: GradedResults,
    votes: Votes | None = None,
    *,
    reference: str | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    n_flips: int = FLIPS,
) -> tuple[MeasureAgreement, ...]:
    """Every measure against the readers, in the order given.

    Parameters
    ----------
    reference
        What the others are compared with; None: the measure with the highest tau-b within queries.
    n_resamples, n_flips
        Bootstrap draws of queries, and sign flips of the test.
    """
    n, m = graded.n_queries, len(graded.measures)
    weights = _weights(n, n_resamples, seed)
    x, y, cluster = graded.values, graded.grades, graded.cluster
    taus = np.stack([within_groups(x[:, j], y, cluster, n) for j in range(m)], axis=1)
    accuracy = _accuracy(votes, n_resamples, seed) if votes is not None and len(votes.sides) else [None] * m
    against = _against(graded.measures, taus, weights, reference, seed, n_flips)
    relevant = y >= (MIDDLE if y.max(initial=0.0) <= 1 else 1.0) - SAME

    def over(values: Floats, group: int, n: int) -> Interval:
        return _interval(values[0], values[1:], group, n, n_resamples, seed)

    result = []
    for j, name in enumerate(graded.measures):
        areas = resampled_aucs(auc_tables(x[:, j], relevant, cluster, n), weights)
        known = int(np.count_nonzero(~np.isnan(taus[:, j])))
        within = over(weighted_mean(taus[:, j], weights), known, known)
        result.append(MeasureAgreement(name, within, over(areas, len(y), n), accuracy[j], against[j]))
    return tuple(result)


def best_first(agreements: Sequence[MeasureAgreement]) -> list[MeasureAgreement]:
    """By tau-b within queries, highest first; level ones in the order given, undefined ones last."""
    return sorted(
        agreements, key=lambda agreement: (np.isnan(agreement.within.mean), -round(agreement.within.mean, 11))
    )


def _weights(n: int, n_resamples: int, seed: int) -> Floats:
    """How often each query counts: all once in the first row, then resample by resample."""
    rng = np.random.default_rng(seed)
    drawn = [rows for _, rows in resampled_weights(n, n_resamples, rng)] if n else []
    return np.concatenate([np.ones((1, n)), *drawn])


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
    result: list[Against | None] = []
    for j in range(len(names)):
        again = weighted_mean(every[:, j], weights)
        low, high = np.nanquantile(again[1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
        row = Against(names[at], float(again[0]), low, high, float(p[j]), float(corrected[j]))
        result.append(None if j == at else row)
    return result


def _accuracy(votes: Votes, n_resamples: int, seed: int) -> list[Interval | None]:
    """The share of votes for the list with the higher score, equal or undefined scores half, by measure."""
    weights = _weights(votes.n_queries, n_resamples, seed)
    sizes = np.bincount(votes.cluster, minlength=votes.n_queries).astype(float)
    result: list[Interval | None] = []
    for j in range(votes.scores.shape[1]):
        ahead = np.sign(difference(votes.scores[:, j, 1], votes.scores[:, j, 0]))
        right = 0.5 + np.nan_to_num(ahead, nan=0.0) * votes.sides / 2
        sums = np.bincount(votes.cluster, weights=right, minlength=votes.n_queries)
        again = (weights @ sums) / (weights @ sizes)
        result.append(_interval(again[0], again[1:], len(right), votes.n_queries, n_resamples, seed))
    return result
