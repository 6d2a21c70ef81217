"""Does a generator repeat itself, or its training images? Similarities of pairs, nearest training images, and
copies by perceptual hash.

*Self-similarity* is the mean similarity of all unordered pairs i < j of one set. A generator that draws
from few images has a higher one than its training images. One that copies each training image once does
not: its images differ as much as those do. So there is a second question:

*Nearest training image*: how similar is each generated image to the training image most similar to it? The
measure is how similar training images are to the nearest *other* one among them. Copies are nearer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluate.duplicates import NEAR, alike, dhash
from evalcore.features.synthetic.read_pictures import Pictures
from evalcore.features.synthetic.wsi import GroupScore, WsiConfig, mean_of, wsi_matrix
from evalcore.values.arrays import Bools, Floats, Offsets
from evalcore.values.progress import Progress

MOST, FEWEST = 2_500, 3
"""Images of both sets together whose pairs are compared, and of one at least, drawn with the seed."""


def self_similarity(similarity: Floats, own: Bools) -> float:
    """The mean similarity of all pairs of images of one set; NaN without a pair that has one.

    ``similarity``: of all images with each other, shape (n, n), symmetric; NaN for pairs without a value,
    which count nowhere. The diagonal is ignored. ``own``: which of them are the set.
    """
    known = np.isfinite(similarity)
    np.fill_diagonal(known, val=False)
    each = own.astype(float)[np.newaxis]
    total, pairs = (
        float(np.einsum("ij,ij->i", each @ values, each)[0])
        for values in (np.where(known, similarity, 0.0), known.astype(float))
    )
    return total / pairs if pairs else np.nan


def nearest(across: Floats) -> tuple[Offsets, Floats]:
    """The nearest column of each row of similarities, shape (n, m), m > 0: its place, of equals the first,
    and how similar it is; -1 and NaN where all are NaN."""
    values = np.where(np.isfinite(across), across, -np.inf)
    at, best = values.argmax(axis=1), values.max(axis=1)
    known = np.isfinite(best)
    return np.where(known, at, -1), np.where(known, best, np.nan)


def cosines(rows: Floats, columns: Floats) -> Floats:
    """Cosine of each row vector with each column vector, shapes (n, k) and (m, k); NaN without direction."""

    def unit(vectors: Floats) -> Floats:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, np.nan), float)

    first = unit(rows)
    return first @ (first if columns is rows else unit(columns)).T


# Both questions about one group, by features and by vectors.


class Memorisation(NamedTuple):
    """A group beside its training images, by features (WSI) and by vectors (cosine).

    means: by question and similarity those of the generated and of the training images, with the number of
    images; self-similarity by features only, as cosines also rise when a whole group is off in one direction.
    nearest: of each generated image its id and, by features and by vectors, the id of the nearest training
    image and how similar it is. pairs: values of WSI within the training and within the generated images.
    """

    means: list[dict[str, Any]]
    nearest: list[dict[str, Any]]
    pairs: tuple[Floats, Floats]


def memorisation(
    training: GroupScore,
    generated: GroupScore,
    vectors: tuple[Floats, Floats],
    *,
    weights: Floats,
    config: WsiConfig,
) -> Memorisation:
    """Compare a group of generated images with the training images.

    Parameters
    ----------
    vectors
        Of both, shapes (n, k) in their order; rows of NaN for images without one.
    config
        alpha, beta, seed. With alpha and beta apart, a pair has the mean of both directions.
    """
    groups = training, generated
    sizes, rng = [len(group.presence) for group in groups], np.random.default_rng((config.seed, 2))
    most = sizes if sum(sizes) <= MOST else [max(FEWEST, MOST * n // sum(sizes)) for n in sizes]
    kept = [np.sort(rng.permutation(n)[:k]) for n, k in zip(sizes, most, strict=True)]
    both = np.vstack([group.presence[rows] for group, rows in zip(groups, kept, strict=True)])
    own, values = np.arange(len(both)) >= len(kept[0]), wsi_matrix(both, both, weights, config)
    rows = np.vstack([part[at] for part, at in zip(vectors, kept, strict=True)])
    by_wsi = (values + values.T) / 2
    training_ids, ids = (
        list(map(str, group.values.index[at])) for group, at in zip(groups, kept, strict=True)
    )
    means = [("self-similarity", "WSI", self_similarity(by_wsi, own), self_similarity(by_wsi, ~own))]
    near: list[dict[str, Any]] = [{"image": image} for image in ids]
    for by, similarity in (("WSI", by_wsi), ("cosine", np.clip(cosines(rows, rows), -1.0, 1.0))):
        np.fill_diagonal(similarity, np.nan)  # no image is its own neighbour
        images, best = nearest(similarity[own][:, ~own])
        _, among = nearest(similarity[~own][:, ~own])
        means.append(("nearest training image", by, mean_of(best), mean_of(among)))
        for row, image, value in zip(near, images, best, strict=True):
            row[f"nearest_{by.lower()}"] = training_ids[image] if image >= 0 else None
            row[by.lower()] = float(value)
    names = ("question", "by", "generated", "training", "n_generated", "n_training")
    numbers = [dict(zip(names, (*each, len(ids), len(training_ids)), strict=True)) for each in means]
    pairs = _pair_values(by_wsi[~own][:, ~own]), _pair_values(by_wsi[own][:, own])
    return Memorisation(numbers, near, pairs)


def _pair_values(similarity: Floats) -> Floats:
    """The defined values of all unordered pairs i < j of a square."""
    values = similarity[np.triu_indices(len(similarity), 1)]
    return np.asarray(values[np.isfinite(values)], float)


# Which generated pictures look like copies? Perceptual hashes across generated and training pictures.


class Copy(NamedTuple):
    """A generated picture that is nearly the same as a training one, by their ids; and the bits of their
    hashes that differ."""

    group: str
    generated: str
    training: str
    bits: int


def near_copies(pictures: Mapping[str, Pictures], real: str, progress: Progress) -> list[Copy]:
    """Pairs of a generated and a ``real`` picture whose hashes differ in `NEAR` of 256 bits at most.

    By group, the most similar first; none without pictures of both.
    A picture without any change of brightness from left to right is like none.
    """
    hashes: dict[str, Bools] = {}
    for group, own in pictures.items() if real in pictures else ():
        rows = []
        for i, picture in enumerate(own.all()):
            progress(i / len(own.places), "looking for near copies")
            rows.append(dhash(picture()))
        hashes[group] = np.array(rows)
    copies = []
    for group in [name for name in hashes if name != real]:
        bits, n = np.vstack([hashes[real], hashes[group]]), len(hashes[real])
        near = alike(bits, np.asarray(bits.any(axis=1)), NEAR)
        pairs = sorted((differ, made - n, other) for other, made, differ in near if other < n <= made)
        ids, others = list(pictures[group].places), list(pictures[real].places)
        copies += [Copy(group, ids[made], others[other], differ) for differ, made, other in pairs]
    return copies
