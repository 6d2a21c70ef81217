"""Retrieval systems of different quality, all computed from the images or the captions.

Each system turns every image into a vector; a run ranks all other images by the cosine of the vectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy.ndimage import gaussian_filter

Vectors = npt.NDArray[np.float64]
SIDE = 96
"""Every image is reduced to this square before features are taken."""


def grey(image: Image.Image) -> Vectors:
    """The image as a (SIDE, SIDE) array in 0..1."""
    small = image.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, dtype=float) / 255


def intensity_histogram(images: Sequence[Vectors], *, bins: int = 16) -> Vectors:
    """How much of each grey level: knows nothing about where."""
    return np.stack([np.histogram(i, bins=bins, range=(0, 1))[0] / i.size for i in images])


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


def pixel_pca(images: Sequence[Vectors], *, side: int = 24, components: int = 24) -> Vectors:
    """Pixels of the reduced image, projected on their first principal components."""
    step = SIDE // side
    flat = np.stack([i.reshape(side, step, side, step).mean(axis=(1, 3)).ravel() for i in images])
    flat = (flat - flat.mean(axis=1, keepdims=True)) / (flat.std(axis=1, keepdims=True) + 1e-9)
    centred = flat - flat.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:components]
    # The sign of a component is arbitrary: fix it, so that every machine writes the same vectors.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return np.asarray(centred @ (axes * signs[:, None]).T)


def caption_tfidf(captions: Sequence[str]) -> Vectors:
    """TF-IDF of the caption words (shorter than three letters left out)."""
    words = [re.findall(r"[a-z]{3,}", caption.lower()) for caption in captions]
    vocabulary = {word: i for i, word in enumerate(sorted({w for row in words for w in row}))}
    counts = np.zeros((len(captions), len(vocabulary)))
    for i, row in enumerate(words):
        np.add.at(counts[i], [vocabulary[w] for w in row], 1.0)
    idf = np.log((1 + len(captions)) / (1 + (counts > 0).sum(axis=0))) + 1
    return counts * idf


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
