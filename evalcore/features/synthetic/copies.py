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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluate.duplicates import NEAR, alike, dhash
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.read_pictures import Picture
from evalcore.features.synthetic.wsi import GroupScore, Presence, WsiConfig, wsi_matrix
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Bools, Floats, Offsets
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, part_of, silent

METHOD, RELABELLINGS = "relabelling of images, one-sided", 999
FEWEST = 3
"""Images of a set from which on it has pairs to speak of."""
MOST = 2_500
"""Images of both sets together whose pairs are compared; more are drawn with the seed."""
_NEIGHBOURS = 32
"""So many nearest images are kept of each; where all of them are of the other set, the row is searched."""
_BLOCK = 256


class Comparison(NamedTuple):
    """A statistic of the generated images against that of the training images.

    p: of as great a difference under relabelling, NaN where it is undefined. n_generated, n_training: images.
    """

    generated: float
    training: float
    p: float
    n_generated: int
    n_training: int

    @property
    def difference(self) -> float:
        """Generated less training: above 0 where the generated images are more similar."""
        return self.generated - self.training

    @property
    def flagged(self) -> bool:
        """Whether the difference is above 0, and more than chance."""
        return self.difference > 0 and self.p < 0.05


Statistic = Callable[[Floats], tuple[Floats, Floats]]
"""Of rows of labels, shape (r, n), 1 for generated images: the statistic of these and of the training images,
shape (r,) each; NaN without a value."""


def self_similarity(similarity: Floats) -> Statistic:
    """Mean similarity of all pairs of images of one set.

    ``similarity``: of all images with each other, shape (n, n), symmetric; NaN for pairs without a value,
    which count nowhere. The diagonal is ignored.
    """
    known = np.isfinite(similarity)
    np.fill_diagonal(known, val=False)
    values, defined = np.where(known, similarity, 0.0), known.astype(float)

    def means(labels: Floats) -> Floats:
        sums, pairs = (np.einsum("ij,ij->i", labels @ square, labels) for square in (values, defined))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(pairs > 0, sums / pairs, np.nan), float)

    return lambda labels: (means(labels), means(1.0 - labels))


def nearest_similarity(similarity: Floats) -> Statistic:
    """Mean similarity of images to the most similar training image, itself left out; ``similarity`` as for
    `self_similarity`."""
    values = np.where(np.isfinite(similarity), similarity, -np.inf)
    np.fill_diagonal(values, -np.inf)
    order = np.argsort(-values, axis=1, kind="stable")[:, :_NEIGHBOURS]
    kept, every = np.take_along_axis(values, order, axis=1), np.arange(len(values))

    def means(own: Bools) -> list[float]:
        usable = ~own[order]
        first = usable.argmax(axis=1)
        best = kept[every, first]
        for row in np.flatnonzero(~usable[every, first]):
            best[row] = values[row, ~own].max(initial=-np.inf)
        sets = (best[which & np.isfinite(best)] for which in (own, ~own))
        return [float(some.mean()) if len(some) else np.nan for some in sets]

    def statistic(labels: Floats) -> tuple[Floats, Floats]:
        generated, training = np.array([means(own) for own in labels > 0]).T
        return generated, training

    return statistic


def compare(
    statistic: Statistic,
    generated: Bools,
    *,
    n_resamples: int = RELABELLINGS,
    seed: int = 0,
    progress: Progress = silent,
) -> Comparison:
    """Is the statistic of the generated images greater than that of the training images, more than chance?

    ``generated``: which of the n images were generated. SettingError with fewer than ``FEWEST`` of either.
    """
    n, own = len(generated), int(generated.sum())
    if min(own, n - own) < FEWEST:
        rule = f"at least {FEWEST} images of both kinds, to compare how similar they are"
        raise SettingError("generated", rule, f"{own:,} generated and {n - own:,} training images")
    order = np.tile(np.arange(n), (n_resamples, 1))
    labels = np.zeros((n_resamples, n))
    ones = np.random.default_rng((seed, 0)).permuted(order, axis=1)[:, :own]
    np.put_along_axis(labels, ones, 1.0, axis=1)
    chance = np.empty(n_resamples)
    for first in range(0, n_resamples, _BLOCK):
        progress(first / n_resamples, "relabelling images")
        chance[first : first + _BLOCK] = np.subtract(*statistic(labels[first : first + _BLOCK]))
    made, training = (float(value[0]) for value in statistic(generated.astype(float)[np.newaxis]))
    p = np.nan
    if np.isfinite(made - training):
        reached = int(np.count_nonzero(~(chance < made - training - SAME)))  # undefined ones against the flag
        p = (reached + 1) / (n_resamples + 1)
    return Comparison(made, training, p, own, n - own)


# The training image nearest to each generated one.


class Nearest(NamedTuple):
    """image: place of the training image nearest to each generated one, -1 for none. value: how similar
    they are, NaN for none."""

    image: Offsets
    value: Floats


def nearest(across: Floats) -> Nearest:
    """The nearest column of each row of similarities, shape (generated, training), at least one; of equals
    the first, NaN is no candidate."""
    values = np.where(np.isfinite(across), across, -np.inf)
    at, best = values.argmax(axis=1), values.max(axis=1)
    known = np.isfinite(best)
    return Nearest(np.where(known, at, -1), np.where(known, best, np.nan))


