"""The compiled loops of concept sets: count matches of one query with many candidates, score, select.

All counting is done in integers. A query set is *opened* once: every concept of the vocabulary is
marked as shared with it or as a neighbour of some of its concepts, and each of the latter knows of
which. A candidate set is then a walk over its few concepts, most of which are unmarked. Stamps
("already seen for this candidate") replace clearing; no set is too large.

Only few different (overlap, neighbours, size) triples occur per query. They are numbered, tallied and
scored once each; equal scores form one level, and ranking is a counting sort by level with candidates
in ascending order: the one tie rule, exactly.

Arrays are taken out of the tuples before a loop: inside one, each access would count references.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.engine.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

CONCEPTS, CONCEPTS_FULL, PAIRS, PAIRS_ALL, MATCHING, MATCHING2, QUERY, CANDIDATE = range(8)
"""Count rules as numbers, in the order of ``settings.CountRule``."""

NN_IOU, DICE, COSINE, OVERLAP = range(4)
"""Formulas as numbers; IoU is nn-IoU with weight 0 for neighbours."""

SHARED, NEAR, NONE = 1, 2, -1
SIZE_BITS, NEAR_BITS = 20, 23  # fields of a code; the overlap has the 20 bits above them

# Rows of the desk, the working memory of one thread. Per concept: its mark, its position in the query,
# and where the chain (FOLLOWING, WHO) of query positions begins that it is a neighbour of. Per query
# position: the stamps HELD_IN ... of the candidate at hand, and the matching.
MARK, PLACE, HEAD, FOLLOWING, WHO, IN_BOTH, REACHED, TRIED, HOLDER, SOURCE, HELD, QUEUE = range(12)


class Sets(NamedTuple):
    """Different concept sets as CSR, and the neighbours of every concept as CSR with distances.

    ``room``: the largest of vocabulary, set, and number of neighbours that the concepts of one set have.
    """

    indptr: Array
    indices: Array
    near_indptr: Array
    near_indices: Array
    near_distances: Array
    room: int


class Pool(NamedTuple):
    """The candidates: the ``numbers`` of their different sets with the ``amounts`` of images that have each,
    and the ``images`` (ascending) with their ``places`` among the sets."""

    numbers: Array
    amounts: Array
    images: Array
    places: Array


class Tally(NamedTuple):
    """The different (overlap, neighbours, size) of one query, numbered as they occur; 0 means unrelated.

    ``codes`` and ``amounts`` of images per number, ``number_of`` per candidate set; ``keys``, ``numbers``
    and ``used`` are the hash table that finds the number of a code.
    """

    codes: Array
    amounts: Array
    number_of: Array
    keys: Array
    numbers: Array
    used: Array


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
def count(desk: Array, concepts: Array, rule: int, stamp: int) -> tuple[int, int]:
    """|A∩B| and NN of the open query A and the candidate's ``concepts`` B; ``stamp`` is new for each call."""
    overlap, marks = 0, 0
    for concept in concepts:
        mark = desk[MARK, concept]
        if mark:
            marks |= mark
            if mark & SHARED:
                overlap += 1
                desk[IN_BOTH, desk[PLACE, concept]] = stamp
    if not marks & NEAR:
        return overlap, 0
    if rule == MATCHING:
        return overlap, _matching(desk, concepts, stamp)
    if rule == MATCHING2:
        return overlap, 2 * _matching(desk, concepts, stamp)
    return overlap, _neighbours(desk, concepts, rule, stamp)


@compiled
def _neighbours(desk: Array, concepts: Array, rule: int, stamp: int) -> int:
    """NN by the rules that look at each neighbour pair (query concept i, candidate concept) once."""
    pairs, on_query, on_candidate = 0, 0, 0
    full = rule == CONCEPTS_FULL
    for concept in concepts:
        only_candidate = not desk[MARK, concept] & SHARED
        counted = False
        link = desk[HEAD, concept]
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
def _matching(desk: Array, concepts: Array, stamp: int) -> int:
    """Size of a largest one-to-one matching between A' and B'.

    Candidate concepts come one by one; each looks for a query concept that is free (``REACHED`` is not
    stamped), or whose holder can move to another one (augmenting path, breadth first).
    """
    matched = 0
    for root in range(len(concepts)):
        free = _find_free(desk, concepts, root, stamp) if desk[MARK, concepts[root]] == NEAR else NONE
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
def _find_free(desk: Array, concepts: Array, root: int, stamp: int) -> int:
    """A free query position that candidate position ``root`` can get at; ``SOURCE`` tells how."""
    for k in range(len(desk[TRIED])):
        desk[TRIED, k] = 0
    desk[QUEUE, 0] = root
    first, last = 0, 1
    while first < last:
        k = desk[QUEUE, first]
        first += 1
        link = desk[HEAD, concepts[k]]
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
        concepts = indices[indptr[candidates[k]] : indptr[candidates[k] + 1]]
        overlaps[k], counts[k] = count(desk, concepts, rule, k + 1)
    return overlaps, counts


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
def new_tally(n_sets: int) -> Tally:
    """Working memory for that many candidate sets; the hash table stays at most half full."""
    room = 4
    while room < 2 * n_sets:
        room *= 2
    return Tally(
        np.zeros(n_sets + 1, np.int64),
        np.zeros(n_sets + 1, np.int64),
        np.zeros(n_sets, np.int32),
        np.full(room, NONE, np.int64),
        np.zeros(room, np.int32),
        np.zeros(n_sets + 1, np.int64),
    )


