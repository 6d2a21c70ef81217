"""Features measured in images: intensity, texture, objects and sharpness of each channel.

Intensities are from 0 (black) to 1 (the maximum of the file's type). A feature is called ``channel.name``;
one that an image cannot have is ``UNDEFINED``. What scikit-image has is used; sums over pixels replace its
loop over objects, which takes seconds on noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from evalcore.features.synthetic.wsi import UNDEFINED
from evalcore.values.arrays import Bools, Floats, readonly
from evalcore.values.settings import check_choices, option
from evalcore.values.writing import words

ANGLES = (0, 45, 90, 135)
LEVELS = 32
"""Grey levels of the co-occurrence matrices, evenly over the range of the image's type."""


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """How features are measured: areas, radii, texture and sharpness are of the pixels after scaling; the
    luminance is that of ITU-R BT.601. SettingError for a value that cannot be chosen."""

    side: int = option(
        256, "Scale images so that the longer side is this long.", low=8, high=2_048, metavar="PIXELS"
    )
    channels: Literal["auto", "grey"] = option(
        "auto",
        "auto: red, green and blue where any image is in colour. grey: the luminance of all. Channels that a "
        "TIFF declares are measured separately.",
    )

    __post_init__ = check_choices  # type: ignore[misc]


NAMES_TEXTURE = words(
    """
    contrast, dissimilarity, homogeneity, asm, energy, correlation, texture_entropy, texture_variance,
    sum_average, sum_variance, sum_entropy, difference_variance, difference_entropy, imc1, imc2
    """
)
NAMES = (
    *words("mean, std, skewness, kurtosis, entropy, p5, p95"),
    *NAMES_TEXTURE,
    *words("objects, area, mean_area, mean_radius, eccentricity, gradient, laplacian"),
)
"""The features of a channel, in the order of a table."""

# How bright, how varied: the intensities of one channel, 0 (black) to 1 (the type's maximum).

BINS = 256
_FLAT = 1e-12


def intensity(channel: Floats) -> dict[str, float]:
    """Mean, population standard deviation, skewness, excess kurtosis, entropy, 5th and 95th percentile.

    Entropy in bits, of intensities rounded to 256 steps (those of an 8-bit image). A channel of one
    intensity has no skewness and no kurtosis.
    """
    values = channel.reshape(-1)
    mean = float(values.mean())
    apart = values - mean
    squares = apart * apart
    variance = float(squares.mean())
    flat = variance <= _FLAT
    low, high = np.percentile(values, [5, 95])
    shares = np.bincount(np.rint(values * (BINS - 1)).astype(np.intp)) / len(values)
    shares = shares[shares > 0]
    return {
        "mean": mean,
        "std": 0.0 if flat else float(np.sqrt(variance)),
        "skewness": UNDEFINED if flat else float((squares * apart).mean() / variance**1.5),
        "kurtosis": UNDEFINED if flat else float((squares * squares).mean() / variance**2 - 3),
        "entropy": float(-(shares * np.log2(shares)).sum()) + 0.0,
        "p5": float(low),
        "p95": float(high),
    }


# Bright objects of one channel: what lies above Otsu's threshold, connected over sides and corners.


def objects(channel: Floats) -> dict[str, float]:
    """Objects above Otsu's threshold: number, total and mean area, mean equivalent radius, mean eccentricity.

    The threshold (1979, doi:10.1109/TSMC.1979.4310076) is one of 256 steps, those of an 8-bit image. Areas in
    pixels. The equivalent radius is that of the disc of the same area, the eccentricity that of the
    ellipse of the same second moments (0 a disc, 1 a line). Without an object, number and area are 0 and the
    others undefined; a channel of one intensity has none.
    """
    from skimage.filters import threshold_otsu

    threshold: Any = threshold_otsu  # untyped
    steps = np.rint(channel * 255).astype(np.uint8)
    areas, eccentricities = shapes(steps > threshold(steps))
    some = len(areas) > 0
    return {
        "objects": float(len(areas)),
        "area": float(areas.sum()),
        "mean_area": float(areas.mean()) if some else UNDEFINED,
        "mean_radius": float(np.sqrt(areas / np.pi).mean()) if some else UNDEFINED,
        "eccentricity": float(eccentricities.mean()) if some else UNDEFINED,
    }


