"""Values that come in groups, such as several images of one patient: groups are drawn, not values.

Values of one group are alike, so that counting each for itself makes a mean look surer than it is. A resample
draws whole groups with replacement (cluster bootstrap: Davison & Hinkley 1997, section 3.8), and a
permutation flips the sign of all differences of a group together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.stats.bootstrap import resampled_weights
from evalcore.stats.sums import column_sums, cut, list_sums, weighted_sums
from evalcore.values.arrays import Floats, Ints


class Clusters(NamedTuple):
    """Sum of each group's values in every column, shape (g, m), and its number of values, shape (g,)."""

    sums: Floats
    sizes: Floats

    @property
    def centres(self) -> Floats:
        """Mean of all values of each column, shape (m,)."""
        centres: Floats = column_sums(self.sums) / self.sizes.sum()
        return centres

    @property
    def influence(self) -> Floats:
        """How far each group moves the mean (jackknife): mean of all means without one, less its own."""
        total, n = column_sums(self.sums), self.sizes.sum()
        without = (total - self.sums) / np.maximum(n - self.sizes, 1)[:, np.newaxis]
        influence: Floats = column_sums(without) / len(without) - without
        return influence


def clusters_of(values: Floats, groups: Ints) -> Clusters:
    """Sums by group of values, shape (n, m); ``groups``, shape (n,): -1 stands for a group of its own."""
    numbers = np.where(groups >= 0, groups, groups.max(initial=0) + 1 + np.arange(len(groups)))
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    indptr = np.append(starts, len(groups)).astype(np.int64)
    sums = np.column_stack([list_sums(indptr, values[order, j]) for j in range(values.shape[1])])
    return Clusters(sums, np.diff(indptr).astype(float))


def standard_errors(clusters: Clusters) -> Floats:
    """Standard error of each column's mean where values come in groups, shape (m,); NaN for fewer than two.

    Each group moves the mean by its sum of deviations e_g from it, so that with g groups of n values

        se = sqrt(g / (g - 1) * sum e_g^2) / n

    (linearised ratio estimator: Cochran 1977, chapter 6; the cluster-robust one of a mean: Cameron & Miller
    2015, doi:10.3368/jhr.50.2.317). With groups of one value each it is s / sqrt(n).
    """
    g, n = len(clusters.sizes), clusters.sizes.sum()
    if g < 2:
        return np.full(clusters.sums.shape[1], np.nan)
    off = clusters.sums - clusters.sizes[:, np.newaxis] * clusters.centres
    errors: Floats = np.sqrt(g / (g - 1) * column_sums(off * off)) / n
    return errors


def cluster_means(clusters: Clusters, *, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Means of the columns under resampled groups, shape (n_resamples, m).

    Every group counts as often as it was drawn, with all of its values: the mean is the sum of the drawn
    groups' sums over the number of their values.
    """
    sums, sizes = cut(clusters.sums), clusters.sizes
    means = np.empty((n_resamples, clusters.sums.shape[1]))
    for rows, weights in resampled_weights(len(sizes), n_resamples, rng):
        means[rows] = weighted_sums(weights, sums) / (weights @ sizes)[:, np.newaxis]
    return means
