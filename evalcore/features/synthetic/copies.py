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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evalcore.evaluate.duplicates import BITS, NEAR, alike, dhash
from evalcore.features.synthetic.read_pictures import Picture
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

    @property
    def flagged(self) -> bool:
        """Whether the difference is above 0, and more than chance."""
        return self.difference > 0 and self.p < 0.05


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

    def resampled(rng: np.random.Generator, size: int) -> Floats:
        own, other = (means(_resampled(which, size, rng)) for which in (generated, ~generated))
        return own - other

    own, other = (float(means(which.astype(float)[np.newaxis])[0]) for which in (generated, ~generated))
    return _compared(
        (own, other),
        lambda labels: means(labels) - means(1.0 - labels),
        resampled,
        generated,
        (n_resamples, level, seed),
        stages(progress, 1, 1),
    )


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
    observed = nearest_training(similarity, generated)
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

    both = [part[np.isfinite(part)] for part in (observed[generated], observed[~generated])]

    def resampled(rng: np.random.Generator, size: int) -> Floats:
        if not all(map(len, both)):
            return np.empty(0)
        own, other = (part[rng.integers(0, len(part), (size, len(part)))] for part in both)
        return np.asarray(own.mean(axis=1) - other.mean(axis=1), float)

    return _compared(
        (_mean(observed[generated]), _mean(observed[~generated])),
        lambda labels: np.array([difference(own) for own in labels > 0]),
        resampled,
        generated,
        (n_resamples, level, seed),
        stages(progress, 3, 1),
    )


def _compared(
    observed: tuple[float, float],
    relabelled: Callable[[Floats], Floats],
    resampled: Callable[[np.random.Generator, int], Floats],
    generated: Bools,
    settings: tuple[int, float, int],
    progress: Sequence[Progress],
) -> Comparison:
    """How many relabellings reach the observed difference, and the interval of resampled ones.

    ``relabelled``: the difference of each row of labels, 1 for generated; ``resampled``: so many differences
    of sets drawn anew.
    """
    (n_resamples, level, seed), n, own = settings, len(generated), int(generated.sum())
    if min(own, n - own) < FEWEST:
        rule = f"at least {FEWEST} images of both kinds, to compare how similar they are"
        raise SettingError("generated", rule, f"{own:,} generated and {n - own:,} training images")
    if n_resamples < 1:
        raise SettingError("n_resamples", "at least 1", n_resamples)
    order = np.tile(np.arange(n), (n_resamples, 1))
    labels = np.zeros((n_resamples, n))
    ones = np.random.default_rng((seed, 0)).permuted(order, axis=1)[:, :own]
    np.put_along_axis(labels, ones, 1.0, axis=1)
    blocks = list(_blocks(n_resamples, progress[0], "relabelling images"))
    chance = np.concatenate([relabelled(labels[rows]) for rows in blocks])
    rng, blocks_drawn = np.random.default_rng((seed, 1)), _blocks(n_resamples, progress[1], "resampling")
    drawn = np.concatenate([resampled(rng, rows.stop - rows.start) for rows in blocks_drawn])
    drawn, p, low, high = drawn[np.isfinite(drawn)], np.nan, np.nan, np.nan
    difference = observed[0] - observed[1]
    if np.isfinite(difference):
        reached = int(np.count_nonzero(~(chance < difference - SAME)))  # undefined ones against the flag
        p = (reached + 1) / (n_resamples + 1)
        if len(drawn):
            tail = (1 - level) / 2
            low, high = map(float, np.quantile(drawn, [tail, 1 - tail]))
    return Comparison(*observed, low, high, p, own, n - own, n_resamples, level, seed)


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


# The training image nearest to each generated one.


class Nearest(NamedTuple):
    """image: place of the training image nearest to each generated one, -1 for none. value: how similar
    they are, NaN for none. ties: how many training images are just as near."""

    image: Offsets
    value: Floats
    ties: Offsets


