"""How far do readers agree with each other? One number for all, one for every two, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.agreement import WEIGHTS_OF, alpha, cohen, counts_of, fleiss, resampled_alphas
from evalcore.values.model import Interval

if TYPE_CHECKING:
    from evalcore.features.review.agreement.ratings import Ratings
    from evalcore.stats.agreement import Level, Weights

N_RESAMPLES = 1_000
METHOD = "percentile bootstrap over queries"


@dataclass(frozen=True, slots=True)
class TwoReaders:
    """Weighted kappa of two readers over the ``n`` items both judged; ``same``: share with equal values."""

    a: str
    b: str
    kappa: float
    n: int
    same: float


@dataclass(frozen=True, slots=True, eq=False)
class ReaderAgreement:
    """How far readers agree.

    ``alpha``: Krippendorff's, at ``level``, its interval over queries; its n counts the items that at least
    two readers judged. ``fleiss``: over the ``n_by_all`` items that every reader judged. ``why_none``: in
    words, why alpha is undefined; "" where it is not.
    """

    level: Level
    readers: tuple[str, ...]
    alpha: Interval
    pairs: tuple[TwoReaders, ...]
    weights: Weights
    fleiss: float
    n_by_all: int
    n_items: int
    n_queries: int
    why_none: str = ""


def agreement(
    ratings: Ratings,
    *,
    level: Level | None = None,
    weights: Weights | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> ReaderAgreement:
    """How far the readers of these ratings agree.

    Parameters
    ----------
    level
        Of measurement: "nominal", "ordinal", "interval"; None as the values say (`Ratings.level`).
    weights
        Of Cohen's kappa; None: quadratic for grades, none for votes.
    n_resamples, seed
        Of the bootstrap, which draws queries: the results of one query are judged side by side.
    """
    level = level or ratings.level
    weights = weights or WEIGHTS_OF[level]
    values = ratings.values
    shared = np.count_nonzero(~np.isnan(values), axis=0) > 1
    result = alpha(values, level)
    low = high = float("nan")
    n_queries = len(np.unique(ratings.cluster[shared]))
    if np.isfinite(result) and n_queries > 1:
        again = resampled_alphas(
            values, level, ratings.cluster, n_resamples=n_resamples, rng=np.random.default_rng(seed)
        )
        tail = (1 - confidence) / 2
        low, high = np.nanquantile(again, [tail, 1 - tail]).tolist()
    counts = counts_of(values)
    return ReaderAgreement(
        level,
        ratings.readers,
        Interval(result, low, high, confidence, METHOD, int(shared.sum()), n_resamples, seed, n_queries),
        tuple(_two(ratings, i, j, weights) for i, j in combinations(range(len(ratings.readers)), 2)),
        weights,
        fleiss(counts) if len(ratings.readers) > 1 else float("nan"),
        len(counts),
        len(ratings.items),
        n_queries,
        _why_none(ratings, result),
    )


def _two(ratings: Ratings, i: int, j: int, weights: Weights) -> TwoReaders:
    a, b = ratings.values[i], ratings.values[j]
    both = ~(np.isnan(a) | np.isnan(b))
    n = int(both.sum())
    same = float((a[both] == b[both]).mean()) if n else float("nan")
    return TwoReaders(ratings.readers[i], ratings.readers[j], cohen(a, b, weights=weights), n, same)


def _why_none(ratings: Ratings, result: float) -> str:
    """Why there is no alpha; "" where there is one."""
    if np.isfinite(result):
        return ""
    if not ratings.items:
        return "Nothing has been judged yet."
    if len(ratings.readers) < 2:
        return "Only one reader has judged: agreement needs two."
    if not (np.count_nonzero(~np.isnan(ratings.values), axis=0) > 1).any():
        return "No two readers have judged the same result."
    return "All judgments are equal: agreement beyond chance is undefined."
