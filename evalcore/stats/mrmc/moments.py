"""What two readings have in common: sums over pairs of readings that share a reader, a case, both or neither.

The variance of a mean over random readers and cases is a sum over pairs of readings. Pairs are sorted by what
they share; each sort has a mean product, its moment, and a share of all pairs, its coefficient (Gallas 2006,
doi:10.1016/j.acra.2005.11.030; for any design Gallas, Bandos, Samuelson & Wagner 2009,
doi:10.1080/03610920802610084). For the area under the ROC curve a "reading" is the comparison of a positive
and a negative case by one reader, so that there are three things to share; for a mean rating there are two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import Floats

READER, CASE, NEGATIVE, POSITIVE = "reader", "case", "negative case", "positive case"
BLOCK_CELLS = 4_000_000
"""Comparisons of cases held at once; bounds memory and changes no result but for the last digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over ordered pairs of readings, for each pair of systems.

    factors: what two readings can share, the reader first. products, pairs: shape (2,) * factors + (systems,
    systems): at index 1 of a factor those that share it, at 0 all of them, whether they share it or not;
    the sum of their products, and how many they are. values: the mean of each system, every reading with
    the same weight, shape (systems,). per_reader: the same of each reader, NaN without readings, shape
    (systems, readers). own: moments of pairs that share exactly that, in place of those that follow from
    the sums; None where these count.
    """

    factors: tuple[str, ...]
    products: Floats
    pairs: Floats
    values: Floats
    per_reader: Floats
    own: Floats | None = None

    def exactly(self, sums: Floats) -> Floats:
        """The same sums over pairs that share just these factors, by inclusion and exclusion."""
        for axis in range(len(self.factors)):
            every, shared = np.take(sums, 0, axis), np.take(sums, 1, axis)
            sums = np.stack([every - shared, shared], axis)
        return sums

    @property
    def coefficients(self) -> Floats:
        """What each moment counts in the variance: the share of its pairs; one less of no shared factor."""
        nothing = (0,) * len(self.factors)
        every = self.pairs[nothing]
        result = _ratio(self.exactly(self.pairs), every)
        result[nothing] -= 1.0
        return result

    @property
    def unbiased(self) -> Floats:
        """Mean product of pairs that share exactly that; 0 where there are none."""
        if self.own is not None:
            return self.own
        return _ratio(self.exactly(self.products), self.exactly(self.pairs))

    @property
    def plugged_in(self) -> Floats:
        """Mean product of pairs that share at least that: what drawing from the readings themselves gives."""
        return _ratio(self.products, self.pairs)

    def components(self, moments: Floats) -> Floats:
        """Variance components (Barrett, Clarkson & Kupinski), same shape: of each factor, and joint ones.

        At index 0 of every factor it is the squared mean. A component that no pair of readings shares is 0.
        """
        result = moments
        for axis in range(len(self.factors)):
            every, shared = np.take(result, 0, axis), np.take(result, 1, axis)
            result = np.stack([every, shared - every], axis)
        return np.where(self.weights() > 0, result, 0.0)

    def weights(self) -> Floats:
        """What each component counts in the variance, 0 to 1: the share of pairs that share at least that."""
        return _ratio(self.pairs, self.pairs[(0,) * len(self.factors)])


def sums_of(readings: Readings, *, as_imrmc: bool = True) -> Sums:
    """Sums of the area under the ROC curve, where the readings have a truth; else of the mean rating.

    ``as_imrmc``: of mean ratings, a pair of readers without a case in common counts as a product of 0, as in
    iMRMC 2.1.2. That makes the variance of a single value too small in split-plot designs, even negative, and
    that of a difference a little too small. False leaves such pairs out, which is unbiased.
    """
    return _of_means(readings, as_imrmc) if readings.truth is None else _of_areas(readings)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    result: Floats = np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom > 0)
    return result


def _over_readers(grams: Floats, n_systems: int) -> Floats:
    """Sums over any two readers and over one reader twice, shape (2, systems, systems), of a Gram matrix."""
    whole = grams.reshape(n_systems, -1, n_systems, grams.shape[1] // n_systems)
    return np.stack([whole.sum(axis=(1, 3)), np.einsum("arbr->ab", whole)])


def comparisons(negative: Floats, positive: Floats) -> Floats:
    """1 where the positive case has the higher rating, 1/2 for equal ones, 0 otherwise and without a rating.

    Shapes (k, n) and (k, p) to (k, n, p).
    """
    higher = positive[:, None, :] > negative[:, :, None]
    result: Floats = higher + 0.5 * (positive[:, None, :] == negative[:, :, None])
    return result


def _of_areas(readings: Readings) -> Sums:
    assert readings.truth is not None, "areas take a truth"
    n_systems, n_readers, _ = readings.ratings.shape
    cells = readings.ratings.reshape(n_systems * n_readers, -1)
    negative, positive = cells[:, ~readings.truth], cells[:, readings.truth]
    k, n = negative.shape
    there = [(~np.isnan(part)).astype(float) for part in (negative, positive)]
    both, by_negative = np.zeros((k, k)), np.zeros((k, n))
    by_positive = np.zeros_like(positive)
    block = max(1, BLOCK_CELLS // max(1, positive.size))
    for start in range(0, n, block):
        part = slice(start, start + block)
        won = comparisons(negative[:, part], positive)
        flat = won.reshape(k, -1)
        both += flat @ flat.T
        by_negative[:, part] = won.sum(axis=2)
        by_positive += won.sum(axis=1)
    total, counts = by_negative.sum(axis=1), [part.sum(axis=1) for part in there]
    shared = [part @ part.T for part in there]
    square = [np.outer(count, count) for count in counts]
    # In the order of (negative case shared, positive case shared).
    products = (np.outer(total, total), by_positive @ by_positive.T, by_negative @ by_negative.T, both)
    pairs = (square[0] * square[1], square[0] * shared[1], shared[0] * square[1], shared[0] * shared[1])
    n_pairs = counts[0] * counts[1]
    return Sums(
        (READER, NEGATIVE, POSITIVE),
        _stacked(products, n_systems, 2),
        _stacked(pairs, n_systems, 2),
        *_values(total, n_pairs, n_systems),
    )


def _of_means(readings: Readings, as_imrmc: bool) -> Sums:
    n_systems, n_readers, _ = readings.ratings.shape
    cells = readings.ratings.reshape(n_systems * n_readers, -1)
    there = (~np.isnan(cells)).astype(float)
    filled = np.nan_to_num(cells)
    total, counts = filled.sum(axis=1), there.sum(axis=1)
    return Sums(
        (READER, CASE),
        _stacked((np.outer(total, total), filled @ filled.T), n_systems, 1),
        _stacked((np.outer(counts, counts), there @ there.T), n_systems, 1),
        *_values(total, counts, n_systems),
        own=_nested(filled, there, n_systems, as_imrmc),
    )


def _stacked(grams: tuple[Floats, ...], n_systems: int, n_kinds: int) -> Floats:
    summed = np.stack([_over_readers(gram, n_systems) for gram in grams], axis=1)
    return summed.reshape(2, *(2,) * n_kinds, n_systems, n_systems)


def _values(total: Floats, counts: Floats, n_systems: int) -> tuple[Floats, Floats]:
    by_system = total.reshape(n_systems, -1), counts.reshape(n_systems, -1)
    each = np.divide(*by_system, out=np.full(by_system[0].shape, np.nan), where=by_system[1] > 0)
    return _ratio(by_system[0].sum(axis=1), by_system[1].sum(axis=1)), each


def _nested(filled: Floats, there: Floats, n_systems: int, as_imrmc: bool) -> Floats:
    """Moments of mean ratings as means within readers (or pairs of them), then over these by their readings.

    Gallas, Pennello & Myers 2007 (doi:10.1364/JOSAA.24.000B70), with the weights of iMRMC's
    ``uStat11.conditionalD``. Where every reader read every case it is the mean over all pairs.
    """
    counts = there.sum(axis=1)
    by_system = counts.reshape(n_systems, -1)
    weight = _ratio(by_system, by_system.sum(axis=1, keepdims=True)).ravel()
    # The mean over the other cases of the second reader, for every case of the first.
    left = counts[:, None] - there
    others = _ratio(filled.sum(axis=1, keepdims=True) - filled, left)
    n_pairs = np.stack([there @ (left > 0).T, there @ there.T])
    means = _ratio(np.stack([filled @ others.T, filled @ filled.T]), n_pairs)
    pair = np.outer(weight, weight)
    identity = np.tile(np.eye(len(pair) // n_systems, dtype=bool), (n_systems, n_systems))
    scales = np.stack([pair * ~identity, np.sqrt(pair) * identity])[:, None] * (as_imrmc | (n_pairs > 0))
    shape = (2, 2, n_systems, len(pair) // n_systems, n_systems, -1)
    result = _ratio(
        *((part * scales).reshape(shape).sum(axis=(3, 5)) for part in (means, np.ones_like(means)))
    )
    # Of two systems iMRMC averages over the cases of the first, so with missing readings their order matters.
    return result if as_imrmc else (result + result.swapaxes(-1, -2)) / 2
