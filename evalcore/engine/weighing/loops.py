"""The compiled loops that count in weights: as ``loops_counting``, where every concept has one.

Weights are positive integers, and all sums are integers: equal relevances stay equal floats. The concepts
of a set stand by weight, the heaviest first, which makes a greedy matching the heaviest one (see
`_matching`). A neighbour match weighs what the concept that is matched weighs; a pair of two concepts as much
as both, so that counts by pairs are twice as large here (``counts.Formula`` halves them).

Stands alone, as every file of loops (see ``compiled``).
"""

from __future__ import annotations

import numpy as np

from evalcore.engine.loops_counting import Pool, Sets, Tally
from evalcore.values.compiled import Array, compiled

CONCEPTS, CONCEPTS_FULL, PAIRS, PAIRS_ALL, MATCHING, MATCHING2, QUERY, CANDIDATE = range(8)
"""As in ``loops_counting``, and so are the rows of the desk."""
SHARED, NEAR, NONE = 1, 2, -1
MARK, PLACE, HEAD, FOLLOWING, WHO, IN_BOTH, REACHED, TRIED, HOLDER, SOURCE, HELD, QUEUE = range(12)


@compiled
def _open_query(desk: Array, sets: Sets, query: int, threshold: int) -> None:
    """Mark what the query holds and what is near to it."""
    links = 0
    start = sets.indptr[query]
    for k in range(start, sets.indptr[query + 1]):
        concept = sets.indices[k]
        desk[MARK, concept] |= SHARED
        desk[PLACE, concept] = k - start
        for j in range(sets.near_indptr[concept], sets.near_indptr[concept + 1]):
            if sets.near_distances[j] <= threshold:
                near = sets.near_indices[j]
                desk[MARK, near] |= NEAR
                desk[WHO, links] = k - start
                desk[FOLLOWING, links] = desk[HEAD, near]
                desk[HEAD, near] = links
                links += 1


@compiled
def _close_query(desk: Array, sets: Sets, query: int) -> None:
    """Take all marks of the query away again."""
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        desk[MARK, concept], desk[HEAD, concept] = 0, NONE
        for j in range(sets.near_indptr[concept], sets.near_indptr[concept + 1]):
            near = sets.near_indices[j]
            desk[MARK, near], desk[HEAD, near] = 0, NONE


@compiled
def _new_desk(room: int) -> Array:
    desk = np.zeros((QUEUE + 1, room), np.int32)
    desk[HEAD] = NONE
    return desk


@compiled
def _weigh(
    desk: Array,
    indices: Array,
    weights: Array,
    codes: Array,
    first: int,
    start: int,
    end: int,
    rule: int,
    stamp: int,
    overlap: Array,
    near: Array,
) -> None:
    """Add w(A∩B) and w(NN) of the open query (``indices[first:]``) and ``indices[start:end]``, by code."""
    marks = 0
    for k in range(start, end):
        concept = indices[k]
        mark = desk[MARK, concept]
        marks |= mark
        if mark & SHARED:
            overlap[codes[concept]] += weights[concept]
            desk[IN_BOTH, desk[PLACE, concept]] = stamp
    if not marks & NEAR:
        return
    if rule == MATCHING or rule == MATCHING2:  # noqa: SIM109 (a tuple is slower in compiled code)
        _matching(desk, indices, weights, codes, first, start, end, stamp, near)
        return
    full = rule == CONCEPTS_FULL
    by_pairs = rule in (PAIRS, PAIRS_ALL)
    for k in range(start, end):
        concept = indices[k]
        only_candidate = not desk[MARK, concept] & SHARED
        counted = False
        link = desk[HEAD, concept]
        while link != NONE:
            i = desk[WHO, link]
            link = desk[FOLLOWING, link]
            mine = indices[first + i]
            only_query = desk[IN_BOTH, i] != stamp
            if by_pairs:
                if rule == PAIRS_ALL or (only_query and only_candidate):
                    near[codes[mine]] += weights[mine]
                    near[codes[concept]] += weights[concept]
                continue
            if rule != CANDIDATE and only_query and (only_candidate or full) and desk[REACHED, i] != stamp:
                desk[REACHED, i] = stamp
                near[codes[mine]] += weights[mine]
            if rule != QUERY and only_candidate and (only_query or full) and not counted:
                counted = True
                near[codes[concept]] += weights[concept]