def shapes(mask: Bools) -> tuple[Floats, Floats]:
    """Area and eccentricity of each object, from sums over its pixels: noise has too many for a loop."""
    from scipy import ndimage

    labels, n = ndimage.label(mask, np.ones((3, 3), bool))
    y, x = np.nonzero(mask)
    region = labels[y, x] - 1
    areas = np.bincount(region, minlength=n).astype(float)
    dy = y - (np.bincount(region, y, n) / areas)[region]
    dx = x - (np.bincount(region, x, n) / areas)[region]
    yy, xx, xy = (np.bincount(region, part, n) / areas for part in (dy * dy, dx * dx, dx * dy))
    half, apart = (yy + xx) / 2, np.hypot((yy - xx) / 2, xy)
    longest, shortest = half + apart, np.maximum(half - apart, 0)
    point = longest <= 0
    return areas, np.where(point, 0.0, np.sqrt(1 - shortest / np.where(point, 1.0, longest)))


# How sharp: gradient and Laplacian of one channel.


def sharpness(channel: Floats) -> dict[str, float]:
    """Mean size of the gradient (central differences), and variance of the Laplacian (four neighbours).

    Beyond its border an image goes on with its outermost pixels.
    """
    wide = np.pad(channel, 1, mode="edge")
    right, left, below, above = wide[1:-1, 2:], wide[1:-1, :-2], wide[2:, 1:-1], wide[:-2, 1:-1]
    gradient = np.hypot((right - left) / 2, (below - above) / 2)
    laplacian = right + left + below + above - 4 * channel
    return {"gradient": float(gradient.mean()), "laplacian": float(laplacian.var())}


# Texture: Haralick's features of grey-level co-occurrence matrices.
#
# Symmetric, normalised matrices P(i, j), grey levels from 0, one for each offset and angle (scikit-image's
# ``graycomatrix``); a feature is the mean over them. After Haralick, Shanmugam & Dinstein 1973
# (doi:10.1109/TSMC.1973.4309314); entropies in bits, except in imc2, which is made of natural ones.


def texture(
    channel: Floats, *, levels: int = LEVELS, offset: int = 1, angles: tuple[int, ...] = ANGLES
) -> dict[str, float]:
    """The features of ``NAMES_TEXTURE``, means over all angles.

    ``levels``: grey levels, each as wide as the next. A matrix without a single pair (the image is smaller
    than the offset) is left out; without any matrix every feature is undefined. One grey level only: no
    correlation, no imc1 and no imc2.
    """
    from skimage.feature import graycomatrix

    codes = np.minimum((channel * levels).astype(np.int64), levels - 1).astype(np.uint8)
    # Angles turn from the first axis to the second in scikit-image as in images: 45 degrees is up right.
    count: Any = graycomatrix  # untyped
    counted = count(codes, [offset], np.deg2rad(angles), levels=levels, symmetric=True)
    matrices = counted.reshape(levels * levels, -1).T.astype(float)
    totals = matrices.sum(1)
    matrices = matrices[totals > 0] / totals[totals > 0, None]
    if not len(matrices):
        return dict.fromkeys(NAMES_TEXTURE, UNDEFINED)
    result = haralick(matrices.reshape(-1, levels, levels))
    return {name: float(values.mean()) for name, values in result.items()}


