"""Texture: Haralick's features of grey-level co-occurrence matrices.

Symmetric, normalised matrices P(i, j), grey levels from 0, one for each offset and angle (scikit-image's
``graycomatrix``); a feature is the mean over them. After Haralick, Shanmugam & Dinstein 1973
(doi:10.1109/TSMC.1973.4309314); entropies in bits, except in imc2, which is made of natural ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evalcore.features.synthetic.features import UNDEFINED
from evalcore.values.arrays import Floats, frozen
from evalcore.values.stores import Store

NAMES = (
    "contrast", "dissimilarity", "homogeneity", "asm", "energy", "correlation", "texture_entropy",
    "texture_variance", "sum_average", "sum_variance", "sum_entropy", "difference_variance",
    "difference_entropy", "imc1", "imc2",
)  # fmt: skip
_kept: Store[tuple[np.ndarray, np.ndarray, Floats, Floats]] = Store(32_000_000)
"""Where the cells of matrices lie, by the number of levels."""


def quantised(channel: Floats, levels: int) -> np.ndarray:
    """Grey levels 0 to levels - 1 of intensities from 0 to 1, each level as wide as the next.

    >>> quantised(np.array([0, 0.24, 0.25, 1.0]), 4).tolist()
    [0, 0, 1, 3]
    """
    return np.minimum((channel * levels).astype(np.int64), levels - 1).astype(np.uint8)


def texture(
    codes: np.ndarray, *, levels: int, offsets: tuple[int, ...], angles: tuple[int, ...]
) -> dict[str, float]:
    """The features of ``NAMES``, means over all offsets and angles.

    codes: grey levels, shape (height, width), below ``levels``. A matrix without a single pair (the image is
    smaller than the offset) is left out; without any matrix every feature is undefined. One grey level only:
    no correlation, no imc1 and no imc2.
    """
    from skimage.feature import graycomatrix

    # Angles turn from the first axis to the second in scikit-image as in images: 45 degrees is up right.
    count: Any = graycomatrix  # untyped
    counted = count(codes, offsets, np.deg2rad(angles), levels=levels, symmetric=True)
    matrices = counted.reshape(levels * levels, -1).T.astype(float)
    totals = matrices.sum(1)
    matrices = matrices[totals > 0] / totals[totals > 0, None]
    if not len(matrices):
        return dict.fromkeys(NAMES, UNDEFINED)
    found = haralick(matrices.reshape(-1, levels, levels))
    return {name: float(values.mean()) for name, values in found.items()}


def haralick(matrices: Floats) -> dict[str, Floats]:
    """The features of ``NAMES`` of each of several matrices, shape (n, levels, levels), each summing to 1."""
    n, levels, _ = matrices.shape
    flat = matrices.reshape(n, -1)
    i, j, apart, sums = _kept.once(levels, lambda: _places(levels))
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
        "imc2": np.where(
            varied, np.sqrt(np.maximum(1 - np.exp(-2 * (independent - both)), 0)), UNDEFINED
        ),
    }  # fmt: skip


def _variance(shares: Floats, steps: np.ndarray) -> Floats:
    """Of the steps, weighted by each row of shares."""
    means = shares @ steps
    found: Floats = (shares * (steps - means[:, None]) ** 2).sum(1)
    return found


def _logs(shares: Floats) -> Floats:
    """Natural logarithms, 0 for 0."""
    return np.log(np.where(shares > 0, shares, 1.0))


def _nats(shares: Floats) -> Floats:
    """Natural entropy of each row."""
    found: Floats = -(shares * _logs(shares)).sum(1) + 0.0
    return found


def _places(levels: int) -> tuple[np.ndarray, np.ndarray, Floats, Floats]:
    """Row and column of each cell of a flat matrix, and which cells have each |i - j| and each i + j."""
    i, j = (part.reshape(-1) for part in np.indices((levels, levels)))
    apart, sums = np.zeros((levels**2, levels)), np.zeros((levels**2, 2 * levels - 1))
    cells = np.arange(levels**2)
    apart[cells, np.abs(i - j)] = 1
    sums[cells, i + j] = 1
    return i, j, frozen(apart), frozen(sums)
