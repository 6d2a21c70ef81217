"""The compiled search for many distances at once: 512 concepts spread over the graph together, a bit each.

(Multi-source breadth-first search, Then et al. 2014, doi:10.14778/2735496.2735507.) The bits of a node fill
one line of the processor's cache: reading one costs as much as reading all.
"""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled

WORDS = 8
SOURCES = 64 * WORDS
"""Concepts that search together."""


@compiled
def distances_from(
    indptr: Array, indices: Array, starts: Array, column_of: Array, found: Array, limit: int
) -> None:
    """Write to ``found[k, column_of[node]]`` how many links lead from ``starts[k]`` to each node.

    Nodes of column -1 are of no interest; entries stay as they are where a path has more than ``limit``
    links or there is none, and where start and node are the same. A node has a bit for each start: ``seen``
    so far, ``new`` in the last step (its ``border``), ``reached`` in this one.
    """
    size, words = len(indptr) - 1, min(WORDS, (len(starts) + 63) // 64)
    seen, new = np.zeros((size, words), np.uint64), np.zeros((size, words), np.uint64)
    reached, listed = np.zeros((size, words), np.uint64), np.zeros(size, np.bool_)
    border, following = np.empty(size, np.int32), np.empty(size, np.int32)
    for first in range(0, len(starts), SOURCES):
        seen[:] = 0
        n, step = 0, 0
        for k in range(min(SOURCES, len(starts) - first)):
            node = starts[first + k]
            if not listed[node]:
                listed[node] = True
                new[node] = 0
                border[n] = node
                n += 1
            bit = np.uint64(1) << np.uint64(k % 64)
            new[node, k // 64] |= bit
            seen[node, k // 64] |= bit
        for k in range(n):
            listed[border[k]] = False
        while n and step < limit:
            step += 1
            n = _step(indptr, indices, new, border, n, reached, listed, following)
            n = _settle(following, n, seen, new, reached, listed)
            border, following = following, border
            _note(found, first, step, border, n, new, column_of)


@compiled
def _step(
    indptr: Array,
    indices: Array,
    new: Array,
    border: Array,
    n: int,
    reached: Array,
    listed: Array,
    following: Array,
) -> int:
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
            for word in range(new.shape[1]):
                reached[target, word] |= new[node, word]
    return n_following


@compiled
def _settle(following: Array, n: int, seen: Array, new: Array, reached: Array, listed: Array) -> int:
    """Keep the nodes that were reached from somewhere for the first time; how many."""
    kept = 0
    for k in range(n):
        node, some = following[k], np.uint64(0)
        listed[node] = False
        for word in range(new.shape[1]):
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
def _note(found: Array, first: int, step: int, border: Array, n: int, new: Array, column_of: Array) -> None:
    """Write down how far the nodes of interest are from those that reached them just now."""
    for k in range(n):
        column = column_of[border[k]]
        if column < 0:
            continue
        for word in range(new.shape[1]):
            bits = new[border[k], word]
            for bit in range(64):
                if (bits >> np.uint64(bit)) & np.uint64(1):
                    found[first + 64 * word + bit, column] = step
