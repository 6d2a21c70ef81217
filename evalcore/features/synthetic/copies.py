"""Does a generator repeat itself, or its training images? Two questions with a test each, and copies by
perceptual hash.

*Self-similarity* is the mean similarity of all unordered pairs i < j of one set. A generator that draws
from few images has a higher one than its training images. One that copies each training image once does
not: its images differ as much as those do. So there is a second question:

*Nearest training image*: how similar is each generated image to the training image most similar to it? The
measure is how similar training images are to the nearest *other* one among them. Copies are nearer.

Both are tested by relabelling images (not pairs, which share images): if generated images were more images
of the same kind, every division of all images into two sets of these sizes would be as likely as the one at
hand.

    p = (b + 1) / (n_resamples + 1),   b relabellings with a difference as great or greater (one-sided)

Intervals are percentile bootstraps over images; a pair of one image with itself, which resampling brings
about, is left out, or every set would seem more similar than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from evalcore.evaluate.duplicates import BITS, NEAR, alike, dhash
from evalcore.features.synthetic.wsi import GroupScore, Presence, WsiConfig, wsi_matrix
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Bools, Floats, Offsets
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import Progress, silent, stages

METHOD = "relabelling of images, one-sided"
N_RESAMPLES = 999
FEWEST = 3
"""Images of a set from which on it has pairs to speak of."""
MOST = 2_500
"""Images of both sets together whose pairs are compared; more are drawn with the seed."""
_NEIGHBOURS = 32
"""So many nearest images are kept of each; where all of them are of the other set, the row is searched."""
_BLOCK = 256


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
    """The defined values of all unordered pairs i < j of a square."""
    values = similarity[np.triu_indices(len(similarity), 1)]
    return np.asarray(values[np.isfinite(values)], float)


def compare_self_similarity(
    similarity: Floats,
    generated: Bools,
    *,
    n_resamples: int = N_RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> Comparison:
    """Are the generated images more similar among themselves than the training images are?

    Parameters
    ----------
    similarity
        Of all images with each other, shape (n, n), symmetric; NaN for pairs without a value, which count
        nowhere. The diagonal is ignored.
    generated
        Which of the n images were generated; the others are training images. At least ``FEWEST`` of both,
        or SettingError.
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

    observed = tuple(float(means(own.astype(float)[np.newaxis])[0]) for own in (generated, ~generated))
    tested, drawn = stages(progress, 1, 1)
    labels = _relabelled(generated, n_resamples, seed)
    chance = [
        means(labels[rows]) - means(1.0 - labels[rows])
        for rows in _blocks(n_resamples, tested, "relabelling images")
    ]
    rng = np.random.default_rng((seed, 1))
    resampled = []
    for rows in _blocks(n_resamples, drawn, "resampling images"):
        own, other = (
            means(_resampled(which, rows.stop - rows.start, rng)) for which in (generated, ~generated)
        )
        resampled.append(own - other)
    return _compared(observed, chance, resampled, generated, level, seed)


def nearest_training(similarity: Floats, generated: Bools) -> Floats:
    """How similar each image is to the training image nearest to it, itself left out, shape (n,); NaN
    without one."""
    values = np.where(np.isfinite(similarity), similarity, -np.inf)
    values[:, generated] = -np.inf
    np.fill_diagonal(values, -np.inf)
    best = values.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(best), best, np.nan)