@compiled
def take_tally(tally: Tally, desk: Array, sets: Sets, pool: Pool, rule: int, stamp: int) -> int:
    """Count the open query with every candidate set (one stamp each): how many different codes there are."""
    codes, amounts, number_of, keys, numbers, used = tally
    indptr, indices = sets.indptr, sets.indices
    pool_numbers, pool_amounts = pool.numbers, pool.amounts
    n, mask = 1, len(keys) - 1
    amounts[0] = 0
    for j in range(len(pool_numbers)):
        start, end = indptr[pool_numbers[j]], indptr[pool_numbers[j] + 1]
        overlap, near = count(desk, indices[start:end], rule, stamp + j)
        number = 0
        if overlap or near:
            code = (overlap << (NEAR_BITS + SIZE_BITS)) | (near << SIZE_BITS) | (end - start)
            at = (end - start + 67 * near + 1031 * overlap) & mask
            while keys[at] != code and keys[at] != NONE:
                at = (at + 1) & mask
            if keys[at] == NONE:
                keys[at], numbers[at] = code, n
                used[n], codes[n], amounts[n] = at, code, 0
                n += 1
            number = numbers[at]
        number_of[j] = number
        amounts[number] += pool_amounts[j]
    for number in range(1, n):
        keys[used[number]] = NONE
    return n


@compiled
def score_tally(tally: Tally, n: int, formula: int, weights: tuple[int, int, int], query_size: int) -> Array:
    """The value of each of the ``n`` different codes."""
    codes, scores = tally.codes, np.zeros(n, np.float64)
    for number in range(1, n):
        overlap = codes[number] >> (NEAR_BITS + SIZE_BITS)
        near = (codes[number] >> SIZE_BITS) & ((1 << NEAR_BITS) - 1)
        size = codes[number] & ((1 << SIZE_BITS) - 1)
        scores[number] = value(formula, weights, overlap, near, query_size, size)
    return scores


@compiled
def best_values(
    sets: Sets,
    pool: Pool,
    queries: Array,
    rule: int,
    threshold: int,
    formula: int,
    weights: Array,
    depth: int,
) -> Array:
    """The ``depth`` largest values of each query under each row of ``weights``: (weights, queries, depth)."""
    best = np.zeros((len(weights), len(queries), depth), np.float64)
    desk, tally = new_desk(sets.room), new_tally(len(pool.numbers))
    amounts = tally.amounts
    for row in range(len(queries)):
        open_query(desk, sets, queries[row], threshold)
        n = take_tally(tally, desk, sets, pool, rule, 1 + row * len(pool.numbers))
        close_query(desk, sets, queries[row])
        size = sets.indptr[queries[row] + 1] - sets.indptr[queries[row]]
        for w in range(len(weights)):
            scores = score_tally(tally, n, formula, (weights[w, 0], weights[w, 1], weights[w, 2]), size)
            filled = 0
            for number in np.argsort(-scores):
                until = min(depth, filled + amounts[number])
                best[w, row, filled:until] = scores[number]
                filled = until
                if filled == depth:
                    break
    return best


@compiled
def best_candidates(
    sets: Sets,
    pool: Pool,
    queries: Array,
    rule: int,
    threshold: int,
    formula: int,
    weights: tuple[int, int, int],
    depth: int,
    width: int,
) -> tuple[Array, Array, Array]:
    """Each query's ranking: candidates and scores, (queries, width), and how many places of a row are filled.

    At least ``depth`` places (as far as there are candidates) and the rest of the tie group that the
    last of them belongs to, up to ``width`` places.
    """
    ranked = np.empty((len(queries), width), np.int32)
    scores = np.empty((len(queries), width), np.float64)
    lengths = np.zeros(len(queries), np.int64)
    desk, tally = new_desk(sets.room), new_tally(len(pool.numbers))
    number_of, images, places = tally.number_of, pool.images, pool.places
    for row in range(len(queries)):
        open_query(desk, sets, queries[row], threshold)
        n = take_tally(tally, desk, sets, pool, rule, 1 + row * len(pool.numbers))
        close_query(desk, sets, queries[row])
        size = sets.indptr[queries[row] + 1] - sets.indptr[queries[row]]
        values_of_codes = score_tally(tally, n, formula, weights, size)
        level, free, last = _levels(tally.amounts, values_of_codes, depth)
        for k in range(len(images)):
            number = number_of[places[k]]
            at = level[number]
            if at <= last and free[at] < width:
                ranked[row, free[at]] = images[k]
                scores[row, free[at]] = values_of_codes[number]
                free[at] += 1
        lengths[row] = min(width, free[last])
    return ranked, scores, lengths


@compiled
def _levels(amounts: Array, scores: Array, depth: int) -> tuple[Array, Array, int]:
    """The different scores from best to worst: each code's level, each level's first place, and the level
    that place ``depth`` falls into (the last one when there are fewer places)."""
    level, starts = np.empty(len(scores), np.int64), np.zeros(len(scores), np.int64)
    at, end, last = NONE, 0, NONE
    before = np.inf
    for number in np.argsort(-scores):
        if scores[number] != before:
            if last == NONE and end >= depth:
                last = at
            at += 1
            starts[at] = end
            before = scores[number]
        level[number] = at
        end += amounts[number]
    return level, starts, at if last == NONE else last
