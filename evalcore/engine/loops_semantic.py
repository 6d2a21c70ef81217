"""The compiled loops over sets of concepts that can be more or less alike, with a table of how alike.

All values of a table are multiples of 2^-38 (``relevance.concept_table``), so every sum here is exact and
no result depends on the order of concepts, images or threads. Each value is one quotient, rounded once.

A query set A is *opened* once: for each concept of the vocabulary its similarities to those of A lie side
by side, with their sum and the largest. Another set B is then compared by walking its concepts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.values.compiled import Array, compiled

BEST_MATCH, HIERARCHICAL, AVERAGE_LINK, MATCHING = range(4)
"""Set measures as numbers, in the order of ``concept_measures.SET_MEASURES``."""

NONE = -1


class Opened(NamedTuple):
    """A set A as seen from rows of concepts: ``similar[row, i]`` to its i-th one, their ``sums`` and ``tops``
    by row, and which one the row's concept itself is (``held``, else -1)."""

    similar: Array
    sums: Array
    tops: Array
    held: Array


class Workspace(NamedTuple):
    """The working memory of one thread for the matching.

    ``table`` of the smaller set (rows) and the larger (columns), ``row_price``, ``column_price``, the
    ``slack`` of a column, its ``partner`` row, the column it is reached ``over``, whether it is ``done``,
    and the rows that are still ``waiting``.
    """

    table: Array
    row_price: Array
    column_price: Array
    slack: Array
    partner: Array
    over: Array
    done: Array
    waiting: Array


@compiled
def of_pairs(measure: int, table: Array, indptr: Array, indices: Array, left: Array, right: Array) -> Array:
    """The values of m pairs of sets, given by number; 0 where a set is empty."""
    result, room = np.zeros(len(left), np.float64), _largest(indptr)
    store, desk = _new_opened(room, room), _new_desk(room)
    rows, start, end = np.arange(room), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for k in range(len(left)):
        n_a, n_b = indptr[left[k] + 1] - indptr[left[k]], indptr[right[k] + 1] - indptr[right[k]]
        opened = _narrow(store, n_a)
        for row in range(n_b):
            _open(opened, table, indices, indptr[left[k]], n_a, row, indices[indptr[right[k]] + row])
        end[0] = n_b
        _compare(measure, opened, n_a, rows, start, end, desk, result[k : k + 1])
    return result


@compiled
def of_all(measure: int, table: Array, indptr: Array, indices: Array, left: Array, right: Array) -> Array:
    """The values of each set on the left with every one on the right."""
    result, room = np.zeros((len(left), len(right)), np.float64), _largest(indptr)
    store, desk = _new_opened(len(table), room), _new_desk(room)
    starts, ends = indptr[right], indptr[right + 1]
    for row in range(len(left)):
        n_a = indptr[left[row] + 1] - indptr[left[row]]
        opened = _narrow(store, n_a)
        for concept in range(len(table)):
            _open(opened, table, indices, indptr[left[row]], n_a, concept, concept)
        _compare(measure, opened, n_a, indices, starts, ends, desk, result[row])
    return result


@compiled
def _largest(indptr: Array) -> int:
    """Concepts of the largest set, at least 1."""
    room = 1
    for k in range(len(indptr) - 1):
        room = max(room, indptr[k + 1] - indptr[k])
    return room


@compiled
def _new_opened(rows: int, room: int) -> Opened:
    """Nothing opened yet."""
    return Opened(
        np.zeros((rows, room), np.float64),
        np.zeros(rows, np.float64),
        np.zeros(rows, np.float64),
        np.full(rows, NONE, np.int64),
    )


@compiled
def _narrow(store: Opened, n_a: int) -> Opened:
    """The same with rows of the query's length: what is read together lies together."""
    rows, room = store.similar.shape
    similar = store.similar.reshape(rows * room)[: rows * n_a].reshape(rows, n_a)
    return Opened(similar, store.sums, store.tops, store.held)


@compiled
def _new_desk(room: int) -> Workspace:
    """An empty desk."""
    price, place = np.zeros((3, room + 1), np.float64), np.zeros((4, room + 1), np.int64)
    table = np.zeros((room, room), np.float64)
    return Workspace(table, price[0], price[1], price[2], place[0], place[1], place[2], place[3])


@compiled
def _open(opened: Opened, table: Array, indices: Array, start: int, n_a: int, row: int, concept: int) -> None:
    """Note in a row how alike a concept is to each of ``indices[start:start + n_a]``."""
    similar, total, top, held = opened.similar, 0.0, 0.0, NONE
    for i in range(n_a):
        similarity = table[indices[start + i], concept]
        similar[row, i] = similarity
        total += similarity
        top = max(top, similarity)
        if indices[start + i] == concept:
            held = i
    opened.sums[row], opened.tops[row], opened.held[row] = total, top, held


@compiled
def _compare(
    measure: int,
    opened: Opened,
    n_a: int,
    rows: Array,
    starts: Array,
    ends: Array,
    desk: Workspace,
    result: Array,
) -> None:
    """Compare the opened set with those whose concepts stand in ``rows[starts[k]:ends[k]]``.

    Arrays are taken out of the tuples here: inside the loops, each access would count references.
    """
    if n_a == 0:
        return
    if measure == BEST_MATCH:
        _best_match(opened.similar, opened.tops, n_a, rows, starts, ends, result)
    elif measure == HIERARCHICAL:
        _hierarchical(opened.similar, opened.sums, opened.held, n_a, rows, starts, ends, result)
    elif measure == AVERAGE_LINK:
        _average_link(opened.sums, n_a, rows, starts, ends, result)
    else:
        _matching(opened.similar, n_a, rows, starts, ends, desk, result)


