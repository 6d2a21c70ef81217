"""The compiled loops over a hierarchy: how deep, what is above and below, what two concepts share."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled


@compiled
def longest_depths(parents: Array, down_indptr: Array, down_indices: Array, root: int) -> Array:
    """Nodes on the longest way from the root (depth 1) to each node; ``parents`` how many each has."""
    left, depth = parents.copy(), np.ones(len(parents), np.int32)
    queue = np.empty(len(parents), np.int32)
    queue[0], first, last = root, 0, 1
    while first < last:
        node = queue[first]
        first += 1
        for k in range(down_indptr[node], down_indptr[node + 1]):
            child = down_indices[k]
            depth[child] = max(depth[child], depth[node] + 1)
            left[child] -= 1
            if left[child] == 0:
                queue[last] = child
                last += 1
    return depth


@compiled
def climb(indptr: Array, indices: Array, starts: Array) -> tuple[Array, Array, Array]:
    """All that each start reaches, itself first, nearest first: CSR offsets, nodes, steps."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    nodes, steps = np.empty(1024, np.int32), np.empty(1024, np.int32)
    stamp, used = np.full(len(indptr) - 1, -1, np.int32), 0
    for row in range(len(starts)):
        first = used
        if used == len(nodes):
            nodes, steps = _roomier(nodes), _roomier(steps)
        nodes[used], steps[used] = starts[row], 0
        stamp[starts[row]] = row
        used += 1
        while first < used:
            node, far = nodes[first], steps[first]
            first += 1
            for k in range(indptr[node], indptr[node + 1]):
                target = indices[k]
                if stamp[target] != row:
                    stamp[target] = row
                    if used == len(nodes):
                        nodes, steps = _roomier(nodes), _roomier(steps)
                    nodes[used], steps[used] = target, far + 1
                    used += 1
        offsets[row + 1] = used
    return offsets, nodes[:used], steps[:used]


@compiled
def _roomier(array: Array) -> Array:
    """The same entries with as much room again."""
    larger = np.empty(2 * len(array), np.int32)
    for k in range(len(array)):
        larger[k] = array[k]
    return larger


@compiled
def reach(indptr: Array, indices: Array, starts: Array) -> tuple[Array, Array]:
    """How many other nodes each start reaches, and how many of them reach nothing further.

    Each node counts once, over however many ways it is reached.
    """
    n, ends = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    stamp, queue = np.full(len(indptr) - 1, -1, np.int32), np.empty(len(indptr) - 1, np.int32)
    for row in range(len(starts)):
        queue[0], first, last = starts[row], 0, 1
        stamp[starts[row]] = row
        while first < last:
            node = queue[first]
            first += 1
            if first > 1 and indptr[node] == indptr[node + 1]:
                ends[row] += 1
            for k in range(indptr[node], indptr[node + 1]):
                if stamp[indices[k]] != row:
                    stamp[indices[k]] = row
                    queue[last] = indices[k]
                    last += 1
        n[row] = last - 1
    return n, ends


@compiled
def best_common(
    indptr: Array, indices: Array, steps: Array, worth: Array, first: int, last: int
) -> tuple[Array, Array]:
    """The largest worth of an ancestor that two concepts share, and the fewest steps to such a one from both.

    ``indices[indptr[i]:indptr[i + 1]]`` are the ancestors of concept i, ascending, ``steps`` away; ``worth``
    by ancestor. Concepts ``first`` to ``last - 1`` by all; -1 where there is no common ancestor.
    """
    n = len(indptr) - 1
    best, fewest = np.empty((last - first, n), np.float64), np.empty((last - first, n), np.int32)
    for row in range(first, last):
        for other in range(n):
            i, j = indptr[row], indptr[other]
            top, near = -1.0, -1
            while i < indptr[row + 1] and j < indptr[other + 1]:
                if indices[i] < indices[j]:
                    i += 1
                elif indices[i] > indices[j]:
                    j += 1
                else:
                    value, far = worth[indices[i]], steps[i] + steps[j]
                    if value > top or (value == top and far < near):
                        top, near = value, far
                    i += 1
                    j += 1
            best[row - first, other], fewest[row - first, other] = top, near
    return best, fewest