def cosines(rows: Floats, columns: Floats) -> Floats:
    """Cosine of each row vector with each column vector, shapes (n, k) and (m, k); NaN without direction."""

    def unit(vectors: Floats) -> Floats:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, np.nan), float)

    first = unit(rows)
    return first @ (first if columns is rows else unit(columns)).T


# Both questions about one group, by features and by vectors.

SELF, NEAREST = "self-similarity", "nearest training image"
BY_FEATURES, BY_VECTORS = "WSI", "cosine"


class Memorisation(NamedTuple):
    """A group against its training images, by features (WSI) and by vectors (cosine).

    tests: by question and similarity; self-similarity by features only, as cosines also rise when a whole
    group is off in one direction. nearest: of each generated image its id and, by features and by vectors,
    the id of the nearest training image and how similar it is. pairs: values of WSI within the training and
    within the generated images. sample: whether images were drawn.
    """

    tests: dict[tuple[str, str], Comparison]
    nearest: list[dict[str, Any]]
    pairs: tuple[Floats, Floats]
    sample: bool


def memorisation(
    training: GroupScore,
    generated: GroupScore,
    vectors: tuple[Floats, Floats],
    *,
    weights: Floats,
    config: WsiConfig,
    progress: Progress = silent,
) -> Memorisation:
    """Compare a group of generated images with the training images.

    Parameters
    ----------
    vectors
        Of both, shapes (n, k) in their order; rows of NaN for images without one.
    config
        alpha, beta, seed. With alpha and beta apart, a pair has the mean of both directions.

    Raises SettingError for fewer than ``FEWEST`` images of either.
    """
    groups = training, generated
    sizes, rng = [len(group.presence) for group in groups], np.random.default_rng((config.seed, 2))
    most = sizes if sum(sizes) <= MOST else [max(FEWEST, MOST * n // sum(sizes)) for n in sizes]
    kept = [np.sort(rng.permutation(n)[:k]) for n, k in zip(sizes, most, strict=True)]
    present, known = (
        np.vstack([getattr(group.presence, mask)[rows] for group, rows in zip(groups, kept, strict=True)])
        for mask in ("present", "known")
    )
    both, own = Presence(present, known), np.arange(len(present)) >= len(kept[0])
    values = wsi_matrix(both, both, weights, config)
    rows = np.vstack([part[at] for part, at in zip(vectors, kept, strict=True)])
    by_wsi = (values + values.T) / 2
    similarities = {BY_FEATURES: by_wsi, BY_VECTORS: np.clip(cosines(rows, rows), -1.0, 1.0)}
    first, *steps = (part_of(progress, k, 3) for k in range(3))
    tests = {(SELF, BY_FEATURES): compare(self_similarity(by_wsi), own, seed=config.seed, progress=first)}
    ids, others = (
        list(map(str, group.values.index[at])) for group, at in zip(groups[::-1], kept[::-1], strict=True)
    )
    near: list[dict[str, Any]] = [{"image": image} for image in ids]
    for (by, similarity), step in zip(similarities.items(), steps, strict=True):
        tests[NEAREST, by] = compare(nearest_similarity(similarity), own, seed=config.seed, progress=step)
        for row, image, value in zip(near, *nearest(similarity[own][:, ~own]), strict=True):
            row[f"nearest_{by.lower()}"] = others[image] if image >= 0 else None
            row[by.lower()] = float(value)
    pairs = _pair_values(by_wsi[~own][:, ~own]), _pair_values(by_wsi[own][:, own])
    return Memorisation(tests, near, pairs, len(both) < sum(sizes))


def _pair_values(similarity: Floats) -> Floats:
    """The defined values of all unordered pairs i < j of a square."""
    values = similarity[np.triu_indices(len(similarity), 1)]
    return np.asarray(values[np.isfinite(values)], float)


# Which generated pictures look like copies? Perceptual hashes across generated and training pictures.


class Copy(NamedTuple):
    """Two pictures nearly the same: a generated one, and another of its group or of the training images
    (``of_training``), by their ids; and the bits of their hashes that differ."""

    group: str
    generated: str
    like: str
    of_training: bool
    bits: int


def near_copies(material: Material, progress: Progress = silent) -> list[Copy]:
    """Pairs of a generated picture and another one whose hashes differ in `NEAR` of 256 bits at most, by
    group, the most similar first; none of groups without pictures.

    A picture without any change of brightness from left to right is like none.
    """

    def hashes(pictures: Sequence[Picture]) -> Bools:
        rows = []
        for i, picture in enumerate(pictures):
            progress(i / len(pictures), "looking for near copies")
            rows.append(dhash(picture()))
        return np.array(rows)

    real, copies = material.real.pictures, []
    if real is None:
        return []
    training, n = hashes(real.all()), len(real)
    for group in material.groups:
        if group.pictures is None:
            continue
        ids = [*real.ids, *group.pictures.ids]
        bits = np.vstack([training, hashes(group.pictures.all())])
        pairs = [
            (differ, a >= n, *((b, a) if a < n else (a, b)))
            for a, b, differ in alike(bits, np.asarray(bits.any(axis=1)), NEAR)
            if b >= n
        ]
        copies += [
            Copy(group.name, ids[made], ids[other], not within, differ)
            for differ, within, made, other in sorted(pairs)
        ]
    return copies
