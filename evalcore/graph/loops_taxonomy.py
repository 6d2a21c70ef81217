"""The compiled loops over a hierarchy: how deep, what is above and below, what two concepts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

WORDS = 8
SOURCES = 64 * WORDS
"""Searches that run side by side, one bit each: the bits of a node fill one line of the processor's cache."""


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


@compiled
def distances(indptr: Array, indices: Array, sources: Array, targets: Array) -> Array:
    """Links from each source to each target (different nodes), -1 where none leads there.

    Breadth first from `SOURCES` nodes at a time. A node has a bit for each: ``seen`` so far, ``new`` in the
    last step (its ``border``), ``reached`` in this one.
    """
    size = len(indptr) - 1
    found, slot = np.full((len(sources), len(targets)), -1, np.int32), np.full(size, -1, np.int32)
    for k in range(len(targets)):
        slot[targets[k]] = k
    seen, new = np.zeros((size, WORDS), np.uint64), np.zeros((size, WORDS), np.uint64)
    reached, listed = np.zeros((size, WORDS), np.uint64), np.zeros(size, np.bool_)
    border, following = np.empty(size, np.int32), np.empty(size, np.int32)
    for first in range(0, len(sources), SOURCES):
        seen[:] = 0
        n, far = min(SOURCES, len(sources) - first), 0
        for k in range(n):
            border[k] = sources[first + k]
            new[border[k]] = 0
            new[border[k], k // 64] = np.uint64(1) << np.uint64(k % 64)
            seen[border[k]] = new[border[k]]
        while n:
            _note(found, first, far, border, n, new, slot)
            far += 1
            n = _step(indptr, indices, new, border, n, reached, listed, following)
            n = _settle(following, n, seen, new, reached, listed)
            border, following = following, border
    return found


@compiled
def _step(
    indptr: Array, indices: Array, new: Array, border: Array, n: int, reached: Array, listed: Array,
    following: Array,
) -> int:  # fmt: skip
    """Pass the new bits of the border on along all links; how many nodes they come to."""
    n_following = 0
    for k in range(n):
        node = border[k]
        for j in range(indptr[node], indptr[node + 1]):
            target = indices[j]
            if not listed[target]:
                listed[target] = True
                following[n_following] = target
                n_following += 1
            for word in range(WORDS):
                reached[target, word] |= new[node, word]
    return n_following


@compiled
def _settle(following: Array, n: int, seen: Array, new: Array, reached: Array, listed: Array) -> int:
    """Keep the nodes that were reached from somewhere for the first time; how many."""
    kept = 0
    for k in range(n):
        node, some = following[k], np.uint64(0)
        listed[node] = False
        for word in range(WORDS):
            bits = reached[node, word] & ~seen[node, word]
            reached[node, word] = 0
            new[node, word] = bits
            seen[node, word] |= bits
            some |= bits
        if some:
            following[kept] = node
            kept += 1
    return kept


@compiled
def _note(found: Array, first: int, far: int, border: Array, n: int, new: Array, slot: Array) -> None:
    """Write down how far the nodes that were asked for are from those that reached them just now."""
    for k in range(n):
        column = slot[border[k]]
        if column < 0:
            continue
        for word in range(WORDS):
            bits = new[border[k], word]
            for bit in range(64):
                if (bits >> np.uint64(bit)) & np.uint64(1):
                    found[first + 64 * word + bit, column] = far