@compiled
def _average_link(sums: Array, n_a: int, rows: Array, starts: Array, ends: Array, result: Array) -> None:
    """SS7: the average over all pairs of concepts."""
    for place in range(len(result)):
        n_b, total = ends[place] - starts[place], 0.0
        for k in range(starts[place], ends[place]):
            total += sums[rows[k]]
        if n_b:
            result[place] = total / (n_a * n_b)


@compiled
def _best_match(
    similar: Array, tops: Array, n_a: int, rows: Array, starts: Array, ends: Array, result: Array
) -> None:
    """SS5: everyone's best partner, on average."""
    for place in range(len(result)):
        start, end, total = starts[place], ends[place], 0.0
        for k in range(start, end):
            total += tops[rows[k]]
        for i in range(n_a):
            best = 0.0
            for k in range(start, end):
                best = max(best, similar[rows[k], i])
            total += best
        if end > start:
            result[place] = total / (n_a + end - start)


@compiled
def _hierarchical(
    similar: Array, sums: Array, held: Array, n_a: int, rows: Array, starts: Array, ends: Array, result: Array
) -> None:
    """SS6: shared concepts count 1, each other one its average similarity to the other set."""
    for place in range(len(result)):
        start, end = starts[place], ends[place]
        n_b, shared, total, of_shared_a, of_shared_b = end - start, 0, 0.0, 0.0, 0.0
        for k in range(start, end):
            total += sums[rows[k]]
            i = held[rows[k]]
            if i != NONE:
                shared += 1
                of_shared_b += sums[rows[k]]
                for j in range(start, end):
                    of_shared_a += similar[rows[j], i]
        weighed = shared * n_a * n_b + (total - of_shared_a) * n_a + (total - of_shared_b) * n_b
        if n_b:
            result[place] = weighed / (n_a * n_b * (n_a + n_b - shared))


@compiled
def _matching(
    similar: Array, n_a: int, rows: Array, starts: Array, ends: Array, desk: Workspace, result: Array
) -> None:
    """SS8: the largest sum of similarities over pairs, each concept in one.

    Everyone in the smaller set first takes the best partner where that is free; whoever finds it taken
    is placed by a shortest augmenting path over prices (Kuhn 1955, Munkres 1957; Jonker & Volgenant 1987).
    """
    table, partner, waiting = desk.table, desk.partner, desk.waiting
    row_price, column_price, slack, over, done = (
        desk.row_price,
        desk.column_price,
        desk.slack,
        desk.over,
        desk.done,
    )
    for place in range(len(result)):
        start, n_b = starts[place], ends[place] - starts[place]
        if n_b == 0:
            continue
        n_rows, n_columns = min(n_a, n_b), max(n_a, n_b)
        for k in range(n_b):
            row = rows[start + k]
            for i in range(n_a):
                if n_a <= n_b:
                    table[i, k] = similar[row, i]
                else:
                    table[k, i] = similar[row, i]
        for j in range(n_columns):
            partner[j] = NONE
        total, n_waiting = 0.0, 0
        for i in range(n_rows):
            wanted, top = 0, table[i, 0]
            for j in range(1, n_columns):
                if table[i, j] > top or (table[i, j] == top and partner[wanted] != NONE):
                    wanted, top = j, table[i, j]
            row_price[i] = -top
            total += top
            if partner[wanted] == NONE:
                partner[wanted] = i
            else:
                waiting[n_waiting] = i
                n_waiting += 1
        if n_waiting:
            column_price[: n_columns + 1] = 0.0
            for k in range(n_waiting):
                _place(table, n_columns, waiting[k], row_price, column_price, slack, partner, over, done)
            total = 0.0
            for j in range(n_columns):
                if partner[j] != NONE:
                    total += table[partner[j], j]
        result[place] = total / n_rows


@compiled
def _place(
    table: Array,
    n: int,
    newcomer: int,
    row_price: Array,
    column_price: Array,
    slack: Array,
    partner: Array,
    over: Array,
    done: Array,
) -> None:
    """Match one row more, moving others where that is better; prices keep every step optimal.

    Column ``n`` is the newcomer's own, where the path starts.
    """
    column, partner[n] = n, newcomer
    for j in range(n + 1):
        slack[j], over[j], done[j] = np.inf, NONE, 0
    while partner[column] != NONE:
        done[column] = 1
        row, nearest, least = partner[column], NONE, np.inf
        for j in range(n):
            if not done[j]:
                apart = -table[row, j] - row_price[row] - column_price[j]
                if apart < slack[j]:
                    slack[j], over[j] = apart, column
                if slack[j] < least:
                    least, nearest = slack[j], j
        for j in range(n + 1):
            if done[j]:
                row_price[partner[j]] += least
                column_price[j] -= least
            else:
                slack[j] -= least
        column = nearest
    while column != n:
        before = over[column]
        partner[column] = partner[before]
        column = before
