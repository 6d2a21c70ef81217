"""Retrieval systems of different quality, all computed from the images or the captions.

Each system turns every image into a vector; a run ranks all other images by the cosine of the vectors. They
are baselines that the program has for every study (`evalcore.features.encode`); ``texture`` and ``hog`` are
simpler than those of that name, ``caption-tfidf`` knows no stop words, and so they stay, as the sample's
numbers do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

from evalcore.features.encode import baselines
from evalcore.features.encode.baselines import SIDE, grey, intensity_histogram, pixel_pca

__all__ = ["IMAGE_SYSTEMS", "SIDE", "caption_tfidf", "cosine_run", "grey"]

Vectors = npt.NDArray[np.float64]


def texture(images: Sequence[Vectors]) -> Vectors:
    """Local binary patterns: uniform patterns of the eight neighbours, counted by their number of ones."""
    shifts = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
    rows = []
    for image in images:
        around = np.stack([np.roll(image, shift, axis=(0, 1)) for shift in shifts])
        bits = around > image + 0.008
        changes = (bits != np.roll(bits, 1, axis=0)).sum(axis=0)
        code = np.where(changes <= 2, bits.sum(axis=0), 9)[1:-1, 1:-1]
        rows.append(np.bincount(code.ravel(), minlength=10) / code.size)
    return np.stack(rows)


def hog(images: Sequence[Vectors], *, cells: int = 8, bins: int = 6) -> Vectors:
    """Histograms of gradient orientation in an 8 x 8 grid, each block normalised."""
    rows = []
    for image in images:
        dy, dx = np.gradient(gaussian_filter(image, 0.7))
        size, angle = np.hypot(dx, dy), np.mod(np.arctan2(dy, dx), np.pi)
        bin_of = np.minimum((angle / np.pi * bins).astype(int), bins - 1)
        cell = np.arange(SIDE) * cells // SIDE
        place = (cell[:, None] * cells + cell[None, :]) * bins + bin_of
        grid = np.bincount(place.ravel(), weights=size.ravel(), minlength=cells * cells * bins)
        block = grid.reshape(cells * cells, bins)
        rows.append((block / (np.linalg.norm(block, axis=1, keepdims=True) + 0.5)).ravel())
    return np.stack(rows)


def caption_tfidf(captions: Sequence[str]) -> Vectors:
    """TF-IDF of the caption words (shorter than three letters left out)."""
    return baselines.tfidf(captions, most=None, word=r"[a-z]{3,}", stop=None)


IMAGE_SYSTEMS: Mapping[str, Callable[[Sequence[Vectors]], Vectors]] = {
    "intensity-histogram": intensity_histogram,
    "texture": texture,
    "hog": hog,
    "pixel-pca": pixel_pca,
}


def cosine_run(ids: Sequence[str], vectors: npt.NDArray[np.float32], *, name: str, depth: int) -> str:
    """TREC run of every image against all others, best first; ties by id."""
    unit = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    scores = np.round(unit @ unit.T, 9)
    lines = []
    for q, query in enumerate(ids):
        order = sorted((i for i in range(len(ids)) if i != q), key=lambda i: (-scores[q, i], ids[i]))[:depth]
        lines += [
            f"{query} Q0 {ids[i]} {rank} {scores[q, i]:.9f} {name}" for rank, i in enumerate(order, start=1)
        ]
    return "\n".join(lines) + "\n"