def haralick(matrices: Floats) -> dict[str, Floats]:
    """The features of several matrices, shape (n, levels, levels), each with a sum of 1."""
    n, levels, _ = matrices.shape
    flat = matrices.reshape(n, -1)
    i, j, apart, sums = _places(levels)
    rows, columns = matrices.sum(2), matrices.sum(1)
    steps = np.arange(levels)
    mean_i, mean_j = rows @ steps, columns @ steps
    var_i, var_j = (_variance(shares, steps) for shares in (rows, columns))
    varied = (var_i > 0) & (var_j > 0)
    spread = np.sqrt(np.where(varied, var_i * var_j, 1.0))
    covariance = ((i - mean_i[:, None]) * (j - mean_j[:, None]) * flat).sum(1)
    of_sum, of_difference = flat @ sums, flat @ apart
    sum_steps, both = np.arange(2 * levels - 1), _nats(flat)
    product = (rows[:, :, None] * columns[:, None, :]).reshape(n, -1)
    crossed = -(flat * _logs(product)).sum(1)  # HXY1
    independent = _nats(product)  # HXY2
    own = np.maximum(_nats(rows), _nats(columns))
    asm = (flat * flat).sum(1)
    return {
        "contrast": of_difference @ steps**2,
        "dissimilarity": of_difference @ steps,
        "homogeneity": of_difference @ (1 / (1 + steps**2)),
        "asm": asm,
        "energy": np.sqrt(asm),
        "correlation": np.where(varied, covariance / spread, UNDEFINED),
        "texture_entropy": both / np.log(2),
        "texture_variance": var_i,
        "sum_average": of_sum @ sum_steps,
        "sum_variance": _variance(of_sum, sum_steps),
        "sum_entropy": _nats(of_sum) / np.log(2),
        "difference_variance": _variance(of_difference, steps),
        "difference_entropy": _nats(of_difference) / np.log(2),
        "imc1": np.where(varied, (both - crossed) / np.where(varied, own, 1.0), UNDEFINED),
        "imc2": np.where(varied, np.sqrt(np.maximum(1 - np.exp(-2 * (independent - both)), 0)), UNDEFINED),
    }


def _variance(shares: Floats, steps: np.ndarray) -> Floats:
    """Of the steps, weighted by each row of shares."""
    means = shares @ steps
    return np.asarray((shares * (steps - means[:, None]) ** 2).sum(1))


def _logs(shares: Floats) -> Floats:
    """Natural logarithms, 0 for 0."""
    return np.log(np.where(shares > 0, shares, 1.0))


def _nats(shares: Floats) -> Floats:
    """Natural entropy of each row."""
    return np.asarray(-(shares * _logs(shares)).sum(1) + 0.0)


@cache
def _places(levels: int) -> tuple[np.ndarray, np.ndarray, Floats, Floats]:
    """Row and column of each cell of a flat matrix, and which cells have each |i - j| and each i + j."""
    i, j = (part.reshape(-1) for part in np.indices((levels, levels)))
    apart, sums = np.zeros((levels**2, levels)), np.zeros((levels**2, 2 * levels - 1))
    cells = np.arange(levels**2)
    apart[cells, np.abs(i - j)] = 1
    sums[cells, i + j] = 1
    return i, j, readonly(apart), readonly(sums)


GREY = ("grey",)
COLOURS = ("red", "green", "blue")
LUMINANCE = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue (ITU-R BT.601)."""


def measured(pixels: Floats, settings: ImageSettings, *, declared: bool = False) -> Floats:
    """The features of an image, one row a channel in the order of ``NAMES``.

    pixels: intensities from 0 to 1, shape (height, width) for grey or (height, width, 3) for colour; three
    equal channels are grey. declared: shape (height, width, channels) of channels that are no colours: each
    is measured by itself, whatever the settings, and equal ones are not merged.
    """
    channels = [pixels]
    if pixels.ndim == 3:
        same = not declared and all(np.array_equal(pixels[..., 0], pixels[..., k]) for k in (1, 2))
        channels = [np.ascontiguousarray(pixels[..., k]) for k in range(1 if same else pixels.shape[2])]
    if settings.channels == "grey" and len(channels) > 1 and not declared:
        channels = [pixels @ LUMINANCE]
    each = [
        {**intensity(channel), **texture(channel), **objects(channel), **sharpness(channel)}
        for channel in channels
    ]
    return np.array([list(features.values()) for features in each])


def black(settings: ImageSettings) -> dict[str, float]:
    """The features of a channel without any light."""
    return dict(zip(NAMES, measured(np.zeros((64, 64)), settings)[0].tolist(), strict=True))
