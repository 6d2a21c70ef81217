"""The compiled loops over sets of concepts that can be more or less alike, with a table of how alike.

All values of a table are multiples of 2^-38 (``relevance.concept_table``), so every sum here is exact and
no result depends on the order of concepts, images or threads. Each value is one quotient, rounded once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

BEST_MATCH, HIERARCHICAL, AVERAGE_LINK, MATCHING = range(4)
"""Set measures as numbers, in the order of ``concept_measures.SET_MEASURES``."""

NONE = -1


class Desk(NamedTuple):
    """The working memory of one thread, by position in a set.

    ``best`` of the other set's concepts so far; for the matching ``row_price``, ``column_price`` and
    ``slack`` of a column, its ``partner`` row, the column it is reached ``over`` and whether it is ``done``.
    """

    best: Array
    row_price: Array
    column_price: Array
    slack: Array
    partner: Array
    over: Array
    done: Array


@compiled
def of_pairs(measure: int, table: Array, indptr: Array, indices: Array, left: Array, right: Array) -> Array:
    """The values of m pairs of sets, given by number; 0 where a set is empty."""
    found, desk = np.zeros(len(left), np.float64), _new_desk(indptr)
    for k in range(len(left)):
        a = indices[indptr[left[k]] : indptr[left[k] + 1]]
        b = indices[indptr[right[k]] : indptr[right[k] + 1]]
        found[k] = _value(measure, table, a, b, desk)
    return found


@compiled
def of_all(measure: int, table: Array, indptr: Array, indices: Array, left: Array, right: Array) -> Array:
    """The values of each set on the left with every one on the right, after a first column of 0."""
    found, desk = np.zeros((len(left), len(right) + 1), np.float64), _new_desk(indptr)
    for row in range(len(left)):
        a = indices[indptr[left[row]] : indptr[left[row] + 1]]
        for k in range(len(right)):
            b = indices[indptr[right[k]] : indptr[right[k] + 1]]
            found[row, k + 1] = _value(measure, table, a, b, desk)
    return found


@compiled
def _new_desk(indptr: Array) -> Desk:
    """Room for the largest set."""
    room = 1
    for k in range(len(indptr) - 1):
        room = max(room, indptr[k + 1] - indptr[k] + 1)
    price = np.zeros((4, room), np.float64)
    place = np.zeros((3, room), np.int64)
    return Desk(price[0], price[1], price[2], price[3], place[0], place[1], place[2])


@compiled
def _value(measure: int, table: Array, a: Array, b: Array, desk: Desk) -> float:
    """The value of one pair of sets, their concepts ascending."""
    if len(a) == 0 or len(b) == 0:
        return 0.0
    if measure == BEST_MATCH:
        return _best_match(table, a, b, desk.best)
    if measure == HIERARCHICAL:
        return _hierarchical(table, a, b)
    if measure == AVERAGE_LINK:
        return _sum(table, a, b) / (len(a) * len(b))
    if len(a) > len(b):
        a, b = b, a
    return _matched(table, a, b, desk) / len(a)


@compiled
def _best_match(table: Array, a: Array, b: Array, best: Array) -> float:
    """SS5: everyone's best partner, on average."""
    total = 0.0
    for j in range(len(b)):
        best[j] = 0.0
    for i in range(len(a)):
        row, top = table[a[i]], 0.0
        for j in range(len(b)):
            similarity = row[b[j]]
            top = max(top, similarity)
            best[j] = max(best[j], similarity)
        total += top
    for j in range(len(b)):
        total += best[j]
    return total / (len(a) + len(b))


@compiled
def _hierarchical(table: Array, a: Array, b: Array) -> float:
    """SS6: shared concepts count 1, each other one its average similarity to the other set."""
    total, shared, of_shared_a, of_shared_b = _sum(table, a, b), 0, 0.0, 0.0
    i, j = 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            shared += 1
            of_shared_a += _sum(table, a[i : i + 1], b)
            of_shared_b += _sum(table, a, b[j : j + 1])
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    n_a, n_b = len(a), len(b)
    weighed = shared * n_a * n_b + (total - of_shared_a) * n_a + (total - of_shared_b) * n_b
    return weighed / (n_a * n_b * (n_a + n_b - shared))


@compiled
def _sum(table: Array, a: Array, b: Array) -> float:
    """Σ_a Σ_b s(a, b)."""
    total = 0.0
    for i in range(len(a)):
        row = table[a[i]]
        for j in range(len(b)):
            total += row[b[j]]
    return total


@compiled
def _matched(table: Array, a: Array, b: Array, desk: Desk) -> float:
    """The largest sum of similarities over pairs, each concept in one; ``a`` is not the larger set.

    Where everyone in ``a`` has another best partner, these are the pairs. Else by shortest augmenting
    paths over prices (Kuhn 1955, Munkres 1957; Jonker & Volgenant 1987), exact as all sums here are.
    """
    total = _everyones_best(table, a, b, desk.partner)
    if total >= 0:
        return total
    for i in range(len(a) + 1):
        desk.row_price[i] = 0.0
    for j in range(len(b) + 1):
        desk.column_price[j], desk.partner[j] = 0.0, NONE
    for i in range(len(a)):
        _place(table, a, b, desk, i)
    total = 0.0
    for j in range(len(b)):
        if desk.partner[j] != NONE:
            total += table[a[desk.partner[j]], b[j]]
    return total


@compiled
def _everyones_best(table: Array, a: Array, b: Array, taken: Array) -> float:
    """The sum of everyone's best, or -1 where two in ``a`` want the same partner."""
    total = 0.0
    for j in range(len(b)):
        taken[j] = 0
    for i in range(len(a)):
        row, wanted = table[a[i]], 0
        top = row[b[0]]
        for j in range(1, len(b)):
            if row[b[j]] > top:
                top, wanted = row[b[j]], j
        if taken[wanted]:
            return -1.0
        taken[wanted] = 1
        total += top
    return total


@compiled
def _place(table: Array, a: Array, b: Array, desk: Desk, newcomer: int) -> None:
    """Match one row more, moving others where that is better; prices keep every step optimal.

    Column ``len(b)`` is the newcomer's own, where the path starts.
    """
    n, column = len(b), len(b)
    slack, over, done, partner = desk.slack, desk.over, desk.done, desk.partner
    partner[n] = newcomer
    for j in range(n + 1):
        slack[j], over[j], done[j] = np.inf, NONE, 0
    while partner[column] != NONE:
        done[column] = 1
        row, nearest, least = partner[column], NONE, np.inf
        similarities, price = table[a[row]], desk.row_price[row]
        for j in range(n):
            if not done[j]:
                apart = -similarities[b[j]] - price - desk.column_price[j]
                if apart < slack[j]:
                    slack[j], over[j] = apart, column
                if slack[j] < least:
                    least, nearest = slack[j], j
        for j in range(n + 1):
            if done[j]:
                desk.row_price[partner[j]] += least
                desk.column_price[j] -= least
            else:
                slack[j] -= least
        column = nearest
    while column != n:
        before = over[column]
        partner[column] = partner[before]
        column = before