@compiled
def _matching(
    desk: Array,
    indices: Array,
    weights: Array,
    codes: Array,
    first: int,
    start: int,
    end: int,
    stamp: int,
    near: Array,
) -> None:
    """Add the weights of both ends of the heaviest one-to-one matching between A' and B'.

    Candidate concepts come heaviest first; each takes the heaviest query concept that an augmenting path
    leads to. Who is matched stays matched, so on either side the concepts that are matched are a heaviest
    set that can be (matroids: the greedy choice is the best one), and the matching is a largest one too.
    """
    for root in range(end - start):
        if desk[MARK, indices[start + root]] != NEAR:
            continue
        free = _find_best(desk, indices, start, root, stamp)
        if free == NONE:
            continue
        desk[REACHED, free] = stamp
        for concept in (indices[start + root], indices[first + free]):
            near[codes[concept]] += weights[concept]
        mover = NONE
        while mover != root:
            mover = desk[SOURCE, free]
            before = desk[HELD, mover]
            desk[HOLDER, free], desk[HELD, mover] = mover, free
            free = before


@compiled
def _find_best(desk: Array, indices: Array, start: int, root: int, stamp: int) -> int:
    """The first free query position that candidate position ``root`` can get at; ``SOURCE`` tells how."""
    desk[TRIED] = 0
    desk[QUEUE, 0] = root
    at, last, best = 0, 1, NONE
    while at < last:
        k = desk[QUEUE, at]
        at += 1
        link = desk[HEAD, indices[start + k]]
        while link != NONE:
            i = desk[WHO, link]
            link = desk[FOLLOWING, link]
            if desk[IN_BOTH, i] == stamp or desk[TRIED, i]:
                continue
            desk[TRIED, i], desk[SOURCE, i] = 1, k
            if desk[REACHED, i] == stamp:
                desk[QUEUE, last] = desk[HOLDER, i]
                last += 1
            elif best == NONE or i < best:
                best = i
    return int(best)


@compiled
def weigh_pairs(
    sets: Sets,
    weights: Array,
    codes: Array,
    n_codes: int,
    queries: Array,
    candidates: Array,
    rule: int,
    threshold: int,
) -> tuple[Array, Array]:
    """w(A∩B) and w(NN) of aligned pairs of set numbers by the codes of their concepts, (pairs, n_codes)."""
    indptr, indices, desk = sets.indptr, sets.indices, _new_desk(sets.room)
    overlaps = np.zeros((len(queries), n_codes), np.int64)
    nears = np.zeros((len(queries), n_codes), np.int64)
    opened = NONE
    for k in range(len(queries)):
        if queries[k] != opened:
            if opened != NONE:
                _close_query(desk, sets, opened)
            opened = queries[k]
            _open_query(desk, sets, opened, threshold)
        start, end = indptr[candidates[k]], indptr[candidates[k] + 1]
        _weigh(desk, indices, weights, codes, indptr[opened], start, end, rule, k + 1, overlaps[k], nears[k])
    return overlaps, nears


def no_tally() -> Tally:
    """The tally of no query."""
    ends, nothing, none = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    return Tally(ends, nothing, nothing, ends, none, none, none, nothing)


@compiled
def tally(
    sets: Sets,
    weights: Array,
    set_weights: Array,
    pool: Pool,
    queries: Array,
    rule: int,
    threshold: int,
    spent: Tally,
) -> Tally:
    """As ``loops_counting.tally``, in weights; ``set_weights`` that of each set."""
    n_places = len(pool.numbers)
    starts, firsts = np.zeros(len(queries) + 1, np.int64), np.zeros(len(queries) + 1, np.int64)
    places, numbers, overlaps, nears = spent.places, spent.numbers, spent.overlaps, spent.nears
    sizes, amounts = spent.sizes, spent.amounts
    desk, codes = _new_desk(sets.room), np.zeros(sets.room, np.int32)
    mask = 3
    while mask < 2 * n_places:
        mask = 2 * mask + 1
    book, used = np.zeros(mask + 1, np.int32), np.empty(n_places + 1, np.int64)
    overlap_of, near_in = np.zeros(n_places, np.int64), np.zeros(n_places, np.int32)
    sums = np.zeros((2, 1), np.int64)
    stamp = 0
    for row in range(len(queries)):
        start, first = starts[row], firsts[row]
        places, numbers = _with_room(places, start, n_places), _with_room(numbers, start, n_places)
        overlaps, nears = _with_room(overlaps, first, n_places + 1), _with_room(nears, first, n_places + 1)
        sizes, amounts = _with_room(sizes, first, n_places + 1), _with_room(amounts, first, n_places + 1)
        stamp += 1
        _open_query(desk, sets, queries[row], threshold)
        touched = places[start:]
        n_touched = _touch(sets, weights, pool, queries[row], threshold, overlap_of, near_in, touched, stamp)
        n, stamp = _tally_query(
            desk,
            sets,
            weights,
            codes,
            set_weights,
            pool.numbers,
            pool.amounts,
            queries[row],
            book,
            used,
            sums,
            touched[:n_touched],
            overlap_of,
            near_in,
            numbers[start:],
            overlaps[first:],
            nears[first:],
            sizes[first:],
            amounts[first:],
            rule,
            stamp,
        )
        amounts[first] += len(pool.images)
        starts[row + 1], firsts[row + 1] = start + n_touched, first + n
        _close_query(desk, sets, queries[row])
    return Tally(starts, places, numbers, firsts, overlaps, nears, sizes, amounts)


