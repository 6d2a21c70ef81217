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


@compiled
def nearest(
    products: Array,
    bounds: Array,
    vectors: Array,
    lengths: Array,
    asked: Array,
    offered: Array,
    own: Array,
    depth: int,
    sought: int,
    margin: float,
    whole_ties: bool,
) -> tuple[Array, Array, Array]:
    """The best columns of each row of ``products``, ranked by exact cosine and then column.

    ``asked`` and ``offered``: the vectors behind rows and columns; ``own`` is the column a row leaves out
    (-1: none). A product is at most half the ``margin`` wrong, so what is more than the margin below the
    best but ``sought`` - 1 cannot be among them; at least ``sought`` products of a row are no less than its
    ``bounds``. Per row the first ``depth`` places, or to the end of the
    last one's ties. Returns how many each row has, and columns and cosines one row after the other.
    """
    n_rows, n = products.shape
    counts = np.zeros(n_rows, np.int64)
    columns, cosines_of = np.empty(n_rows * depth, np.int32), np.empty(n_rows * depth, np.float64)
    chosen, exact, heap = np.empty(n, np.int32), np.empty(n, np.float64), np.empty(sought, np.float32)
    filled, sums = 0, np.empty(LANES, np.float64)
    for row in range(n_rows):
        m, bound, values = 0, bounds[row] - margin, products[row]
        for column in range(n):
            if values[column] >= bound:
                chosen[m] = column
                m += 1
        least = _least_of_best(values, chosen, m, heap) - margin
        result, m = m, 0
        for k in range(result):
            if values[chosen[k]] >= least and chosen[k] != own[row]:
                chosen[m] = chosen[k]
                m += 1
        for k in range(m):
            exact[k] = _cosine(vectors, lengths, asked[row], offered[chosen[k]], sums)
        _rank(chosen, exact, m)
        last = min(depth, m)
        while whole_ties and 0 < last < m and exact[last] == exact[last - 1]:
            last += 1
        columns, cosines_of = _with_room(columns, filled, last), _with_room(cosines_of, filled, last)
        for k in range(last):
            columns[filled + k], cosines_of[filled + k] = chosen[k], exact[k]
        counts[row] = last
        filled += last
    return counts, columns[:filled], cosines_of[:filled]


@compiled
def _least_of_best(values: Array, chosen: Array, n: int, heap: Array) -> float:
    """The smallest of the largest values, as many as the heap (smallest on top) has room for, of n chosen."""
    size = len(heap)
    for k in range(size):
        heap[k] = values[chosen[k]]
    for k in range(size // 2 - 1, -1, -1):
        _sink(heap, k)
    for k in range(size, n):
        if values[chosen[k]] > heap[0]:
            heap[0] = values[chosen[k]]
            _sink(heap, 0)
    return float(heap[0])


@compiled
def _sink(heap: Array, k: int) -> None:
    """Let the value at position k sink below all smaller ones."""
    value, size = heap[k], len(heap)
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[k] = heap[child]
        k = child
    heap[k] = value


@compiled
def _rank(columns: Array, scores: Array, n: int) -> None:
    """Sort the first ``n`` by score descending, then column (Shell 1959)."""
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap:
        for k in range(gap, n):
            column, score, at = columns[k], scores[k], k
            while at >= gap:
                other = scores[at - gap]
                if other > score or (other == score and columns[at - gap] < column):
                    break
                columns[at], scores[at] = columns[at - gap], other
                at -= gap
            columns[at], scores[at] = column, score
        gap //= 3


@compiled
def _with_room(array: Array, used: int, more: int) -> Array:
    """An array with the same first ``used`` entries and room for ``more``."""
    if used + more <= len(array):
        return array
    larger = np.empty(2 * (used + more), array.dtype)
    for k in range(used):
        larger[k] = array[k]
    return larger
