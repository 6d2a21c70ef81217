"""The compiled loops that select: from tallied counts and their values to rankings.

Each different result of a query has one score; equal scores form one level, and ranking is a counting
sort by level with candidates in ascending order: the one tie rule, exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.engine.loops_counting import CountTable, Pool
from evalcore.values.compiled import Array, compiled, inner

NONE = -1
NUMBER_BITS = 32
NUMBER_MASK = (1 << NUMBER_BITS) - 1
SORTING = 16
"""Sorting a few numbers costs as much as walking past so many times more."""


class Workspace(NamedTuple):
    """The working memory of one thread: ``heap``, ``level`` and ``free`` place by result of a query,
    ``number_at`` by place in the pool, ``chosen`` by image."""

    heap: Array
    level: Array
    free: Array
    number_at: Array
    chosen: Array


def best_values(tally: CountTable, scores: Array, depth: int) -> Array:
    """The ``depth`` largest values of each query, (queries, depth), descending, filled up with 0."""
    best = np.zeros((len(tally.firsts) - 1, depth), np.float64)
    _best_values(tally.firsts, tally.amounts, scores, depth, best, np.empty(_most(tally), np.int32))
    return best


@compiled
def _best_values(firsts: Array, amounts: Array, scores: Array, depth: int, best: Array, heap: Array) -> None:
    for row in range(len(best)):
        first = firsts[row]
        size = _heaped(heap, scores, first, firsts[row + 1] - first)
        filled = 0
        while size and filled < depth:
            top = first + heap[0]
            until = min(depth, filled + amounts[top])
            for k in range(filled, until):
                best[row, k] = scores[top]
            filled = until
            size = _popped(heap, scores, first, size)


def best_candidates(
    tally: CountTable, scores: Array, pool: Pool, depth: int, width: int
) -> tuple[Array, Array, Array]:
    """Each query's ranking: candidates and scores, (queries, width), and how many places of a row are filled.

    At least ``depth`` places (as far as there are candidates) and the rest of the tie group that the
    last of them belongs to, up to ``width`` places.
    """
    n_rows, most = len(tally.firsts) - 1, _most(tally)
    ranked, ranked_scores = np.empty((n_rows, width), np.int32), np.empty((n_rows, width), np.float64)
    filled = np.zeros(n_rows, np.int64)
    level, free = np.empty(most, np.int32), np.empty(most, np.int64)
    number_at, chosen = np.zeros(len(pool.numbers), np.int32), np.empty(len(pool.images), np.int64)
    desk = Workspace(np.empty(most, np.int32), level, free, number_at, chosen)
    _best_candidates(tally, scores, pool, depth, width, desk, ranked, ranked_scores, filled)
    return ranked, ranked_scores, filled


@compiled
def _best_candidates(
    tally: CountTable,
    scores: Array,
    pool: Pool,
    depth: int,
    width: int,
    desk: Workspace,
    ranked: Array,
    ranked_scores: Array,
    filled: Array,
) -> None:
    firsts, starts, amounts, images = tally.firsts, tally.starts, tally.amounts, pool.images
    heap, level, free, number_at, chosen = desk
    for row in range(len(filled)):
        first = firsts[row]
        last, end = _levels(scores, amounts, first, firsts[row + 1] - first, depth, heap, level, free)
        places, numbers = tally.places[starts[row] : starts[row + 1]], tally.numbers[starts[row] :]
        related, unrelated = end, 0
        if level[0] <= last:
            related, unrelated = end - amounts[first], max(0, width - free[level[0]])
        n = _choose(pool, places, numbers, number_at, level, last, related, unrelated, chosen)
        for k in range(n):
            number = chosen[k] & NUMBER_MASK
            at = level[number]
            if at <= last and free[at] < width:
                ranked[row, free[at]] = images[chosen[k] >> NUMBER_BITS]
                ranked_scores[row, free[at]] = scores[first + number]
                free[at] += 1
        filled[row] = min(width, end)


@inner
def _levels(
    scores: Array, amounts: Array, first: int, n: int, depth: int, heap: Array, level: Array, free: Array
) -> tuple[int, int]:
    """Number the different scores of a query from the best on, until ``depth`` places are taken.

    Its ``n`` results begin at ``first``.
    ``level`` of each result; ``free``, each level's first place. Returns the last level and where it
    ends; all results that are not reached share the level after it.
    """
    size, last, end, before = _heaped(heap, scores, first, n), NONE, 0, np.inf
    while size and (end < depth or scores[first + heap[0]] == before):
        top = heap[0]
        if scores[first + top] != before:
            last, before = last + 1, scores[first + top]
            free[last] = end
        level[top] = last
        end += amounts[first + top]
        size = _popped(heap, scores, first, size)
    for k in range(size):
        level[heap[k]] = last + 1
    return last, end


@inner
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


@inner
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


def _most(tally: CountTable) -> int:
    """The largest number of results that a query has."""
    return int(np.diff(tally.firsts).max(initial=1))


@inner
def _heaped(heap: Array, scores: Array, first: int, n: int) -> int:
    """Arrange the numbers 0 to n - 1, whose scores begin at ``first``, so that the largest is on top."""
    for number in range(n):
        heap[number] = number
    for k in range(n // 2 - 1, -1, -1):
        _sink(heap, scores, first, k, n)
    return n


@inner
def _popped(heap: Array, scores: Array, first: int, n: int) -> int:
    """Take the top off a heap of n numbers; how many are left."""
    heap[0] = heap[n - 1]
    _sink(heap, scores, first, np.int64(0), n - 1)
    return n - 1


@inner
def _sink(heap: Array, scores: Array, first: int, k: int | np.int64, n: int) -> None:
    """Let the number at position k sink below all larger ones."""
    number = heap[k]
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and scores[first + heap[child + 1]] > scores[first + heap[child]]:
            child += 1
        if scores[first + heap[child]] <= scores[first + number]:
            break
        heap[k] = heap[child]
        k = child
    heap[k] = number
