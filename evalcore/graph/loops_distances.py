"""The compiled search for many distances at once: 64 concepts spread over the graph together, a bit each.

(Multi-source breadth-first search, Then et al. 2014, doi:10.14778/2735496.2735507.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


@compiled
def distances_from(
    indptr: Array, indices: Array, starts: Array, column_of: Array, found: Array, limit: int
) -> None:
    """Write to ``found[k, column_of[node]]`` how many links lead from ``starts[k]`` to each node.

    Nodes of column -1 are of no interest; entries stay as they are where a path has more than ``limit``
    links or there is none, and where start and node are the same.
    """
    n = len(indptr) - 1
    seen, front, onward = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    border, reached = np.empty(n, np.int32), np.empty(n, np.int32)
    one, nothing = np.uint64(1), np.uint64(0)
    for first in range(0, len(starts), 64):
        width = min(64, len(starts) - first)
        seen[:] = nothing
        n_border = 0
        for k in range(width):
            node = starts[first + k]
            if front[node] == nothing:
                border[n_border] = node
                n_border += 1
            front[node] |= one << np.uint64(k)
            seen[node] |= one << np.uint64(k)
        step = 0
        while n_border > 0:
            step += 1
            n_reached = 0
            if step <= limit:
                for b in range(n_border):
                    bits = front[border[b]]
                    for j in range(indptr[border[b]], indptr[border[b] + 1]):
                        target = indices[j]
                        new = bits & ~seen[target]
                        if new != nothing:
                            if onward[target] == nothing:
                                reached[n_reached] = target
                                n_reached += 1
                            onward[target] |= new
            for b in range(n_border):
                front[border[b]] = nothing
            for r in range(n_reached):
                node = reached[r]
                bits = onward[node]
                onward[node] = nothing
                front[node] = bits
                seen[node] |= bits
                border[r] = node
                column = column_of[node]
                if column >= 0:
                    for k in range(width):
                        if (bits >> np.uint64(k)) & one:
                            found[first + k, column] = step
            n_border = n_reached