def nearest(across: Floats) -> Nearest:
    """The nearest column of each row of similarities, shape (generated, training); of equals the first, NaN
    is no candidate."""
    values = np.where(np.isfinite(across), across, -np.inf)
    if not values.shape[1]:
        values = np.full((len(values), 1), -np.inf)
    at, best = values.argmax(axis=1), values.max(axis=1)
    known = np.isfinite(best)
    ties = np.where(known, (values == best[:, np.newaxis]).sum(axis=1), 0)
    return Nearest(np.where(known, at, -1), np.where(known, best, np.nan), ties)


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
class Memorisation:
    """A group against its training images, by features (WSI) and by vectors (cosine).

    training_ids, generated_ids: of the images compared; drawn: whether they are a sample. repeats: the
    self-similarity by features, as cosines also rise when a whole group is off in one direction. near,
    nearest: of the nearest training images, by "WSI" and "cosine". pairs: values of WSI within the training
    and within the generated images.
    """

    training_ids: list[str]
    generated_ids: list[str]
    drawn: bool
    repeats: Comparison
    near: dict[str, Comparison]
    nearest: dict[str, Nearest]
    pairs: tuple[Floats, Floats]


def memorisation(
    training: GroupScore,
    generated: GroupScore,
    vectors: tuple[Floats, Floats],
    *,
    weights: Floats,
    config: WsiConfig,
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
    groups = training, generated
    sizes, rng = [len(group.presence) for group in groups], np.random.default_rng((config.seed, 2))
    share = 1 if sum(sizes) <= MOST else MOST / sum(sizes)
    most = [n if share == 1 else max(FEWEST, MOST * n // sum(sizes)) for n in sizes]
    kept = [np.sort(rng.permutation(n)[:k]) for n, k in zip(sizes, most, strict=True)]
    present, known = (
        np.vstack([getattr(group.presence, mask)[rows] for group, rows in zip(groups, kept, strict=True)])
        for mask in ("present", "known")
    )
    both, own = Presence(present, known), np.arange(len(present)) >= len(kept[0])
    values = wsi_matrix(both, both, weights, config)
    rows = np.vstack([part[at] for part, at in zip(vectors, kept, strict=True)])
    similarities = {"WSI": (values + values.T) / 2, "cosine": np.clip(cosines(rows), -1.0, 1.0)}
    by_self, *by_near = stages(progress, 2, 1, 1)
    options = {"n_resamples": n_resamples, "level": config.level, "seed": config.seed}
    training_ids, generated_ids = (
        list(map(str, group.values.index[at])) for group, at in zip(groups, kept, strict=True)
    )
    by_wsi = similarities["WSI"]
    return Memorisation(
        training_ids,
        generated_ids,
        len(both) < sum(sizes),
        compare_self_similarity(by_wsi, own, **options, progress=by_self),  # type: ignore[arg-type]
        {
            by: compare_nearest(similarity, own, **options, progress=part)  # type: ignore[arg-type]
            for (by, similarity), part in zip(similarities.items(), by_near, strict=True)
        },
        {by: nearest(similarity[own][:, ~own]) for by, similarity in similarities.items()},
        (pair_values(by_wsi[~own][:, ~own]), pair_values(by_wsi[own][:, own])),
    )


# Which generated pictures look like copies? Perceptual hashes across generated and training pictures.


class Copy(NamedTuple):
    """Two pictures nearly the same: places among the generated ones, the second among the training pictures
    where it is one of them, and bits that differ."""

    generated: int
    other: int
    of_training: bool
    bits: int


def hashes_of(pictures: Sequence[Picture], progress: Progress = silent) -> Bools:
    """The 256 bits of every picture, none of them set where it cannot be read."""
    hashes = np.zeros((len(pictures), BITS), np.bool_)
    for i, picture in enumerate(pictures):
        progress(i / len(pictures), "looking for near copies")
        try:
            hashes[i] = dhash(picture())
        except InputError:
            continue
    return hashes


def near_copies(training: Bools, generated: Bools, near: int = NEAR) -> list[Copy]:
    """Pairs of a generated picture and another one whose hashes differ in ``near`` of 256 bits at most, the
    most similar first.

    A picture that cannot be read, or without any change of brightness from left to right, is like none.
    """
    hashes, n = np.vstack([training, generated]), len(training)
    pairs = [
        Copy(b - n, a, True, bits) if a < n else Copy(a - n, b - n, False, bits)
        for a, b, bits in alike(hashes, np.asarray(hashes.any(axis=1)), near)
        if b >= n
    ]
    return sorted(pairs, key=lambda pair: (pair.bits, not pair.of_training, pair.generated, pair.other))
