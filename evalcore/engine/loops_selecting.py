"""The compiled loops that weigh and select: from tallied counts to values and rankings.

Each different result of a query is scored once; equal scores form one level, and ranking is a counting
sort by level with candidates in ascending order: the one tie rule, exactly.
"""

from __future__ import annotations

import numpy as np

from evalcore.engine.loops_counting import Pool, Tally
from evalcore.values.compiled import Array, compiled

NONE = -1
NUMBER_BITS = 32
NUMBER_MASK = (1 << NUMBER_BITS) - 1
SORTING = 16
"""Sorting a few numbers costs as much as walking past so many times more."""


@compiled
def value(weights: tuple[int, int, int], overlap: int, near: int, query: int, candidate: int) -> float:
    """One nn-IoU from its counts: a single correctly rounded quotient of integers (see ``relevance``)."""
    union = query + candidate - overlap
    return (weights[0] * overlap + weights[1] * near) / (weights[2] * union) if union else 0.0


@compiled
def values(
    weights: tuple[int, int, int], overlaps: Array, counts: Array, query_sizes: Array, candidate_sizes: Array
) -> Array:
    """`value` of every pair, float64."""
    result = np.zeros(len(overlaps), np.float64)
    for k in range(len(overlaps)):
        result[k] = value(weights, overlaps[k], counts[k], query_sizes[k], candidate_sizes[k])
    return result


@compiled
def score(tally: Tally, weights: tuple[int, int, int], query_sizes: Array) -> Array:
    """The value of each different result, aligned with the tally's results."""
    overlaps, nears, sizes, firsts = tally.overlaps, tally.nears, tally.sizes, tally.firsts
    scores = np.zeros(firsts[-1], np.float64)
    for row in range(len(query_sizes)):
        for k in range(firsts[row] + 1, firsts[row + 1]):
            scores[k] = value(weights, overlaps[k], nears[k], query_sizes[row], sizes[k])
    return scores


@compiled
def best_values(tally: Tally, scores: Array, depth: int) -> Array:
    """The ``depth`` largest values of each query, (queries, depth), descending, filled up with 0."""
    firsts = tally.firsts
    best = np.zeros((len(firsts) - 1, depth), np.float64)
    heap = np.empty(_most(firsts), np.int32)
    for row in range(len(best)):
        mine, amounts = scores[firsts[row] : firsts[row + 1]], tally.amounts[firsts[row] : firsts[row + 1]]
        size = _heaped(heap, mine, len(mine))
        filled = 0
        while size and filled < depth:
            top = heap[0]
            until = min(depth, filled + amounts[top])
            best[row, filled:until] = mine[top]
            filled = until
            size = _popped(heap, mine, size)
    return best


@compiled
def best_candidates(
    tally: Tally, scores: Array, pool: Pool, depth: int, width: int
) -> tuple[Array, Array, Array]:
    """Each query's ranking: candidates and scores, (queries, width), and how many places of a row are filled.

    At least ``depth`` places (as far as there are candidates) and the rest of the tie group that the
    last of them belongs to, up to ``width`` places.
    """
    firsts, starts, images = tally.firsts, tally.starts, pool.images
    n_rows = len(firsts) - 1
    ranked, ranked_scores = np.empty((n_rows, width), np.int32), np.empty((n_rows, width), np.float64)
    filled = np.zeros(n_rows, np.int64)
    most = _most(firsts)
    heap, level, free = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int64)
    number_at, chosen = np.zeros(len(pool.numbers), np.int32), np.empty(len(images), np.int64)
    for row in range(n_rows):
        mine, amounts = scores[firsts[row] : firsts[row + 1]], tally.amounts[firsts[row] : firsts[row + 1]]
        last, end = _levels(mine, amounts, depth, heap, level, free)
        places, numbers = tally.places[starts[row] : starts[row + 1]], tally.numbers[starts[row] :]
        related, unrelated = end, 0
        if level[0] <= last:
            related, unrelated = end - amounts[0], max(0, width - free[level[0]])
        n = _choose(pool, places, numbers, number_at, level, last, related, unrelated, chosen)
        for k in range(n):
            number = chosen[k] & NUMBER_MASK
            at = level[number]
            if at <= last and free[at] < width:
                ranked[row, free[at]] = images[chosen[k] >> NUMBER_BITS]
                ranked_scores[row, free[at]] = mine[number]
                free[at] += 1
        filled[row] = min(width, end)
    return ranked, ranked_scores, filled


@compiled
def _levels(
    scores: Array, amounts: Array, depth: int, heap: Array, level: Array, free: Array
) -> tuple[int, int]:
    """Number the different scores of a query from the best on, until ``depth`` places are taken.

    ``level`` of each result; ``free``, each level's first place. Returns the last level and where it
    ends; all results that are not reached share the level after it.
    """
    size, last, end, before = _heaped(heap, scores, len(scores)), NONE, 0, np.inf
    while size and (end < depth or scores[heap[0]] == before):
        top = heap[0]
        if scores[top] != before:
            last, before = last + 1, scores[top]
            free[last] = end
        level[top] = last
        end += amounts[top]
        size = _popped(heap, scores, size)
    for k in range(size):
        level[heap[k]] = last + 1
    return last, end


@compiled
def _choose(
    pool: Pool,
    places: Array,
    numbers: Array,
    number_at: Array,
    level: Array,
    last: int,
    related: int,
    unrelated: int,
    chosen: Array,
) -> int:
    """List the images that can get a place (and maybe others), ascending; how many.

    ``chosen`` takes the position of each among the images and, in its last bits, the number of its result.
    Of the ``related`` images with a level all are taken, of the unrelated ones the first ``unrelated``.
    Where these are few they are gathered and sorted, else all images are taken. ``number_at`` is all 0.
    """
    n, n_images = 0, len(pool.images)
    member_indptr, members, places_of = pool.member_indptr, pool.members, pool.places
    everyone = (related + unrelated) * SORTING > n_images
    if everyone or unrelated:
        for k in range(len(places)):
            number_at[places[k]] = numbers[k]
        k = 0
        while k < n_images and (everyone or n < unrelated):
            number = number_at[places_of[k]]
            if everyone or number == 0:
                chosen[n] = (k << NUMBER_BITS) | number
                n += 1
            k += 1
        for place in places:
            number_at[place] = 0
    if not everyone:
        for k in range(len(places)):
            if level[numbers[k]] <= last:
                for j in range(member_indptr[places[k]], member_indptr[places[k] + 1]):
                    chosen[n] = (np.int64(members[j]) << NUMBER_BITS) | numbers[k]
                    n += 1
        _sort(chosen, n)
    return n


@compiled
def _sort(values: Array, n: int) -> None:
    """Sort the first ``n`` values in place (Shell 1959): numpy's sort takes a second more to compile."""
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap:
        for k in range(gap, n):
            value, at = values[k], k
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


@compiled
def _most(firsts: Array) -> int:
    """The largest number of results that a query has."""
    most = 1
    for row in range(len(firsts) - 1):
        most = max(most, firsts[row + 1] - firsts[row])
    return most


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
