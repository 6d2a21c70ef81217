"""Altered copies of real images: a demonstration of what the scores notice, not a generator.

Each alteration takes away something that can be named, so that what the page shows can be checked by eye.
Intensities lie from 0 to 1; the same seed gives the same copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import UnknownName

BLUR, NOISE, DIM, NEAR = 0.02, 0.12, 0.55, 0.01
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
    found = pixels.copy()
    if pixels.ndim == 3 and not np.array_equal(pixels[..., 0], pixels[..., 1]):
        found[..., 0] = 0.0
    else:
        found[-(-2 * len(pixels) // 3) :] = 0.0
    return found


def _near(pixels: Floats, rng: np.random.Generator) -> Floats:
    most = max(1, round(NEAR * max(pixels.shape[:2])))
    down, across = (int(step) for step in rng.integers(-most, most + 1, 2))
    wide = np.pad(pixels, [(most, most), (most, most), (0, 0)][: pixels.ndim], mode="edge")
    height, width = pixels.shape[:2]
    moved = wide[most + down : most + down + height, most + across : most + across + width]
    return np.clip(moved * (1 + NEAR * rng.standard_normal()), 0.0, 1.0)


ALTERATIONS: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = MappingProxyType({
    "blurred": _blurred, "noisy": _noisy, "too dark": _dim, "part missing": _cut, "near copies": _near,
})  # fmt: skip
ABOUT: Mapping[str, str] = MappingProxyType({
    "other real images": "as they are, and not among the archetypes",
    "blurred": "Gaussian blur of 2% of the longer side",
    "noisy": "noise with a standard deviation of 12% of the range",
    "too dark": "all intensities times 0.55",
    "part missing": "the red channel black in colour images, the lower third in grey ones",
    "near copies": "few of the archetypes again and again, moved and brightened by 1%: it memorises",
})  # fmt: skip


def altered(pixels: Floats, kind: str, *, image: str, copy: int = 0) -> Floats:
    """An altered copy of an image, shape as given; ``image`` and ``copy`` decide its noise.

    >>> altered(np.ones((3, 2)), "part missing", image="a").sum(axis=1).tolist()
    [2.0, 2.0, 0.0]
    """
    if kind not in ALTERATIONS:
        raise UnknownName("alteration", kind, ALTERATIONS)
    rng = np.random.default_rng(int(digest_of(kind, image, copy), 16))
    return ALTERATIONS[kind](pixels, rng)
