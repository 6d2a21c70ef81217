"""How far do raters agree with each other? Krippendorff's alpha, Cohen's kappa.

Values are tables of shape (raters, items), NaN where a rater gave none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.sums import cut, weighted_sums

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats, Ints, Offsets

Level = Literal["nominal", "ordinal", "interval"]
"""Of measurement: how far values may be compared."""
MOST_STEPS = 11
"""A scale with more different grades than these is a continuous one."""


def level_of(values: Floats) -> Level:
    """Whether values are steps or a continuous scale, by how many differ; NaN is passed over."""
    return "ordinal" if len(np.unique(values[~np.isnan(values)])) <= MOST_STEPS else "interval"


# Krippendorff's alpha: how much more similar are the values of one item than values drawn from all of them?
#
#     alpha = 1 - D_o / D_e
#
# D_o is the mean squared distance between two readers' values of the same item, D_e that between any two of
# the values given. 1: they always agree; 0: as by chance; below 0: they contradict each other. Any number
# of readers, and gaps. Items with one value say nothing about agreement and play no part. Krippendorff
# 2011, "Computing Krippendorff's Alpha-Reliability".
#
# The coincidences of values add up over items, so a resample of queries is a weighted sum of theirs.


def alpha(values: Floats, level: Level) -> float:
    """Alpha of a table of values, shape (readers, items), NaN for none.

    NaN where it is undefined: fewer than two values of every item, or all values equal.
    """
    counts, domain = _counts(values)
    if len(domain) < 2:
        return float("nan")
    everything = np.zeros(len(counts), np.int32)
    return _alpha(_coincidences(counts, everything)[0], domain, level)


def resampled_alphas(
    values: Floats, level: Level, clusters: Ints, *, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Alpha under resampled clusters of items, shape (n_resamples,); NaN where it is undefined.

    ``clusters``: number of the cluster of each item, from 0.
    """
    shared = np.count_nonzero(~np.isnan(values), axis=0) > 1
    counts, domain = _counts(values)
    if not len(domain):
        return np.full(n_resamples, np.nan)
    groups = np.unique(clusters[shared], return_inverse=True)[1]
    together = _coincidences(counts, groups)
    flat, result = cut(together.reshape(len(together), -1)), np.empty(n_resamples)
    for rows, weights in resampled_weights(len(together), n_resamples, rng):
        sums = weighted_sums(weights, flat).reshape(-1, len(domain), len(domain))
        result[rows] = [_alpha(row, domain, level) for row in sums]
    return result


def _counts(values: Floats) -> tuple[Floats, Floats]:
    """How often each item with two values or more has each value, shape (items, domain); and the domain."""
    table = values[:, np.count_nonzero(~np.isnan(values), axis=0) > 1]
    domain = np.unique(table[~np.isnan(table)])
    return (table[:, :, np.newaxis] == domain).sum(axis=0).astype(float), domain


def _coincidences(counts: Floats, clusters: Ints | Offsets) -> Floats:
    """How often every two values met, shape (clusters, domain, domain).

    An item with n values adds n in all.
    """
    sums = np.zeros((int(clusters.max()) + 1, counts.shape[1], counts.shape[1]))
    for cluster, row in zip(clusters, counts, strict=True):
        sums[cluster] += (np.outer(row, row) - np.diag(row)) / (row.sum() - 1)
    return sums


def _alpha(coincidences: Floats, domain: Floats, level: Level) -> float:
    """Alpha from how often every two values met, shape (values, values)."""
    totals = coincidences.sum(axis=1)
    distance = _squared_distances(domain, totals, level)
    expected = totals @ distance @ totals / (totals.sum() - 1)
    return float(1 - (coincidences * distance).sum() / expected) if expected > 0 else float("nan")


def _squared_distances(domain: Floats, totals: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(domain))
    # Of ordered steps: how many values were given from one to the other, half of the ends' own.
    place = domain if level == "interval" else np.cumsum(totals) - totals / 2
    squares: Floats = (place[:, np.newaxis] - place) ** 2
    return squares


# Cohen's kappa: agreement of two readers beyond chance. Weighted by the distance of two grades, or its
# square, a disagreement by one step counts less than one by four (Cohen 1968, doi:10.1037/h0026256).

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS_OF: dict[Level, Weights] = {"nominal": "none", "ordinal": "quadratic", "interval": "quadratic"}
"""How far apart two values are at each level of measurement, unless told otherwise."""


def cohen(a: Floats, b: Floats, *, weights: Weights = "quadratic") -> float:
    """Kappa of two readers over the items both judged, shape (n,) each; NaN where it is undefined.

    Undefined: nothing judged by both, or both gave one and the same value throughout. Any numbers can be
    grades, such as -1, 0 and 1: a disagreement weighs as much as the two values differ (``linear``), or the
    square of that (``quadratic``), so the unit and the zero of the scale do not matter.
    """
    both = ~(np.isnan(a) | np.isnan(b))
    domain, codes = np.unique(np.concatenate([a[both], b[both]]), return_inverse=True)
    if len(domain) < 2:
        return float("nan")
    n = int(both.sum())
    gaps = np.abs(domain[:, np.newaxis] - domain)
    disagreement = {"none": gaps > 0, "linear": gaps, "quadratic": gaps**2}[weights]
    observed = disagreement[codes[:n], codes[n:]].mean()
    of_a, of_b = (np.bincount(half, minlength=len(domain)) / n for half in (codes[:n], codes[n:]))
    by_chance = float(of_a @ disagreement @ of_b)
    return float(1 - observed / by_chance)