@compiled
def _tally_query(
    desk: Array,
    sets: Sets,
    weights: Array,
    codes: Array,
    set_weights: Array,
    set_numbers: Array,
    pool_amounts: Array,
    query: int,
    book: Array,
    used: Array,
    sums: Array,
    touched: Array,
    overlap_of: Array,
    near_in: Array,
    numbers: Array,
    overlaps: Array,
    nears: Array,
    sizes: Array,
    amounts: Array,
    rule: int,
    stamp: int,
) -> tuple[int, int]:
    """Weigh the open query with the sets at ``touched``; the rest is filled. How many results, last stamp.

    ``book`` is a hash table of result numbers (0: free); results too large for one key are compared whole.
    """
    indptr, indices, mask, first = sets.indptr, sets.indices, len(book) - 1, sets.indptr[query]
    overlaps[0], nears[0], sizes[0], amounts[0] = 0, 0, 0, 0
    n, related, near_stamp = 1, 0, stamp
    for k in range(len(touched)):
        place = touched[k]
        number = set_numbers[place]
        overlap, near, size = overlap_of[place], np.int64(0), set_weights[number]
        overlap_of[place] = 0
        if near_in[place] == near_stamp:
            stamp += 1
            sums[0, 0], sums[1, 0] = 0, 0
            _weigh(
                desk,
                indices,
                weights,
                codes,
                first,
                indptr[number],
                indptr[number + 1],
                rule,
                stamp,
                sums[0],
                sums[1],
            )
            near = sums[1, 0]
        at = (size + 67 * near + 1031 * overlap) & mask
        while book[at] and (
            overlaps[book[at]] != overlap or nears[book[at]] != near or sizes[book[at]] != size
        ):
            at = (at + 1) & mask
        if book[at] == 0:
            book[at], used[n] = n, at
            overlaps[n], nears[n], sizes[n], amounts[n] = overlap, near, size, 0
            n += 1
        numbers[k] = book[at]
        amounts[book[at]] += pool_amounts[place]
        related += pool_amounts[place]
    amounts[0] = -related
    for number in range(1, n):
        book[used[number]] = 0
    return n, stamp


@compiled
def _with_room(array: Array, used: int, more: int) -> Array:
    """An array with the same first ``used`` entries and room for ``more``."""
    if used + more <= len(array):
        return array
    larger = np.empty(2 * (used + more), array.dtype)
    for k in range(used):
        larger[k] = array[k]
    return larger


@compiled
def _touch(
    sets: Sets,
    weights: Array,
    pool: Pool,
    query: int,
    threshold: int,
    overlap_of: Array,
    near_in: Array,
    touched: Array,
    stamp: int,
) -> int:
    """List the places that hold a concept of the query (and its weight), or one near to it (``near_in``)."""
    holder_indptr, holders = pool.holder_indptr, pool.holders
    n = 0
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        for h in range(holder_indptr[concept], holder_indptr[concept + 1]):
            if overlap_of[holders[h]] == 0:
                touched[n] = holders[h]
                n += 1
            overlap_of[holders[h]] += weights[concept]
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        for j in range(sets.near_indptr[sets.indices[k]], sets.near_indptr[sets.indices[k] + 1]):
            if sets.near_distances[j] > threshold:
                continue
            near = sets.near_indices[j]
            for h in range(holder_indptr[near], holder_indptr[near + 1]):
                if near_in[holders[h]] != stamp:
                    near_in[holders[h]] = stamp
                    if overlap_of[holders[h]] == 0:
                        touched[n] = holders[h]
                        n += 1
    return n
