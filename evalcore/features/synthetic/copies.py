"""Which generated pictures look like copies? Perceptual hashes across generated and training pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from PIL import Image

from evalcore.evaluate.duplicates import BITS, NEAR, alike, dhash
from evalcore.values.arrays import Bools, Floats, Offsets, digest_of, readonly
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.progress import Progress, silent

Picture = Callable[[], Image.Image]


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
    """Pairs that hold a generated picture, the most alike first; ``n_read``: pictures with a hash."""

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


# The training image nearest to each generated one, under each similarity; and an order for a square.

MOST_ORDERED = 1_500
"""Images up to which the order of a square is optimised; the time grows with their square and more."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """``image[i]``: place of the training image nearest to generated image i, -1 for none; ``value``: how
    alike they are, NaN for none; ``level``: how many training images are just as near."""

    image: Offsets
    value: Floats
    level: Offsets


def nearest(across: Floats) -> Nearest:
    """The nearest column of each row of similarities, shape (generated, training); of equals the first.

    NaN is no candidate.
    """
    n, m = across.shape
    values = np.where(np.isfinite(across), across, -np.inf)
    if not m:
        return Nearest(np.full(n, -1), np.full(n, np.nan), np.zeros(n, np.int64))
    at = values.argmax(axis=1)
    best = values[np.arange(n), at]
    known = np.isfinite(best)
    ties = np.where(known, (values == best[:, np.newaxis]).sum(axis=1), 0)
    return Nearest(
        readonly(np.where(known, at, -1)),
        readonly(np.where(known, best, np.nan)),
        readonly(ties.astype(np.int64)),
    )


def cosines_across(rows: Floats, columns: Floats) -> Floats:
    """Cosine of each row vector with each column vector, shapes (n, k) and (m, k); NaN without direction."""
    return _unit(rows) @ _unit(columns).T


def cosines(rows: Floats) -> Floats:
    """Cosines of vectors, shape (n, k), with each other, from -1 to 1; NaN without direction."""
    unit = _unit(rows)
    return readonly(np.clip(unit @ unit.T, -1.0, 1.0))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, np.nan), float)


def clustered_order(similarity: Floats) -> Offsets:
    """The order in which like images stand together: average linkage, leaves so turned that neighbours are
    as alike as can be (Bar-Joseph, Gifford & Jaakkola 2001); beyond ``MOST_ORDERED`` images not turned.

    ``similarity``: shape (n, n), symmetric, at most 1 (1: the same); NaN counts as 0.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    n = len(similarity)
    if n < 3:
        return np.arange(n)
    apart = np.clip(1.0 - np.nan_to_num(similarity, nan=0.0), 0.0, None)
    flat = apart[np.triu_indices(n, 1)]
    tree = linkage(flat, "average")
    if n <= MOST_ORDERED:
        tree = optimal_leaf_ordering(tree, flat)
    return np.asarray(leaves_list(tree), np.int64)


# Altered copies of real images: a demonstration of what the scores notice, not a generator.
#
# Each alteration takes away something that can be named, so that what the page shows can be checked by eye.
# Intensities lie from 0 to 1; the same seed gives the same copy.

BLUR, NOISE, DIM, NEAR_ALTERATIONS = 0.02, 0.12, 0.55, 0.01
"""Standard deviation of the blur (of the longer side) and of the noise; factor of the intensities; how far a
near copy is moved at most (of the longer side), and the standard deviation of its change in brightness."""


def _blurred(pixels: Floats, _rng: np.random.Generator) -> Floats:
    from scipy.ndimage import gaussian_filter

    sigma = max(1.0, BLUR * max(pixels.shape[:2]))
    return np.asarray(gaussian_filter(pixels, (sigma, sigma, 0)[: pixels.ndim], mode="nearest"), float)


def _noisy(pixels: Floats, rng: np.random.Generator) -> Floats:
    return np.clip(pixels + NOISE * rng.standard_normal(pixels.shape), 0.0, 1.0)


def _dim(pixels: Floats, _rng: np.random.Generator) -> Floats:
    return pixels * DIM


def _cut(pixels: Floats, _rng: np.random.Generator) -> Floats:
    result = pixels.copy()
    if pixels.ndim == 3 and not np.array_equal(pixels[..., 0], pixels[..., 1]):
        result[..., 0] = 0.0
    else:
        result[-(-2 * len(pixels) // 3) :] = 0.0
    return result


def _near(pixels: Floats, rng: np.random.Generator) -> Floats:
    most = max(1, round(NEAR_ALTERATIONS * max(pixels.shape[:2])))
    down, across = (int(step) for step in rng.integers(-most, most + 1, 2))
    wide = np.pad(pixels, [(most, most), (most, most), (0, 0)][: pixels.ndim], mode="edge")
    height, width = pixels.shape[:2]
    moved = wide[most + down : most + down + height, most + across : most + across + width]
    return np.clip(moved * (1 + NEAR_ALTERATIONS * rng.standard_normal()), 0.0, 1.0)


ALTERATIONS: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = MappingProxyType(
    {"blurred": _blurred, "noisy": _noisy, "too dark": _dim, "part missing": _cut, "near copies": _near}
)
ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "other real images": "as they are, and not among the archetypes",
        "blurred": "Gaussian blur of 2% of the longer side",
        "noisy": "noise with a standard deviation of 12% of the range",
        "too dark": "all intensities times 0.55",
        "part missing": "the red channel black in colour images, the lower third in grey ones",
        "near copies": "few of the archetypes again and again, moved and brightened by 1%: it memorises",
    }
)


def altered(pixels: Floats, kind: str, *, image: str, copy: int = 0) -> Floats:
    """An altered copy of an image, shape as given; ``image`` and ``copy`` decide its noise.

    >>> altered(np.ones((3, 2)), "part missing", image="a").sum(axis=1).tolist()
    [2.0, 2.0, 0.0]
    """
    if kind not in ALTERATIONS:
        raise UnknownName("alteration", kind, ALTERATIONS)
    rng = np.random.default_rng(int(digest_of(kind, image, copy), 16))
    return ALTERATIONS[kind](pixels, rng)