def compare_nearest(
    similarity: Floats,
    generated: Bools,
    *,
    n_resamples: int = N_RESAMPLES,
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
    order = np.argsort(-values, axis=1, kind="stable")[:, :_NEIGHBOURS]
    kept, every = np.take_along_axis(values, order, axis=1), np.arange(len(values))

    def difference(own: Bools) -> float:
        """The difference of the means of nearest values, were these the generated images."""
        usable = ~own[order]
        first = usable.argmax(axis=1)
        best = kept[every, first]
        for row in np.flatnonzero(~usable[every, first]):
            best[row] = values[row, ~own].max(initial=-np.inf)
        return _mean(best[own]) - _mean(best[~own])

    tested, drawn = stages(progress, 3, 1)
    labels = _relabelled(generated, n_resamples, seed) > 0
    chance = [
        np.array([difference(own) for own in labels[rows]])
        for rows in _blocks(n_resamples, tested, "relabelling images")
    ]
    rng, resampled = np.random.default_rng((seed, 1)), []
    both = [part[np.isfinite(part)] for part in (nearest[generated], nearest[~generated])]
    for rows in _blocks(n_resamples, drawn, "resampling images") if all(map(len, both)) else ():
        own, other = (part[rng.integers(0, len(part), (rows.stop - rows.start, len(part)))] for part in both)
        resampled.append(np.asarray(own.mean(axis=1) - other.mean(axis=1), float))
    return _compared(observed, chance, resampled, generated, level, seed)


def _compared(
    observed: tuple[float, ...],
    chance: Sequence[Floats],
    resampled: Sequence[Floats],
    generated: Bools,
    level: float,
    seed: int,
) -> Comparison:
    """How many relabellings reach the observed difference, and the interval of the resampled ones."""
    difference, relabelled = observed[0] - observed[1], np.concatenate(chance)
    drawn = np.concatenate([np.empty(0), *resampled])
    drawn, p, low, high = drawn[np.isfinite(drawn)], np.nan, np.nan, np.nan
    if np.isfinite(difference):
        reached = int(np.count_nonzero(~(relabelled < difference - SAME)))  # undefined ones against the flag
        p = (reached + 1) / (len(relabelled) + 1)
        if len(drawn):
            tail = (1 - level) / 2
            low, high = map(float, np.quantile(drawn, [tail, 1 - tail]))
    n = int(generated.sum())
    return Comparison(
        observed[0], observed[1], low, high, p, n, len(generated) - n, len(relabelled), level, seed
    )


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
    return np.bincount(drawn.ravel(), minlength=size * len(which)).reshape(size, len(which)).astype(float)


def _blocks(n: int, progress: Progress, doing: str) -> Iterator[slice]:
    for first in range(0, n, _BLOCK):
        progress(first / n, doing)
        yield slice(first, min(first + _BLOCK, n))


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


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


# The training image nearest to each generated one.


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """image: place of the training image nearest to each generated one, -1 for none. value: how similar
    they are, NaN for none. ties: how many training images are just as near."""

    image: Offsets
    value: Floats
    ties: Offsets


def nearest(across: Floats) -> Nearest:
    """The nearest column of each row of similarities, shape (generated, training); of equals the first, NaN
    is no candidate."""
    n, m = across.shape
    if not m:
        return Nearest(np.full(n, -1), np.full(n, np.nan), np.zeros(n, np.int64))
    values = np.where(np.isfinite(across), across, -np.inf)
    at = values.argmax(axis=1)
    best = values[np.arange(n), at]
    known = np.isfinite(best)
    ties = np.where(known, (values == best[:, np.newaxis]).sum(axis=1), 0)
    return Nearest(np.where(known, at, -1), np.where(known, best, np.nan), ties.astype(np.int64))


def cosines(rows: Floats, columns: Floats | None = None) -> Floats:
    """Cosine of each row vector with each column vector, shapes (n, k) and (m, k), or with each other; NaN
    without direction."""
    unit = _unit(rows)
    return unit @ (unit if columns is None else _unit(columns)).T


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, np.nan), float)


