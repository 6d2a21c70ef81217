"""The training image nearest to each generated one, under each similarity; and an order for a square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.values.arrays import Floats, Offsets, frozen

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
        frozen(np.where(known, at, -1)), frozen(np.where(known, best, np.nan)), frozen(ties.astype(np.int64))
    )


def cosines_across(rows: Floats, columns: Floats) -> Floats:
    """Cosine of each row vector with each column vector, shapes (n, k) and (m, k); NaN without direction."""
    return _unit(rows) @ _unit(columns).T


def cosines(rows: Floats) -> Floats:
    """Cosines of vectors, shape (n, k), with each other, from -1 to 1; NaN without direction."""
    unit = _unit(rows)
    return frozen(np.clip(unit @ unit.T, -1.0, 1.0))


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
