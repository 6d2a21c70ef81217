"""Generated images: similarities against a loop over pairs, features against scikit-image's functions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalcore.features.synthetic.measure import ImageSettings, measured
from evalcore.features.synthetic.wsi import Presence, WsiConfig, wsi_matrix
from tests.benchmarks.measuring import Row, compare

PEER_ROWS = 20


def rows(n_images: int, n_features: int, side: int) -> Iterator[Row]:
    rng = np.random.default_rng(5)
    has, other = rng.random((2, n_images, n_features)) < 0.8
    weights = rng.uniform(0.5, 2, n_features)
    subjects, archetypes = (Presence(rows, np.ones_like(rows)) for rows in (has, other))

    def one_by_one() -> object:
        return [[_pair(s, a, weights) for a in other] for s in has[:PEER_ROWS]]

    yield compare(
        f"WSI of {n_images:,} x {n_images:,} images, {n_features} features",
        "a loop over pairs (NumPy)",
        lambda: wsi_matrix(subjects, archetypes, weights, WsiConfig()),
        one_by_one,
        goal=0.02,
        rounds=3,
        their_rounds=1,
        times=n_images / PEER_ROWS,
        note=f"peer extrapolated from {PEER_ROWS} rows",
    )
    image = _speckled(rng, side)
    yield compare(
        f"29 features of a {side} x {side} image",
        "scikit-image and SciPy, function by function",
        lambda: measured(image, ImageSettings()),
        lambda: _by_libraries(image),
        goal=1.0,
        rounds=5,
    )


def _pair(subject: np.ndarray, archetype: np.ndarray, weights: np.ndarray) -> float:
    shared = weights[subject & archetype].sum()
    below = shared + weights[subject & ~archetype].sum() + weights[archetype & ~subject].sum()
    return float(shared / below) if below else np.nan


def _speckled(rng: np.random.Generator, side: int) -> np.ndarray:
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(rng.random((side, side)), 1.5)
    return np.rint((smooth - smooth.min()) / np.ptp(smooth) * 255) / 255


def _by_libraries(image: np.ndarray) -> object:
    """The same quantities, except Haralick's beyond those that scikit-image has."""
    from scipy import ndimage, stats
    from skimage.feature import graycomatrix, graycoprops
    from skimage.filters import threshold_otsu
    from skimage.measure import label, regionprops_table, shannon_entropy

    eight_bit = np.rint(image * 255).astype(np.uint8)
    matrices = graycomatrix(
        eight_bit // 8, [1], np.deg2rad([0, 45, 90, 135]), levels=32, symmetric=True, normed=True
    )
    names = ("contrast", "dissimilarity", "homogeneity", "ASM", "energy", "correlation")
    shapes = regionprops_table(
        label(eight_bit > threshold_otsu(eight_bit), connectivity=2),
        properties=("area", "equivalent_diameter_area", "eccentricity"),
    )
    return (
        [graycoprops(matrices, name).mean() for name in names],
        shapes,
        [stats.skew(image.ravel()), stats.kurtosis(image.ravel()), image.mean(), image.std()],
        [shannon_entropy(eight_bit), np.percentile(image, [5, 95])],
        [np.hypot(*np.gradient(image)).mean(), ndimage.laplace(image).var()],
    )
