"""The compiled loops of embeddings: float64 sums of float32 products, always in the same order.

float32 matrix products tell which candidates can be among the best; only these get their exact cosine.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from evalcore.values.compiled import Array, compiled, inner

LANES = 32


@inner
def _dot(u: Array, v: Array, sums: Array) -> float:
    """u·v: every 32nd product in one of 32 ``sums`` (which a processor adds many at once), then these."""
    sums[:] = 0.0
    whole = len(u) - len(u) % LANES
    for start in range(0, whole, LANES):
        for k in range(LANES):
            sums[k] += np.float64(u[start + k]) * np.float64(v[start + k])
    for k in range(whole, len(u)):
        sums[k - whole] += np.float64(u[k]) * np.float64(v[k])
    total = 0.0
    for k in range(LANES):
        total += sums[k]
    return total


@inner
def _cosine(vectors: Array, lengths: Array, left: int, right: int, sums: Array) -> float:
    """The cosine of two rows; exactly 1 for equal ones."""
    cosine = _dot(vectors[left], vectors[right], sums) / sqrt(lengths[left] * lengths[right])
    return max(-1.0, min(1.0, cosine))


def squares(vectors: Array) -> Array:
    """u·u of every row."""
    result = np.zeros(len(vectors))
    _squares(vectors, np.empty(LANES), result)
    return result


@compiled
def _squares(vectors: Array, sums: Array, result: Array) -> None:
    for k in range(len(vectors)):
        result[k] = _dot(vectors[k], vectors[k], sums)


@compiled
def cosines(vectors: Array, lengths: Array, left: Array, right: Array) -> Array:
    """Cosine of aligned pairs of rows with squared ``lengths`` above 0; exactly 1 for equal rows."""
    result, sums = np.zeros(len(left), np.float64), np.empty(LANES, np.float64)
    for k in range(len(left)):
        result[k] = _cosine(vectors, lengths, left[k], right[k], sums)
    return result
