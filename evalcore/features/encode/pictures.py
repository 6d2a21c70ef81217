"""Vectors of pictures without a trained model: brightness, texture, shape, and principal components.

What a picture looks like as a whole, and nothing of what it shows: the floor under every trained encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from evalcore.values.arrays import Floats

SIDE = 96
"""Every picture is reduced to this square, in grey, before features are taken."""
BINS = 16
HOG_CELL, HOG_BLOCK, HOG_BINS = (12, 12), (2, 2), 9
LEVELS = 32
"""Grey levels that co-occurrence is counted over."""
DISTANCES, ANGLES = (1, 3), (0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)
GLCM = ("contrast", "dissimilarity", "homogeneity", "energy", "correlation")
LBP_POINTS, LBP_RADIUS = 8, 1
PCA_SIDE, COMPONENTS = 24, 24


def grey(picture: Image.Image) -> Floats:
    """The picture as a (SIDE, SIDE) array in 0 to 1, each value the mean of the pixels it covers."""
    small = picture.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, dtype=float) / 255


def intensity_histogram(images: Sequence[Floats], *, bins: int = BINS) -> Floats:
    """How much of each grey level: knows nothing about where.

    >>> intensity_histogram([np.array([[0.0, 0.1], [0.9, 1.0]])], bins=2).tolist()
    [[0.5, 0.5]]
    """
    return np.stack([np.histogram(i, bins=bins, range=(0, 1))[0] / i.size for i in images])


def texture(images: Sequence[Floats]) -> Floats:
    """Local binary patterns and properties of grey-level co-occurrence, as scikit-image computes them.

    Ten shares of uniform patterns (8 neighbours, radius 1), then contrast, dissimilarity, homogeneity, energy
    and correlation of ``LEVELS`` grey levels, each the mean and the range over four directions, at 1 and 3
    pixels. Contrast and dissimilarity are divided by the most they can be.
    """
    from skimage import feature

    of: Any = feature  # without types
    rows = []
    for image in images:
        bytes_ = (image * 255).round().astype(np.uint8)
        codes = of.local_binary_pattern(bytes_, LBP_POINTS, LBP_RADIUS, method="uniform")
        patterns = np.bincount(codes.astype(int).ravel(), minlength=LBP_POINTS + 2) / codes.size
        levels = (bytes_.astype(int) * LEVELS // 256).astype(np.uint8)
        pairs = of.graycomatrix(levels, DISTANCES, ANGLES, levels=LEVELS, symmetric=True, normed=True)
        most = {"contrast": (LEVELS - 1) ** 2, "dissimilarity": LEVELS - 1}
        found = [of.graycoprops(pairs, name) / most.get(name, 1) for name in GLCM]
        summary = [value for one in found for value in (one.mean(axis=1), np.ptp(one, axis=1))]
        rows.append(np.concatenate([patterns, *summary]))
    return np.stack(rows)


def hog(images: Sequence[Floats]) -> Floats:
    """Histograms of oriented gradients as scikit-image computes them: where which edges run.

    9 orientations in cells of 12 x 12 pixels (8 x 8 of them), blocks of 2 x 2 cells, L2-Hys (Dalal & Triggs
    2005).
    """
    from skimage.feature import hog as of_one

    return np.stack(
        [
            of_one(
                image, orientations=HOG_BINS, pixels_per_cell=HOG_CELL, cells_per_block=HOG_BLOCK,
                block_norm="L2-Hys",
            )
            for image in images
        ]
    )  # fmt: skip


def small_pixels(images: Sequence[Floats], *, side: int = PCA_SIDE) -> Floats:
    """The reduced picture as a row of pixels, brightness and contrast taken out."""
    step = SIDE // side
    flat = np.stack([i.reshape(side, step, side, step).mean(axis=(1, 3)).ravel() for i in images])
    reduced: Floats = (flat - flat.mean(axis=1, keepdims=True)) / (flat.std(axis=1, keepdims=True) + 1e-9)
    return reduced


def principal_components(rows: npt.NDArray[np.floating], *, components: int = COMPONENTS) -> Floats:
    """Rows projected on their first principal components, as many as there are.

    The sign of a component is arbitrary: its largest entry is made positive, so that every machine says the
    same.
    """
    given = rows.astype(np.float64)
    centred = given - given.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:components]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return np.asarray(centred @ (axes * signs[:, None]).T)


def standardised(rows: npt.NDArray[np.floating]) -> Floats:
    """Each column with mean 0 and deviation 1, so that features of different scales count alike.

    A column without any deviation becomes 0.
    """
    given = rows.astype(np.float64)
    deviation = given.std(axis=0)
    return np.asarray((given - given.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf))


def pixel_pca(images: Sequence[Floats]) -> Floats:
    """Pixels of the reduced picture, projected on their first principal components."""
    return principal_components(small_pixels(images))
