"""The compiled loops that count: overlap and neighbour matches of one query with many candidates.

All counting is done in integers. A query set is *opened* once: every concept of the vocabulary is
marked as shared with it or as a neighbour of some of its concepts, and each of the latter knows of
which. The sets that hold a marked concept are found by an inverted index; only those with a neighbour
are walked through. Stamps ("already seen for this candidate") replace clearing; no set is too large.

Where every concept has a weight, the same loops count in weights: positive integers, so that all sums are
integers and equal relevances stay equal floats. The concepts of a set then stand by weight, the heaviest
first, which makes a greedy matching the heaviest one. A neighbour match weighs what the concept that is
matched weighs; a pair of two concepts as much as both, so that counts by pairs are twice as large
(``sets.counted_by`` halves them). ``weights`` is None where concepts have none: numba compiles the loops for
each kind of arguments and leaves out what an ``is None`` decides, so counting pays nothing for it.

Only few different results (overlap, neighbours, candidate size) occur per query, so they are numbered
and tallied; scoring and ranking (`loops_selecting`) then deal with a few dozen of them.

Arrays are taken out of the tuples before a loop: inside one, each access would count references. They are
made outside of the loops, and a number has one type wherever it is handed on: each kind of array that a loop
makes, and each further type, takes a tenth of a second to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evalcore.engine.space import DistinctSets
from evalcore.values.compiled import Array, compiled, inner

CONCEPTS, CONCEPTS_FULL, PAIRS, PAIRS_ALL, MATCHING, MATCHING2, QUERY, CANDIDATE = range(8)
"""Count rules as numbers, in the order of ``settings.CountRule``."""

SHARED, NEAR, NONE = 1, 2, -1
SIZE_BITS, NEAR_BITS = 20, 23  # fields of a key; the overlap has the 20 bits above them

# Rows of the desk, the working memory of one thread. Per concept: its MARK, its PLACE in the query, and the
# HEAD of the chain (FOLLOWING, WHO) of query positions that it is a neighbour of. Per query position:
# IN_BOTH and REACHED, stamped for the candidate at hand. TRIED, HOLDER, SOURCE (per query position), HELD and
# QUEUE (per candidate position) belong to the matching.
MARK, PLACE, HEAD, FOLLOWING, WHO, IN_BOTH, REACHED, TRIED, HOLDER, SOURCE, HELD, QUEUE = range(12)


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


class ResultIndex(NamedTuple):
    """The numbers given to the results of one query: a hash table of ``keys`` (0: free) with ``codes``,
    and the ``used`` places in it."""

    keys: Array
    codes: Array
    used: Array


class CountTable(NamedTuple):
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


@inner
def _open_query(desk: Array, sets: DistinctSets, query: int | np.int64, threshold: int) -> None:
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


@inner
def _close_query(desk: Array, sets: DistinctSets, query: int | np.int64) -> None:
    """Take all marks of the query away again."""
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        desk[MARK, concept], desk[HEAD, concept] = 0, NONE
        for j in range(sets.near_indptr[concept], sets.near_indptr[concept + 1]):
            near = sets.near_indices[j]
            desk[MARK, near], desk[HEAD, near] = 0, NONE


def _new_desk(room: int) -> Array:
    """An empty desk."""
    desk = np.zeros((QUEUE + 1, room), np.int32)
    desk[HEAD] = NONE
    return desk


@inner
def _credit(sums: Array | None, codes: Array | None, weights: Array | None, concept: int) -> int:
    """What a concept counts: its weight, or 1; also added to ``sums`` by its code where there are codes."""
    weight = 1 if weights is None else weights[concept]
    if codes is not None:
        assert sums is not None, "codes need sums"
        sums[codes[concept]] += weight
    return weight


@inner
def _count(
    desk: Array,
    indices: Array,
    weights: Array | None,
    codes: Array | None,
    first: int,
    start: int,
    end: int,
    rule: int,
    stamp: int,
    shared: Array | None,
    near: Array | None,
) -> tuple[int, int]:
    """|A∩B| and NN, or their weights, of the open query A and a candidate B.

    A is ``indices[first:]``, B ``indices[start:end]``; each time a new stamp. With ``codes`` also added to
    ``shared`` and ``near`` by the codes of concepts.
    """
    overlap, marks = 0, 0
    for k in range(start, end):
        mark = desk[MARK, indices[k]]
        marks |= mark
        if mark & SHARED:
            overlap += _credit(shared, codes, weights, indices[k])
            desk[IN_BOTH, desk[PLACE, indices[k]]] = stamp
    if not marks & NEAR:
        return overlap, 0
    if rule == MATCHING:
        return overlap, _matching(desk, indices, weights, codes, first, start, end, stamp, near)
    if rule == MATCHING2:
        times = 2 if weights is None else 1
        return overlap, times * _matching(desk, indices, weights, codes, first, start, end, stamp, near)
    return overlap, _neighbours(desk, indices, weights, codes, first, start, end, rule, stamp, near)


@inner
def _neighbours(
    desk: Array,
    indices: Array,
    weights: Array | None,
    codes: Array | None,
    first: int,
    start: int,
    end: int,
    rule: int,
    stamp: int,
    near: Array | None,
) -> int:
    """NN by the rules that look at each neighbour pair (query concept i, candidate concept) once."""
    n = 0
    full = rule == CONCEPTS_FULL
    by_pairs = rule in (PAIRS, PAIRS_ALL)
    for k in range(start, end):
        only_candidate = not desk[MARK, indices[k]] & SHARED
        counted = False
        link = desk[HEAD, indices[k]]
        while link != NONE:
            i = desk[WHO, link]
            link = desk[FOLLOWING, link]
            only_query = desk[IN_BOTH, i] != stamp
            if by_pairs:
                if rule == PAIRS_ALL or (only_query and only_candidate):
                    n += _credit(near, codes, weights, indices[k])
                    if weights is not None:
                        n += _credit(near, codes, weights, indices[first + i])
                continue
            if rule != CANDIDATE and only_query and (only_candidate or full) and desk[REACHED, i] != stamp:
                desk[REACHED, i] = stamp
                n += _credit(near, codes, weights, indices[first + i])
            if rule != QUERY and only_candidate and (only_query or full) and not counted:
                counted = True
                n += _credit(near, codes, weights, indices[k])
    return n


@inner
def _matching(
    desk: Array,
    indices: Array,
    weights: Array | None,
    codes: Array | None,
    first: int,
    start: int,
    end: int,
    stamp: int,
    near: Array | None,
) -> int:
    """Size of a largest one-to-one matching between A' and B', or the weights of both ends of the heaviest.

    Candidate concepts come one by one; each looks for a query concept that is free (``REACHED`` is not
    stamped), or whose holder can move to another one (augmenting path, breadth first). With weights the
    heaviest candidate comes first and takes the heaviest that it can get at. Who is matched stays matched,
    so on either side the concepts that are matched are a heaviest set that can be (matroids: the greedy
    choice is the best one), and the matching is a largest one too.
    """
    matched = 0
    for root in range(end - start):
        if desk[MARK, indices[start + root]] != NEAR:
            continue
        free = _find_free(desk, indices, weights, start, root, stamp)
        if free == NONE:
            continue
        matched += _credit(near, codes, weights, indices[start + root])
        if weights is not None:
            matched += _credit(near, codes, weights, indices[first + free])
        desk[REACHED, free] = stamp
        mover = NONE
        while mover != root:
            mover = desk[SOURCE, free]
            before = desk[HELD, mover]
            desk[HOLDER, free], desk[HELD, mover] = mover, free
            free = before
    return matched


@inner
def _find_free(desk: Array, indices: Array, weights: Array | None, start: int, root: int, stamp: int) -> int:
    """A free query position that candidate position ``root`` can get at; ``SOURCE`` tells how.

    With weights the first of them, which is the heaviest.
    """
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
            elif weights is None:
                return int(i)
            elif best == NONE or i < best:
                best = i
    return int(best)


def count_pairs(
    sets: DistinctSets,
    weights: Array | None,
    codes: Array | None,
    queries: Array,
    candidates: Array,
    rule: int,
    threshold: int,
    overlaps: Array,
    nears: Array,
) -> None:
    """Fill in overlap and NN of aligned pairs of set numbers; pairs of the same query should be adjacent.

    ``overlaps`` and ``nears`` take one number per pair; with ``codes``, which need weights, one per pair and
    code of a concept.
    """
    desk = _new_desk(sets.room)
    _count_pairs(desk, sets, weights, codes, queries, candidates, rule, threshold, overlaps, nears)


@compiled
def _count_pairs(
    desk: Array,
    sets: DistinctSets,
    weights: Array | None,
    codes: Array | None,
    queries: Array,
    candidates: Array,
    rule: int,
    threshold: int,
    overlaps: Array,
    nears: Array,
) -> None:
    indptr, indices = sets.indptr, sets.indices
    opened = np.int64(NONE)
    for k in range(len(queries)):
        if queries[k] != opened:
            if opened != NONE:
                _close_query(desk, sets, opened)
            opened = np.int64(queries[k])
            _open_query(desk, sets, opened, threshold)
        first, start, end = indptr[opened], indptr[candidates[k]], indptr[candidates[k] + 1]
        if codes is None:
            overlaps[k], nears[k] = _count(
                desk, indices, weights, None, first, start, end, rule, k + 1, None, None
            )
        else:
            _count(desk, indices, weights, codes, first, start, end, rule, k + 1, overlaps[k], nears[k])


def no_tally(counts: np.dtype[Any]) -> CountTable:
    """The tally of no query, with this type of ``overlaps``, ``nears`` and ``sizes``."""
    ends, nothing, none = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, counts)
    return CountTable(ends, nothing, nothing, ends, none, none, none, nothing)


def tally(
    sets: DistinctSets,
    weights: Array | None,
    set_sizes: Array,
    pool: Pool,
    queries: Array,
    rule: int,
    threshold: int,
    spent: CountTable,
) -> CountTable:
    """Count each query set with every candidate set, in the memory of a tally that nobody needs any more.

    ``set_sizes``: of each set how many concepts it has, or what they weigh.
    """
    n_places, (starts, firsts) = len(pool.numbers), np.zeros((2, len(queries) + 1), np.int64)
    desk, book = _new_desk(sets.room), _new_book(n_places)
    set_starts, set_ends = sets.indptr[pool.numbers], sets.indptr[pool.numbers + 1]
    overlap_of, near_in = np.zeros(n_places, spent.overlaps.dtype), np.zeros(n_places, np.int32)
    pool_sizes = set_sizes[pool.numbers]
    result, row, stamp = spent._replace(starts=starts, firsts=firsts), 0, 0
    while row < len(queries):
        result = _with_room(result, row, n_places)
        row, stamp = _tally(
            desk,
            book,
            sets,
            weights,
            pool.amounts,
            pool.holder_indptr,
            pool.holders,
            len(pool.images),
            set_starts,
            set_ends,
            pool_sizes,
            queries,
            rule,
            threshold,
            overlap_of,
            near_in,
            result,
            row,
            stamp,
        )
    return result


@compiled
def _tally(
    desk: Array,
    book: ResultIndex,
    sets: DistinctSets,
    weights: Array | None,
    pool_amounts: Array,
    holder_indptr: Array,
    holders: Array,
    n_images: int,
    set_starts: Array,
    set_ends: Array,
    pool_sizes: Array,
    queries: Array,
    rule: int,
    threshold: int,
    overlap_of: Array,
    near_in: Array,
    result: CountTable,
    row: int,
    stamp: int,
) -> tuple[int, int]:
    """Count the queries from a row on, as far as there is room; the row where it ends, and the last stamp."""
    n_places = len(pool_amounts)
    starts, places, numbers, firsts, overlaps, nears, sizes, amounts = result
    while row < len(queries):
        query, start, first = np.int64(queries[row]), starts[row], firsts[row]
        if start + n_places > len(places) or first + n_places + 1 > len(overlaps):
            break
        stamp += 1
        _open_query(desk, sets, query, threshold)
        touched = places[start:]
        n_touched = _touch(
            sets, weights, holder_indptr, holders, query, threshold, overlap_of, near_in, touched, stamp
        )
        n, stamp = _tally_query(
            desk,
            sets.indices,
            weights,
            sets.indptr[query],
            set_starts,
            set_ends,
            pool_sizes,
            pool_amounts,
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
        amounts[first] += n_images
        starts[row + 1], firsts[row + 1] = start + n_touched, first + n
        _close_query(desk, sets, query)
        row += 1
    return row, stamp


@inner
def _tally_query(
    desk: Array,
    indices: Array,
    weights: Array | None,
    query_start: int,
    set_starts: Array,
    set_ends: Array,
    set_sizes: Array,
    pool_amounts: Array,
    book: ResultIndex,
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

    A function of its own, as it is the innermost loop.
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
            start, end = set_starts[place], set_ends[place]
            overlap, near = _count(
                desk, indices, weights, None, query_start, start, end, rule, stamp, None, None
            )
        key = (overlap << (NEAR_BITS + SIZE_BITS)) | (near << SIZE_BITS) | size
        at = (size + 67 * near + 1031 * overlap) & mask
        if weights is None:
            while keys[at] != key and keys[at] != 0:
                at = (at + 1) & mask
        else:  # no key can hold three sums of weights: they are compared whole
            key = key or 1
            while keys[at] != 0 and (
                keys[at] != key
                or overlaps[codes[at]] != overlap
                or nears[codes[at]] != near
                or sizes[codes[at]] != size
            ):
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


def _new_book(n: int) -> ResultIndex:
    """An empty book for up to ``n`` results."""
    mask = 3
    while mask < 2 * n:
        mask = 2 * mask + 1
    return ResultIndex(np.zeros(mask + 1, np.int64), np.empty(mask + 1, np.int32), np.empty(n + 1, np.int64))


def _with_room(result: CountTable, row: int, n_places: int) -> CountTable:
    """The tally with room for one query more, which begins where those before ``row`` end."""

    def larger(array: Array, used: int, more: int) -> Array:
        if used + more <= len(array):
            return array
        room = np.empty(2 * (used + more), array.dtype)
        room[:used] = array[:used]
        return room

    start, first = int(result.starts[row]), int(result.firsts[row])
    return result._replace(
        **{name: larger(getattr(result, name), start, n_places) for name in ("places", "numbers")},
        **{
            name: larger(getattr(result, name), first, n_places + 1)
            for name in ("overlaps", "nears", "sizes", "amounts")
        },
    )


@inner
def _touch(
    sets: DistinctSets,
    weights: Array | None,
    holder_indptr: Array,
    holders: Array,
    query: int | np.int64,
    threshold: int,
    overlap_of: Array,
    near_in: Array,
    touched: Array,
    stamp: int,
) -> int:
    """List the places that hold a concept of the query (``overlap_of``: how many or how heavy), or one
    near to it (``near_in``)."""
    n = 0
    for k in range(sets.indptr[query], sets.indptr[query + 1]):
        concept = sets.indices[k]
        for h in range(holder_indptr[concept], holder_indptr[concept + 1]):
            if overlap_of[holders[h]] == 0:
                touched[n] = holders[h]
                n += 1
            overlap_of[holders[h]] += _credit(None, None, weights, concept)
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