# Both questions about one group, by features and by vectors.


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Under one similarity, of all images with each other: training images first, then generated ones.

    itself: of the means of pairs; None for vectors, whose cosines also rise when a whole group is off in
    one direction. near: of the nearest training images. of_training: how near each training image is to the
    next.
    """

    similarity: Floats
    generated: Bools
    itself: Comparison | None
    near: Comparison
    nearest: Nearest
    of_training: Floats

    @property
    def pairs(self) -> tuple[Floats, Floats]:
        """Values of pairs within the training and within the generated images."""
        return tuple(
            pair_values(self.similarity[np.ix_(own, own)]) for own in (~self.generated, self.generated)
        )  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, eq=False)
class Memorisation:
    """A group against its training images by features (WSI) and by vectors (cosine), None without vectors.

    training_ids, generated_ids: of the images compared; drawn: whether they are a sample.
    """

    training_ids: tuple[str, ...]
    generated_ids: tuple[str, ...]
    features: Likeness
    vectors: Likeness | None
    drawn: bool

    @property
    def itself(self) -> Comparison:
        """Self-similarity by features."""
        assert self.features.itself is not None
        return self.features.itself

    def tests(self, features: str, vectors: str) -> list[tuple[str, str, Comparison]]:
        """Each question, by what it was asked (called ``features`` or ``vectors``), and its test."""
        near = "nearest training image"
        by_vectors = [] if self.vectors is None else [(near, vectors, self.vectors.near)]
        return [("self-similarity", features, self.itself), (near, features, self.features.near), *by_vectors]


def memorisation(
    training: GroupScore,
    generated: GroupScore,
    *,
    weights: Floats,
    config: WsiConfig,
    vectors: tuple[Floats, Floats] | None = None,
    n_resamples: int = N_RESAMPLES,
    progress: Progress = silent,
) -> Memorisation:
    """Compare a group of generated images with the training images.

    Parameters
    ----------
    vectors
        Of both, shapes (n, k) in their order; rows of NaN for images without one.
    config
        alpha, beta, level, seed. With alpha and beta apart, a pair has the mean of both directions.

    Raises SettingError for fewer than ``FEWEST`` images of either.
    """
    sizes = len(training.presence), len(generated.presence)
    if min(sizes) < FEWEST:
        got = f"{sizes[0]} training, {sizes[1]} generated"
        raise SettingError("images", f"at least {FEWEST} of both kinds", got)
    total, rng, kept = sum(sizes), np.random.default_rng((config.seed, 2)), []
    for n in sizes:
        most = n if total <= MOST else max(FEWEST, MOST * n // total)
        kept.append(np.sort(rng.permutation(n)[:most]))
    both = [group.presence[rows] for group, rows in zip((training, generated), kept, strict=True)]
    stacked = Presence(*(np.vstack([getattr(part, mask) for part in both]) for mask in ("present", "known")))
    own = np.arange(len(stacked)) >= len(kept[0])
    by_features, by_vectors = stages(progress, 1, 1)
    values = wsi_matrix(stacked, stacked, weights, config)
    options = {"n_resamples": n_resamples, "level": config.level, "seed": config.seed}
    features = _likeness((values + values.T) / 2, own, by_features, options, itself=True)
    of_vectors = None
    if vectors is not None:
        rows = np.vstack([vectors[0][kept[0]], vectors[1][kept[1]]])
        of_vectors = _likeness(np.clip(cosines(rows), -1.0, 1.0), own, by_vectors, options, itself=False)
    ids = [tuple(group.values.index[rows]) for group, rows in zip((training, generated), kept, strict=True)]
    return Memorisation(ids[0], ids[1], features, of_vectors, len(stacked) < total)


def _likeness(
    similarity: Floats, generated: Bools, progress: Progress, options: Mapping[str, Any], *, itself: bool
) -> Likeness:
    first, second = stages(progress, 2, 1)
    own, others = np.flatnonzero(generated), np.flatnonzero(~generated)
    return Likeness(
        similarity,
        generated,
        compare_self_similarity(similarity, generated, **options, progress=first) if itself else None,
        compare_nearest(similarity, generated, **options, progress=second),
        nearest(similarity[np.ix_(own, others)]),
        nearest_training(similarity, generated)[others],
    )


# Which generated pictures look like copies? Perceptual hashes across generated and training pictures.

Picture = Callable[[], Image.Image]
"""Gives a decoded picture when it is asked for, so that few are held at once."""


@dataclass(frozen=True, slots=True)
class Copy:
    """Two pictures nearly the same: places among all pictures, the first generated, and bits that differ.

    of_training: the second is a training picture, else another generated one.
    """

    first: int
    second: int
    bits: int
    of_training: bool


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Pairs with a generated picture, the most similar first; ``n_read`` of ``n`` pictures have a hash."""

    pairs: tuple[Copy, ...]
    n_read: int
    n: int


def near_copies(
    pictures: Sequence[Picture], generated: Bools, *, near: int = NEAR, progress: Progress = silent
) -> Copies:
    """Pairs of pictures whose hashes differ in ``near`` of 256 bits at most, one or both of them generated.

    A picture that cannot be read, or without any change of brightness from left to right, is like none.
    """
    hashes = np.zeros((len(pictures), BITS), np.bool_)
    for i, picture in enumerate(pictures):
        progress(i / len(pictures), "looking for near copies")
        try:
            hashes[i] = dhash(picture())
        except InputError:
            continue
    known: Bools = np.asarray(hashes.any(axis=1))
    pairs = []
    for a, b, bits in alike(hashes, known, near):
        if generated[a] or generated[b]:
            first, second = (a, b) if generated[a] else (b, a)
            pairs.append(Copy(first, second, bits, not generated[second]))
    ordered = sorted(pairs, key=lambda pair: (pair.bits, not pair.of_training, pair.first, pair.second))
    return Copies(tuple(ordered), int(known.sum()), len(pictures))
