"""Images in two dimensions by a system's vectors: principal components, or UMAP where it is installed.

Vectors are brought to length 1 first, as a ranking by cosines sees them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.values.arrays import frozen
from evalcore.values.errors import InputError
from evalcore.values.extras import why_not

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Embeddings

EXACT = 2048
"""Up to so many images or dimensions all components are found; beyond, only the first two, by iteration."""
NEIGHBOURS, APART = 15, 0.1
"""umap-learn's own n_neighbors and min_dist."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Images with a place each: ``images`` ascending indices, ``places`` (n, 2).

    ``without``: images asked for that have no vector, or one of length 0. ``explained``: share of the
    variance along each axis, None where axes have no such meaning.
    """

    images: Ints
    places: Floats
    without: int
    explained: tuple[float, float] | None


def principal_plane(embeddings: Embeddings, images: Ints) -> Plane:
    """Along which two directions do these images differ most? Principal component analysis.

    Parameters
    ----------
    images
        Image indices, any order; repeated ones count once.

    Returns
    -------
    Plane
        Coordinates are 0 on average. The sign of an axis is such that its largest coefficient is positive
        (the first of equal ones). Without any variance, and with fewer than two images, everything lies at
        0 and explains 0; an axis beyond the dimensions of the vectors is 0.
    """
    result, units, without = _units(embeddings, images)
    if not len(result):
        return Plane(result, np.empty((0, 2)), without, (0.0, 0.0))
    centred = units - units.mean(axis=0)
    total = float(np.sum(centred**2))
    axes = _axes(centred)
    places = centred @ axes.T
    # Rounding leaves a trace of variance where there is none.
    shares = [float(np.sum(places[:, i] ** 2)) / total if total > 1e-9 * len(result) else 0.0 for i in (0, 1)]
    if not any(shares):
        places = np.zeros_like(places)
    return Plane(result, frozen(places), without, (shares[0], shares[1]))


def umap_plane(embeddings: Embeddings, images: Ints, *, seed: int = 0) -> Plane:
    """Neighbours as near as two dimensions allow: UMAP (McInnes, Healy & Melville 2018, arXiv 1802.03426).

    By cosine, 15 neighbours, minimum distance 0.1. Distances between far groups mean little. The same seed
    gives the same places on one machine.

    Raises
    ------
    InputError
        umap-learn is not installed, or fewer than four images have a vector.
    """
    if reason := why_not("umap", "The map by UMAP"):
        raise InputError(reason)
    result, units, without = _units(embeddings, images)
    if len(result) < 4:
        raise InputError(f"UMAP needs four images with a vector or more. There are {len(result)}.")
    umap: Any = import_module("umap")
    reducer = umap.UMAP(
        n_components=2,
        n_neighbors=min(NEIGHBOURS, len(result) - 1),
        min_dist=APART,
        metric="cosine",
        random_state=seed,
        n_jobs=1,
        init="spectral" if len(result) > NEIGHBOURS else "random",
    )
    places = np.asarray(reducer.fit_transform(units.astype(np.float32)), np.float64)
    return Plane(result, frozen(places), without, None)


def sampled(images: Ints, most: int, *, seed: int = 0) -> Ints:
    """At most ``most`` of the images, drawn at random without replacement, ascending.

    ``images``: ascending image indices, shape (n,); all of them, unchanged, where n is ``most`` or less.
    """
    if len(images) <= most:
        return images
    chosen: Ints = np.sort(np.random.default_rng(seed).choice(images, most, replace=False))
    return chosen


def _units(embeddings: Embeddings, images: Ints) -> tuple[Ints, Floats, int]:
    """The images with a direction, their vectors at length 1, and how many have none."""
    asked = np.unique(images)
    rows = embeddings.rows[asked]
    vectors = embeddings.vectors[rows[rows >= 0]].astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    result = asked[rows >= 0][lengths > 0]
    return result, vectors[lengths > 0] / lengths[lengths > 0, np.newaxis], len(asked) - len(result)


def _axes(centred: Floats) -> Floats:
    """The two directions of most variance, shape (2, d), of length 1 (or 0 where there is no such one)."""
    n, d = centred.shape
    axes = np.zeros((2, d))
    if min(n, d) <= EXACT:
        small = centred.T @ centred if d <= n else centred @ centred.T
        values, directions = np.linalg.eigh(small)
        first = directions[:, ::-1][:, :2].T
        along = first if d <= n else first @ centred
        # Below this a direction is made of rounding.
        real = values[::-1][:2] > 1e-12 * max(float(values[-1]), 0.0)
        lengths = np.linalg.norm(along, axis=1)
        kept = real & (lengths > 0)
        axes[: len(along)][kept] = along[kept] / lengths[kept, np.newaxis]
    else:
        from scipy.sparse.linalg import svds

        _, _, result = svds(centred, k=2, v0=np.ones(min(n, d)), return_singular_vectors="vh")
        axes = result[::-1]
    largest = axes[np.arange(2), np.argmax(np.abs(axes), axis=1)]
    signed: Floats = axes * np.where(largest < 0, -1.0, 1.0)[:, np.newaxis]
    return signed
