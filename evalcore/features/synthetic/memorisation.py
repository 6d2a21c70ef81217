"""Does a generator repeat itself, or its training images? Two questions, each with a test over images.

*Self-similarity* is the mean similarity of all unordered pairs i < j of one set. A generator that draws from
few images has a higher one than its training images. One that copies each training image once does not: its
images differ as much as those do. So there is a second question:

*Nearest training image*: how alike is each generated image to the training image most like it? The measure
is how alike training images are to the nearest *other* one among them. Copies lie nearer.

Both are tested by relabelling images (not pairs, which share images): if generated images were more images
of the same kind, every division of all images into two sets of these sizes would be as likely as the one at
hand.

    p = (b + 1) / (n_resamples + 1),   b relabellings with a difference as great or greater (one-sided)

Intervals are percentile bootstraps over images; a pair of one image with itself, which resampling brings
about, is left out, or every set would seem more similar than it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evalcore.stats.levels import SAME
from evalcore.values.arrays import Bools, Floats, Offsets
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, silent, stages

METHOD = "relabelling of images, one-sided"
NEIGHBOURS = 32
"""So many nearest images are kept of each; where all of them are of the other set, the row is searched."""
BLOCK = 256
FEWEST = 3
"""Images of a set from which on pairs can be spoken of."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A statistic of the generated images against that of the training images.

    low, high: interval of the difference; p: of as great a difference under relabelling, NaN where it is
    undefined. n_generated, n_training: images that count.
    """

    generated: float
    training: float
    low: float
    high: float
    p: float
    n_generated: int
    n_training: int
    n_resamples: int
    level: float
    seed: int

    @property
    def difference(self) -> float:
        """Generated less training: above 0 where the generated images are more similar."""
        return self.generated - self.training

    def flagged(self, at: float = 0.05) -> bool:
        """Whether the difference is above 0, and more than chance."""
        return self.difference > 0 and self.p < at


def pair_values(similarity: Floats) -> Floats:
    """The values of all unordered pairs i < j of a square, those that are defined."""
    values = similarity[np.triu_indices(len(similarity), 1)]
    return np.asarray(values[np.isfinite(values)], float)


def compare_self_similarity(
    similarity: Floats,
    generated: Bools,
    *,
    n_resamples: int = 999,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> Comparison:
    """Are the generated images more similar among themselves than the training images are?

    Parameters
    ----------
    similarity
        Of all images with each other, shape (n, n), symmetric; NaN for pairs without a value, which count
        nowhere. The diagonal is not looked at.
    generated
        Which of the n images were generated; the others are training images.
    """
    _check(similarity, generated, n_resamples)
    known = np.isfinite(similarity)
    np.fill_diagonal(known, val=False)
    values = np.where(known, similarity, 0.0)
    defined = None if known.sum() == known.size - len(known) else known.astype(np.float32)

    def means(weights: Floats) -> Floats:
        """Mean of all pairs of each row of weights (how often each image counts), itself left out."""
        sums = np.einsum("ij,ij->i", weights @ values, weights)
        pairs = (
            weights.sum(axis=1) ** 2 - (weights * weights).sum(axis=1)
            if defined is None
            else np.einsum("ij,ij->i", weights @ defined, weights)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(pairs > 0, sums / pairs, np.nan), float)

    own, other = generated.astype(float)[np.newaxis], (~generated).astype(float)[np.newaxis]
    observed = float(means(own)[0]), float(means(other)[0])
    tested, drawn = stages(progress, 1, 1)
    differences = [
        means(labels) - means(1.0 - labels)
        for labels in _blocks(_relabelled(generated, n_resamples, seed), n_resamples, tested)
    ]
    rng = np.random.default_rng((seed, 1))
    resampled = [
        means(_resampled(generated, size, rng)) - means(_resampled(~generated, size, rng))
        for size in _sizes(n_resamples, drawn)
    ]
    return _compared(observed, differences, resampled, generated, n_resamples, level, seed)


def nearest_training(similarity: Floats, generated: Bools) -> Floats:
    """How alike each image is to the training image nearest to it, itself left out; shape (n,).

    NaN where there is no training image with a value.
    """
    values = np.where(np.isfinite(similarity), similarity, -np.inf)
    values[:, generated] = -np.inf
    np.fill_diagonal(values, -np.inf)
    best = values.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(best), best, np.nan)


def compare_nearest(
    similarity: Floats,
    generated: Bools,
    *,
    n_resamples: int = 999,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> Comparison:
    """Are the generated images nearer to a training image than training images are to each other?

    Parameters as for `compare_self_similarity`. The interval resamples the nearest values of the images of
    each set; the training images that could be nearest stay as they are.
    """
    _check(similarity, generated, n_resamples)
    nearest = nearest_training(similarity, generated)
    observed = _mean(nearest[generated]), _mean(nearest[~generated])
    values = np.where(np.isfinite(similarity), similarity, -np.inf)
    np.fill_diagonal(values, -np.inf)
    order = np.argsort(-values, axis=1, kind="stable")[:, :NEIGHBOURS]
    kept = np.take_along_axis(values, order, axis=1)
    tested, drawn = stages(progress, 3, 1)
    differences = []
    for labels in _blocks(_relabelled(generated, n_resamples, seed), n_resamples, tested):
        differences.append(np.array([_of_labels(row > 0, values, order, kept) for row in labels]))
    rng, resampled = np.random.default_rng((seed, 1)), []
    of_own, of_training = (part[np.isfinite(part)] for part in (nearest[generated], nearest[~generated]))
    for size in _sizes(n_resamples, drawn):
        if len(of_own) and len(of_training):
            ends = [part[rng.integers(0, len(part), (size, len(part)))] for part in (of_own, of_training)]
            resampled.append(np.asarray(ends[0].mean(axis=1) - ends[1].mean(axis=1), float))
    return _compared(observed, differences, resampled, generated, n_resamples, level, seed)


def _of_labels(own: Bools, values: Floats, order: Offsets, kept: Floats) -> float:
    """The difference of the means of nearest values, were these the generated images."""
    usable = ~own[order]
    first = usable.argmax(axis=1)
    rows = np.arange(len(own))
    nearest = kept[rows, first]
    for row in np.flatnonzero(~usable[rows, first]):
        nearest[row] = values[row, ~own].max(initial=-np.inf)
    nearest = np.where(np.isfinite(nearest), nearest, np.nan)
    return _mean(nearest[own]) - _mean(nearest[~own])


def _compared(
    observed: tuple[float, float],
    differences: list[Floats],
    resampled: list[Floats],
    generated: Bools,
    n_resamples: int,
    level: float,
    seed: int,
) -> Comparison:
    """The result: how many relabellings reach the observed difference, and where the middle ones lie."""
    difference = observed[0] - observed[1]
    chance, drawn = np.concatenate(differences), np.concatenate(resampled or [np.array([np.nan])])
    drawn, p, low, high = drawn[np.isfinite(drawn)], float("nan"), float("nan"), float("nan")
    if np.isfinite(difference):
        reached = int(np.count_nonzero(~(chance < difference - SAME)))  # undefined ones against the flag
        p = (reached + 1) / (n_resamples + 1)
        if len(drawn):
            tail = (1 - level) / 2
            low, high = map(float, np.quantile(drawn, [tail, 1 - tail]))
    n = int(generated.sum())
    return Comparison(*observed, low, high, p, n, len(generated) - n, n_resamples, level, seed)


def _relabelled(generated: Bools, n_resamples: int, seed: int) -> Floats:
    """Rows of 1 (called generated) and 0, as many 1 in each as there are generated images."""
    n, own = len(generated), int(generated.sum())
    rng = np.random.default_rng((seed, 0))
    rows = np.zeros((n_resamples, n))
    ones = rng.permuted(np.tile(np.arange(n), (n_resamples, 1)), axis=1)[:, :own]
    np.put_along_axis(rows, ones, 1.0, axis=1)
    return rows


def _resampled(which: Bools, size: int, rng: np.random.Generator) -> Floats:
    """How often each image is drawn when those of a set are drawn anew, ``size`` times."""
    images = np.flatnonzero(which)
    drawn = images[rng.integers(0, len(images), (size, len(images)))] + np.arange(size)[:, None] * len(which)
    counts = np.bincount(drawn.ravel(), minlength=size * len(which))
    return counts.reshape(size, len(which)).astype(float)


def _blocks(rows: Floats, n: int, progress: Progress) -> Iterator[Floats]:
    for first in range(0, n, BLOCK):
        progress(first / n, "relabelling images")
        yield rows[first : first + BLOCK]


def _sizes(n: int, progress: Progress) -> Iterator[int]:
    for first in range(0, n, BLOCK):
        progress(first / n, "resampling images")
        yield min(BLOCK, n - first)


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _check(similarity: Floats, generated: Bools, n_resamples: int) -> None:
    if similarity.shape != (len(generated), len(generated)):
        raise SettingError("similarity", f"a square of {len(generated):,} images", similarity.shape)
    own = int(generated.sum())
    if min(own, len(generated) - own) < FEWEST:
        rule = f"at least {FEWEST} images of both kinds, to compare how similar they are"
        raise SettingError(
            "generated", rule, f"{own:,} generated and {len(generated) - own:,} training images"
        )
    if n_resamples < 1:
        raise SettingError("n_resamples", "at least 1", n_resamples)
