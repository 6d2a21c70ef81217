"""The compiled loops of embeddings: float64 sums of float32 products, always in the same order."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.engine.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


@compiled
def _dot(u: Array, v: Array) -> float:
    """u·v: every fourth product in one of four sums (which a processor adds at once), then these."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(u) - len(u) % 4
    for k in range(0, whole, 4):
        a += np.float64(u[k]) * np.float64(v[k])
        b += np.float64(u[k + 1]) * np.float64(v[k + 1])
        c += np.float64(u[k + 2]) * np.float64(v[k + 2])
        d += np.float64(u[k + 3]) * np.float64(v[k + 3])
    for k in range(whole, len(u)):
        a += np.float64(u[k]) * np.float64(v[k])
    return (a + b) + (c + d)


@compiled
def squares(vectors: Array) -> Array:
    """u·u of every row."""
    found = np.zeros(len(vectors), np.float64)
    for k in range(len(vectors)):
        found[k] = _dot(vectors[k], vectors[k])
    return found


@compiled
def cosines(vectors: Array, lengths: Array, left: Array, right: Array) -> Array:
    """Cosine of aligned pairs of rows with squared ``lengths`` above 0; exactly 1 for equal rows."""
    found = np.zeros(len(left), np.float64)
    for k in range(len(left)):
        cosine = _dot(vectors[left[k]], vectors[right[k]]) / sqrt(lengths[left[k]] * lengths[right[k]])
        found[k] = max(-1.0, min(1.0, cosine))
    return found
