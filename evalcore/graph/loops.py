"""The compiled loops over a graph: many distances at once, shortest paths, and a hierarchy."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled

# Many distances at once: 512 concepts spread over the graph together, a bit each.

WORDS = 8
SOURCES = 64 * WORDS
"""Concepts that search together."""


@compiled
def distances_from(
    indptr: Array, indices: Array, starts: Array, column_of: Array, result: Array, limit: int
) -> None:
    """Write to ``result[k, column_of[node]]`` how many links lead from ``starts[k]`` to each node.

    (Multi-source breadth-first search, Then et al. 2014, doi:10.14778/2735496.2735507.) The bits of a node
    fill one line of the processor's cache: reading one costs as much as reading all.

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
            _note(result, first, step, border, n, new, column_of)


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
def _note(result: Array, first: int, step: int, border: Array, n: int, new: Array, column_of: Array) -> None:
    """Write down how far the nodes of interest are from those that reached them just now."""
    for k in range(n):
        column = column_of[border[k]]
        if column < 0:
            continue
        for word in range(new.shape[1]):
            bits = new[border[k], word]
            for bit in range(64):
                if (bits >> np.uint64(bit)) & np.uint64(1):
                    result[first + 64 * word + bit, column] = step


# Shortest paths: from both ends at once, always where fewer links are to follow.


@compiled
def on_shortest_paths(
    onward: tuple[Array, Array], backward: tuple[Array, Array], start: int, end: int
) -> tuple[Array, Array, Array, int]:
    """All nodes on shortest paths, from the end to the start, and for each the next ones on a path.

    The nodes after ``nodes[k]`` are ``following[indptr[k]:indptr[k + 1]]``, ascending; last the length.
    No nodes and -1 when there is no path.
    """
    # seen: k for a node k - 1 links after the start, -k for one k - 1 links before the end, else 0.
    seen, queues = np.zeros(len(onward[0]) - 1, np.int32), np.empty((2, len(onward[0]) - 1), np.int32)
    n_met, before, after = _meet(onward, backward, start, end, seen, queues)
    if n_met == 0:
        return np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32), -1
    layer = np.zeros(len(seen), np.int32)
    behind, ahead = queues[0], queues[1]
    for k in range(n_met):
        ahead[k] = behind[k]
        layer[behind[k]] = before + 1
    n_behind = _thread(backward, seen, layer, behind, n_met, before, -1)
    n_ahead = _thread(onward, seen, layer, ahead, n_met, after, 1)
    nodes = np.empty(n_behind + n_ahead - n_met, np.int32)
    for k in range(n_met, n_ahead):
        nodes[n_ahead - 1 - k] = ahead[k]
    for k in range(n_behind):
        nodes[n_ahead - n_met + k] = behind[k]
    indptr = np.zeros(len(nodes) + 1, np.int64)
    for k in range(len(nodes)):
        indptr[k + 1] = indptr[k] + _next(onward, layer, nodes[k], ahead, 0)
    following = np.empty(indptr[-1], np.int32)
    for k in range(len(nodes)):
        _next(onward, layer, nodes[k], following, indptr[k])
    return nodes, indptr, following, before + after


@compiled
def _meet(
    onward: tuple[Array, Array],
    backward: tuple[Array, Array],
    start: int,
    end: int,
    seen: Array,
    queues: Array,
) -> tuple[int, int, int]:
    """Search until the ends meet: how many meeting nodes (first in ``queues[0]``), links to either end."""
    first, last, steps = np.zeros(2, np.int64), np.ones(2, np.int64), np.zeros(2, np.int64)
    work = np.array([_degree(onward, start), _degree(backward, end)])
    queues[0, 0], queues[1, 0] = start, end
    seen[start], seen[end] = 1, -1
    while first[0] < last[0] and first[1] < last[1]:
        side = 1 if work[1] < work[0] else 0
        sign, links = (1, onward) if side == 0 else (-1, backward)
        steps[side] += 1
        work[side], border, n_met = 0, last[side], 0
        for k in range(first[side], border):
            node = queues[side, k]
            for j in range(links[0][node], links[0][node + 1]):
                target = links[1][j]
                if seen[target] == 0:
                    seen[target] = sign * (steps[side] + 1)
                    queues[side, last[side]] = target
                    last[side] += 1
                    work[side] += _degree(links, target)
                elif seen[target] * sign < 0:
                    n_met += 1
        if n_met:
            return _meeting(links, seen, queues, side, first[side], border), steps[0], steps[1]
        first[side] = border
    return 0, 0, 0


@compiled
def _meeting(links: tuple[Array, Array], seen: Array, queues: Array, side: int, first: int, last: int) -> int:
    """List in ``queues[0]``, each once, what the border of one side reaches of the other side's nodes."""
    sign, n = 1 - 2 * side, 0
    border = queues[side, first:last].copy()
    met = np.zeros(len(seen), np.bool_)
    for node in border:
        for j in range(links[0][node], links[0][node + 1]):
            target = links[1][j]
            if seen[target] * sign < 0 and not met[target]:
                met[target] = True
                queues[0, n] = target
                n += 1
    return n


@compiled
def _thread(
    links: tuple[Array, Array], seen: Array, layer: Array, queue: Array, n: int, steps: int, sign: int
) -> int:
    """Add to a queue of ``n`` meeting nodes all on the way to one end, link by link; how many it has."""
    first = 0
    for step in range(steps, 0, -1):
        border = n
        for k in range(first, border):
            node = queue[k]
            for j in range(links[0][node], links[0][node + 1]):
                target = links[1][j]
                if seen[target] == -sign * step and layer[target] == 0:
                    layer[target] = layer[node] + sign
                    queue[n] = target
                    n += 1
        first = border
    return n


@compiled
def _next(links: tuple[Array, Array], layer: Array, node: int, result: Array, at: int) -> int:
    """Write the nodes one layer further to ``result`` from ``at`` on; how many."""
    n = 0
    for j in range(links[0][node], links[0][node + 1]):
        if layer[links[1][j]] == layer[node] + 1:
            result[at + n] = links[1][j]
            n += 1
    return n


@compiled
def _degree(links: tuple[Array, Array], node: int) -> int:
    return int(links[0][node + 1] - links[0][node])


# A hierarchy: how deep, what is above and below, what two concepts share.


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
def count_reachable(indptr: Array, indices: Array, starts: Array) -> tuple[Array, Array]:
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
