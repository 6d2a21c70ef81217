"""The compiled loop over groups of tied results, for a measure that is not linear in the gains."""

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
