"""The compiled loops of measures that are not linear in the gains."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled


@compiled
def expected_stops(indptr: Array, groups: Array, stops: Array, cutoff: int) -> Array:
    """ERR@cutoff of each list, averaged over all orders of its tie groups.

    ``looking[j]``: the mean, over all choices of j results of those taken so far, of the product of 1 - stop.
    With one result more (the n-th, going on with chance q) it is (n-j)/n of what it was and j/n of q times
    that of one result fewer.
    """
    values = np.zeros(len(indptr) - 1)
    looking = np.empty(cutoff + 1)
    group = 0
    for i in range(len(indptr) - 1):
        first, still, value = indptr[i], 1.0, 0.0
        while group < len(groups) - 1 and groups[group] < indptr[i + 1]:
            start, end = groups[group], groups[group + 1]
            group += 1
            seen = min(end - start, cutoff - (start - first))
            if seen <= 0:
                continue
            looking[0] = 1.0
            looking[1 : seen + 1] = 0.0
            for n in range(1, end - start + 1):
                goes_on = 1.0 - stops[start + n - 1]
                for j in range(min(n, seen), 0, -1):
                    looking[j] = ((n - j) * looking[j] + j * goes_on * looking[j - 1]) / n
            for j in range(1, seen + 1):
                value += still * (looking[j - 1] - looking[j]) / (start - first + j)
            still *= looking[seen]
        values[i] = value
    return values


# Hierarchical average precision.


@compiled
def h_ranks(indptr: Array, groups: Array, rel: Array, places: Array, sizes: Array, cutoff: int) -> Array:
    """The sum of H-rank(k) / k over the first ``cutoff`` ranks of each list, averaged over its tie groups.

    ``places``: of each row's value among the different ones of its list, from 1; ``sizes``: how many there
    are. Two Fenwick trees hold how many results were seen up to each value, and their sum.
    """
    values = np.zeros(len(indptr) - 1)
    # Room for the longest list there can be.
    counts, sums, before = np.zeros(len(rel) + 1), np.zeros(len(rel) + 1), np.zeros(len(rel))
    group = 0
    for i in range(len(indptr) - 1):
        first, size, seen, value = indptr[i], sizes[i], 0, 0.0
        counts[: size + 1] = 0.0
        sums[: size + 1] = 0.0
        while group < len(groups) - 1 and groups[group] < indptr[i + 1]:
            start, end = groups[group], groups[group + 1]
            group += 1
            m, s = end - start, start - first
            for r in range(start, end):
                before[r - start] = _minima(counts, sums, places[r], rel[r], seen)
            for r in range(start, end):
                at = places[r]
                while at <= size:
                    counts[at] += 1.0
                    sums[at] += rel[r]
                    at += at & -at
            seen += m
            each, earlier = 0.0, 0.0
            for p in range(1, m + 1):
                if s + p <= cutoff:
                    each += 1.0 / (s + p)
                    earlier += (p - 1.0) / (s + p)
            for r in range(start, end):
                if rel[r] > 0:
                    own = before[r - start] + rel[r]
                    value += own * each / m
                    if m > 1:
                        others = _minima(counts, sums, places[r], rel[r], seen) - own
                        value += others * earlier / (m * (m - 1.0))
        values[i] = value
    return values


@compiled
def _minima(counts: Array, sums: Array, place: int, value: float, seen: int) -> float:
    """The sum of min(value, v) over all v seen."""
    n, total, at = 0.0, 0.0, place
    while at > 0:
        n += counts[at]
        total += sums[at]
        at -= at & -at
    return total + value * (seen - n)
