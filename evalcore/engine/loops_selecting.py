"""The compiled loops that score and select: from tallied counts to values and rankings.

Each different result of a query is scored once; equal scores form one level, and ranking is a counting
sort by level with candidates in ascending order: the one tie rule, exactly.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.engine.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.engine.loops_counting import Tally

    Array = npt.NDArray[Any]

NN_IOU, DICE, COSINE, OVERLAP = range(4)
"""Formulas as numbers; IoU is nn-IoU with weight 0 for neighbours."""

NONE = -1


@compiled
def value(
    formula: int, weights: tuple[int, int, int], overlap: int, near: int, query: int, candidate: int
) -> float:
    """One relevance from its counts: a single correctly rounded quotient of integers (see ``relevance``)."""
    if formula == NN_IOU:
        union = query + candidate - overlap
        return (weights[0] * overlap + weights[1] * near) / (weights[2] * union) if union else 0.0
    if overlap == 0:
        return 0.0
    if formula == DICE:
        return 2 * overlap / (query + candidate)
    if formula == COSINE:
        return sqrt(overlap * overlap / (query * candidate))
    return overlap / min(query, candidate)


@compiled
def values(
    formula: int,
    weights: tuple[int, int, int],
    overlaps: Array,
    counts: Array,
    query_sizes: Array,
    candidate_sizes: Array,
) -> Array:
    """`value` of every pair, float64."""
    found = np.zeros(len(overlaps), np.float64)
    for k in range(len(overlaps)):
        found[k] = value(formula, weights, overlaps[k], counts[k], query_sizes[k], candidate_sizes[k])
    return found


@compiled
def score(tally: Tally, formula: int, weights: tuple[int, int, int], query_sizes: Array) -> Array:
    """The value of each different result of each query, (queries, numbers)."""
    overlaps, nears, sizes, lengths = tally.overlaps, tally.nears, tally.sizes, tally.lengths
    most = 1
    for row in range(len(lengths)):
        most = max(most, lengths[row])
    scores = np.zeros((len(lengths), most), np.float64)
    for row in range(len(lengths)):
        for k in range(1, lengths[row]):
            overlap, near, size = overlaps[row, k], nears[row, k], sizes[row, k]
            scores[row, k] = value(formula, weights, overlap, near, query_sizes[row], size)
    return scores


@compiled
def best_values(tally: Tally, scores: Array, depth: int) -> Array:
    """The ``depth`` largest values of each query, (queries, depth), descending, filled up with 0."""
    amounts, lengths = tally.amounts, tally.lengths
    best = np.zeros((len(scores), depth), np.float64)
    heap = np.empty(scores.shape[1], np.int32)
    for row in range(len(scores)):
        size = _heaped(heap, scores[row], lengths[row])
        filled = 0
        while size and filled < depth:
            top = heap[0]
            until = min(depth, filled + amounts[row, top])
            best[row, filled:until] = scores[row, top]
            filled = until
            size = _popped(heap, scores[row], size)
    return best


@compiled
def best_candidates(
    tally: Tally, scores: Array, images: Array, places: Array, depth: int, width: int
) -> tuple[Array, Array, Array]:
    """Each query's ranking: candidates and scores, (queries, width), and how many places of a row are filled.

    At least ``depth`` places (as far as there are candidates) and the rest of the tie group that the
    last of them belongs to, up to ``width`` places. ``images`` and ``places`` as in ``Pool``.
    """
    number_of, amounts, lengths = tally.number_of, tally.amounts, tally.lengths
    ranked = np.empty((len(scores), width), np.int32)
    ranked_scores = np.empty((len(scores), width), np.float64)
    filled = np.zeros(len(scores), np.int64)
    heap = np.empty(scores.shape[1], np.int32)
    level, free = np.empty(scores.shape[1], np.int32), np.empty(scores.shape[1], np.int64)
    for row in range(len(scores)):
        # Levels are numbered from the best score on; ``free`` is each level's next free place. All results
        # that are not reached share the level after the last.
        size, last, end, before = _heaped(heap, scores[row], lengths[row]), NONE, 0, np.inf
        while size and (end < depth or scores[row, heap[0]] == before):
            top = heap[0]
            if scores[row, top] != before:
                last, before = last + 1, scores[row, top]
                free[last] = end
            level[top] = last
            end += amounts[row, top]
            size = _popped(heap, scores[row], size)
        for k in range(size):
            level[heap[k]] = last + 1
        numbers = number_of[row]
        for k in range(len(images)):
            number = numbers[places[k]]
            at = level[number]
            if at <= last and free[at] < width:
                ranked[row, free[at]], ranked_scores[row, free[at]] = images[k], scores[row, number]
                free[at] += 1
        filled[row] = min(width, end)
    return ranked, ranked_scores, filled


@compiled
def _heaped(heap: Array, scores: Array, n: int) -> int:
    """Arrange the numbers 0 to n - 1 so that the one with the largest score is on top of the heap."""
    for number in range(n):
        heap[number] = number
    for k in range(n // 2 - 1, -1, -1):
        _sink(heap, scores, k, n)
    return n


@compiled
def _popped(heap: Array, scores: Array, n: int) -> int:
    """Take the top off a heap of n numbers; how many are left."""
    heap[0] = heap[n - 1]
    _sink(heap, scores, 0, n - 1)
    return n - 1


@compiled
def _sink(heap: Array, scores: Array, k: int, n: int) -> None:
    """Let the number at position k sink below all larger ones."""
    number = heap[k]
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and scores[heap[child + 1]] > scores[heap[child]]:
            child += 1
        if scores[heap[child]] <= scores[number]:
            break
        heap[k] = heap[child]
        k = child
    heap[k] = number
