"""Links between numbered things as arrays: those of i are ``indices[indptr[i]:indptr[i + 1]]``, ascending."""

from __future__ import annotations

import numpy as np

from evalcore.values.arrays import Bools, Ints, Offsets, frozen, runs_of, starts_of

Links = tuple[Offsets, Ints]
"""``indptr`` and ``indices``."""
Nodes = Ints | Offsets


def links_of(source: Nodes, target: Nodes, size: int) -> Links:
    """The links source -> target among so many things, repeats merged."""
    keys = np.sort(source.astype(np.int64) * max(size, 1) + target)
    return sorted_links(*divided(keys[firsts(keys)], max(size, 1)), size)


def sorted_links(rows: Offsets, columns: Offsets, size: int) -> Links:
    """The same for links that are sorted by row and column and differ."""
    return frozen(starts_of(np.bincount(rows, minlength=size))), frozen(columns.astype(np.int32))


def linked(links: Links, nodes: Nodes) -> Ints:
    """The node at the end of every link that leaves ``nodes``, in their order; repeats stay."""
    indptr, indices = links
    starts = indptr[nodes]
    reached: Ints = indices[runs_of(starts, indptr[nodes + 1] - starts)]
    return reached


def firsts(values: Offsets) -> Bools:
    """True where a sorted array starts a new value."""
    first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


def divided(keys: Offsets, size: int) -> tuple[Offsets, Offsets]:
    """Quotients and remainders; five times as fast as ``np.divmod``."""
    quotients: Offsets = keys // size
    return quotients, keys - quotients * size
