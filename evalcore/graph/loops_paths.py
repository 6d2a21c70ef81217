"""The compiled search for shortest paths: from both ends at once, always where fewer links are to follow."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled


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
def _next(links: tuple[Array, Array], layer: Array, node: int, found: Array, at: int) -> int:
    """Write the nodes one layer further to ``found`` from ``at`` on; how many."""
    n = 0
    for j in range(links[0][node], links[0][node + 1]):
        if layer[links[1][j]] == layer[node] + 1:
            found[at + n] = links[1][j]
            n += 1
    return n


@compiled
def _degree(links: tuple[Array, Array], node: int) -> int:
    return int(links[0][node + 1] - links[0][node])
