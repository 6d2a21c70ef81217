"""The compiled loops that count: overlap and neighbour matches of one query with many candidates.

All counting is done in integers. A query set is *opened* once: every concept of the vocabulary is
marked as shared with it or as a neighbour of some of its concepts, and each of the latter knows of
which. The sets that hold a marked concept are found by an inverted index; only those with a neighbour
are walked through. Stamps ("already seen for this candidate") replace clearing; no set is too large.

Only few different results (overlap, neighbours, candidate size) occur per query, so they are numbered
and tallied; scoring and ranking (`loops_selecting`) then deal with a few dozen of them.

Arrays are taken out of the tuples before a loop: inside one, each access would count references.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.values.compiled import Array, compiled

CONCEPTS, CONCEPTS_FULL, PAIRS, PAIRS_ALL, MATCHING, MATCHING2, QUERY, CANDIDATE = range(8)
"""Count rules as numbers, in the order of ``settings.CountRule``."""

SHARED, NEAR, NONE = 1, 2, -1
SIZE_BITS, NEAR_BITS = 20, 23  # fields of a key; the overlap has the 20 bits above them

# Rows of the desk, the working memory of one thread. Per concept: its MARK, its PLACE in the query, and the
# HEAD of the chain (FOLLOWING, WHO) of query positions that it is a neighbour of. Per query position:
# IN_BOTH and REACHED, stamped for the candidate at hand. TRIED, HOLDER, SOURCE (per query position), HELD and
# QUEUE (per candidate position) belong to the matching.
MARK, PLACE, HEAD, FOLLOWING, WHO, IN_BOTH, REACHED, TRIED, HOLDER, SOURCE, HELD, QUEUE = range(12)


class Sets(NamedTuple):
    """Different concept sets as CSR, and the neighbours of every concept as CSR with distances.

    ``room`` as in ``space.Space``.
    """

    indptr: Array
    indices: Array
    near_indptr: Array
    near_indices: Array
    near_distances: Array
    room: int


class Pool(NamedTuple):
    """The candidates: the ``numbers`` of their different sets (each one's *place* among them) with the
    ``amounts`` of images that have each, and the ``images``, ascending, with their ``places``.

    The images of place p are ``images[members[member_indptr[p]:member_indptr[p + 1]]]``, the places that
    hold concept k ``holders[holder_indptr[k]:holder_indptr[k + 1]]``.
    """

    numbers: Array
    amounts: Array
    images: Array
    places: Array
    member_indptr: Array
    members: Array
    holder_indptr: Array
    holders: Array


class Book(NamedTuple):
    """The numbers given to the results of one query: a hash table of ``keys`` (0: free) with ``codes``,
    and the ``used`` places in it."""

    keys: Array
    codes: Array
    used: Array


class Tally(NamedTuple):
    """What counting found for each query: the places related to it, and its different results, numbered.

    Query q's related places are ``places[starts[q]:starts[q + 1]]``, ``numbers`` those of their results.
    Result number k has ``overlaps``, ``nears``, ``sizes`` (of the candidate sets) and ``amounts`` (of images)
    at position ``firsts[q] + k``; number 0 is that of all other places: no overlap, none near.
    """

    starts: Array
    places: Array
    numbers: Array
    firsts: Array
    overlaps: Array
    nears: Array
    sizes: Array
    amounts: Array


@compiled
def open_query(desk: Array, sets: Sets, query: int, threshold: int) -> None:
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
def close_query(desk: Array, sets: Sets, query: int) -> None:
    """Take all marks of the query away again."""
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        desk[MARK, concept], desk[HEAD, concept] = 0, NONE
        for j in range(sets.near_indptr[concept], sets.near_indptr[concept + 1]):
            near = sets.near_indices[j]
            desk[MARK, near], desk[HEAD, near] = 0, NONE


@compiled
def new_desk(room: int) -> Array:
    """An empty desk."""
    desk = np.zeros((QUEUE + 1, room), np.int32)
    desk[HEAD] = NONE
    return desk


@compiled
def count(desk: Array, indices: Array, start: int, end: int, rule: int, stamp: int) -> tuple[int, int]:
    """|A∩B| and NN of the open query A and a candidate B = ``indices[start:end]``; each time a new stamp."""
    overlap, marks = 0, 0
    for k in range(start, end):
        mark = desk[MARK, indices[k]]
        marks |= mark
        if mark & SHARED:
            overlap += 1
            desk[IN_BOTH, desk[PLACE, indices[k]]] = stamp
    if not marks & NEAR:
        return overlap, 0
    if rule == MATCHING:
        return overlap, _matching(desk, indices, start, end, stamp)
    if rule == MATCHING2:
        return overlap, 2 * _matching(desk, indices, start, end, stamp)
    return overlap, _neighbours(desk, indices, start, end, rule, stamp)


@compiled
def _neighbours(desk: Array, indices: Array, start: int, end: int, rule: int, stamp: int) -> int:
    """NN by the rules that look at each neighbour pair (query concept i, candidate concept) once."""
    pairs, on_query, on_candidate = 0, 0, 0
    full = rule == CONCEPTS_FULL
    for k in range(start, end):
        only_candidate = not desk[MARK, indices[k]] & SHARED
        counted = False
        link = desk[HEAD, indices[k]]
        while link != NONE:
            i = desk[WHO, link]
            link = desk[FOLLOWING, link]
            only_query = desk[IN_BOTH, i] != stamp
            pairs += rule == PAIRS_ALL or (only_query and only_candidate)
            if only_query and (only_candidate or full) and desk[REACHED, i] != stamp:
                desk[REACHED, i] = stamp
                on_query += 1
            if only_candidate and (only_query or full) and not counted:
                counted = True
                on_candidate += 1
    if rule == PAIRS or rule == PAIRS_ALL:  # noqa: SIM109 (a tuple is slower in compiled code)
        return pairs
    if rule == QUERY:
        return on_query
    return on_candidate if rule == CANDIDATE else on_query + on_candidate


@compiled
def _matching(desk: Array, indices: Array, start: int, end: int, stamp: int) -> int:
    """Size of a largest one-to-one matching between A' and B'.

    Candidate concepts come one by one; each looks for a query concept that is free (``REACHED`` is not
    stamped), or whose holder can move to another one (augmenting path, breadth first).
    """
    matched = 0
    for root in range(end - start):
        if desk[MARK, indices[start + root]] != NEAR:
            continue
        free = _find_free(desk, indices, start, root, stamp)
        if free == NONE:
            continue
        matched += 1
        desk[REACHED, free] = stamp
        mover = NONE
        while mover != root:
            mover = desk[SOURCE, free]
            before = desk[HELD, mover]
            desk[HOLDER, free], desk[HELD, mover] = mover, free
            free = before
    return matched


@compiled
def _find_free(desk: Array, indices: Array, start: int, root: int, stamp: int) -> int:
    """A free query position that candidate position ``root`` can get at; ``SOURCE`` tells how."""
    desk[TRIED] = 0
    desk[QUEUE, 0] = root
    first, last = 0, 1
    while first < last:
        k = desk[QUEUE, first]
        first += 1
        link = desk[HEAD, indices[start + k]]
        while link != NONE:
            i = desk[WHO, link]
            link = desk[FOLLOWING, link]
            if desk[IN_BOTH, i] == stamp or desk[TRIED, i]:
                continue
            desk[TRIED, i], desk[SOURCE, i] = 1, k
            if desk[REACHED, i] != stamp:
                return int(i)
            desk[QUEUE, last] = desk[HOLDER, i]
            last += 1
    return NONE


@compiled
def count_pairs(
    sets: Sets, queries: Array, candidates: Array, rule: int, threshold: int
) -> tuple[Array, Array]:
    """Overlap and NN of aligned pairs of set numbers; pairs of one query should stand together."""
    indptr, indices, desk = sets.indptr, sets.indices, new_desk(sets.room)
    overlaps, counts = np.zeros(len(queries), np.int32), np.zeros(len(queries), np.int32)
    opened = NONE
    for k in range(len(queries)):
        if queries[k] != opened:
            if opened != NONE:
                close_query(desk, sets, opened)
            opened = queries[k]
            open_query(desk, sets, opened, threshold)
        start, end = indptr[candidates[k]], indptr[candidates[k] + 1]
        overlaps[k], counts[k] = count(desk, indices, start, end, rule, k + 1)
    return overlaps, counts


def no_tally() -> Tally:
    """The tally of no query."""
    ends, nothing = np.zeros(1, np.int64), np.empty(0, np.int32)
    return Tally(ends, nothing, nothing, ends, nothing, nothing, nothing, nothing)


@compiled
def tally(sets: Sets, pool: Pool, queries: Array, rule: int, threshold: int, spent: Tally) -> Tally:
    """Count each query set with every candidate set, in the memory of a tally that nobody needs any more."""
    n_places = len(pool.numbers)
    starts, firsts = np.zeros(len(queries) + 1, np.int64), np.zeros(len(queries) + 1, np.int64)
    places, numbers, overlaps, nears = spent.places, spent.numbers, spent.overlaps, spent.nears
    sizes, amounts = spent.sizes, spent.amounts
    desk, book = new_desk(sets.room), _new_book(n_places)
    overlap_of, near_in = np.zeros(n_places, np.int32), np.zeros(n_places, np.int32)
    set_starts = sets.indptr[pool.numbers]
    set_sizes = (sets.indptr[pool.numbers + 1] - set_starts).astype(np.int32)
    stamp = 0
    for row in range(len(queries)):
        start, first = starts[row], firsts[row]
        places, numbers = _with_room(places, start, n_places), _with_room(numbers, start, n_places)
        overlaps, nears = _with_room(overlaps, first, n_places + 1), _with_room(nears, first, n_places + 1)
        sizes, amounts = _with_room(sizes, first, n_places + 1), _with_room(amounts, first, n_places + 1)
        stamp += 1
        open_query(desk, sets, queries[row], threshold)
        touched = places[start:]
        n_touched = _touch(sets, pool, queries[row], threshold, overlap_of, near_in, touched, stamp)
        n, stamp = _tally_query(
            desk,
            sets.indices,
            set_starts,
            set_sizes,
            pool.amounts,
            book,
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
        close_query(desk, sets, queries[row])
    return Tally(starts, places, numbers, firsts, overlaps, nears, sizes, amounts)


@compiled
def _tally_query(
    desk: Array,
    indices: Array,
    set_starts: Array,
    set_sizes: Array,
    pool_amounts: Array,
    book: Book,
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
    """Count the open query with the sets at ``touched``; the rest is filled. How many results, last stamp.

    A function of its own, because arrays that are replaced in a loop make it three times as slow.
    """
    keys, codes, used = book
    mask = len(keys) - 1
    overlaps[0], nears[0], sizes[0], amounts[0] = 0, 0, 0, 0
    n, related, near_stamp = 1, 0, stamp
    for k in range(len(touched)):
        place = touched[k]
        overlap, near, size = overlap_of[place], 0, set_sizes[place]
        overlap_of[place] = 0
        if near_in[place] == near_stamp:
            stamp += 1
            start = set_starts[place]
            overlap, near = count(desk, indices, start, start + size, rule, stamp)
        key = (overlap << (NEAR_BITS + SIZE_BITS)) | (near << SIZE_BITS) | size
        at = (size + 67 * near + 1031 * overlap) & mask
        while keys[at] != key and keys[at] != 0:
            at = (at + 1) & mask
        if keys[at] == 0:
            keys[at], codes[at], used[n] = key, n, at
            overlaps[n], nears[n], sizes[n], amounts[n] = overlap, near, size, 0
            n += 1
        numbers[k] = codes[at]
        amounts[codes[at]] += pool_amounts[place]
        related += pool_amounts[place]
    amounts[0] = -related
    for number in range(1, n):
        keys[used[number]] = 0
    return n, stamp


@compiled
def _new_book(n: int) -> Book:
    """An empty book for up to ``n`` results."""
    mask = 3
    while mask < 2 * n:
        mask = 2 * mask + 1
    return Book(np.zeros(mask + 1, np.int64), np.empty(mask + 1, np.int32), np.empty(n + 1, np.int64))


@compiled
def _with_room(array: Array, used: int, more: int) -> Array:
    """An array with the same first ``used`` entries and room for ``more``."""
    if used + more <= len(array):
        return array
    larger = np.empty(2 * (used + more), np.int32)
    for k in range(used):  # copying slices would take three seconds more to compile
        larger[k] = array[k]
    return larger


@compiled
def _touch(
    sets: Sets,
    pool: Pool,
    query: int,
    threshold: int,
    overlap_of: Array,
    near_in: Array,
    touched: Array,
    stamp: int,
) -> int:
    """List the places that hold a concept of the query (and how many), or one near to it (``near_in``)."""
    holder_indptr, holders = pool.holder_indptr, pool.holders
    n = 0
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        for h in range(holder_indptr[concept], holder_indptr[concept + 1]):
            if overlap_of[holders[h]] == 0:
                touched[n] = holders[h]
                n += 1
            overlap_of[holders[h]] += 1
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
