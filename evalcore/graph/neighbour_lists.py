"""Which concepts of a vocabulary lie within a few edges of each other.

Every node carries one bit per vocabulary concept: "this concept is at most k edges away". One step
takes the bits of all linked nodes, so k steps answer the question for the whole vocabulary at once,
with work and memory that do not explode at hubs with thousands of children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalcore.graph.structure import ConceptGraph, Links, Nodes, check_direction, firsts, linked, nodes_of
from evalcore.values.arrays import Bools, Ints, Offsets, digest_of, expand_ranges, indptr_of, readonly
from evalcore.values.errors import SettingError
from evalcore.values.settings import Direction
from evalcore.values.writing import pluralize

Distances = npt.NDArray[np.uint8]
Bits = npt.NDArray[np.uint64]

_BITS_HELD = 1 << 25
"""64-bit words of reachability held at once (256 MB at most, touched only where needed)."""
_PAIRS_HELD = 1 << 23
"""Pairs of concepts looked at in one go (some 300 MB)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Neighbours:
    """Pairs of a vocabulary with 0 < distance <= ``threshold``, as CSR over vocabulary positions.

    Symmetric. Neighbours of concept i: ``indices[indptr[i]:indptr[i + 1]]``, ascending, with
    ``distances`` (edges) aligned.
    """

    vocabulary: tuple[str, ...]
    indptr: Offsets
    indices: Ints
    distances: Distances
    threshold: int
    direction: Direction
    digest: str

    @staticmethod
    def of_arrays(
        vocabulary: tuple[str, ...],
        indptr: Offsets,
        indices: Ints,
        distances: Distances,
        threshold: int,
        direction: Direction,
    ) -> Neighbours:
        """From arrays that keep the invariants, with their digest."""
        digest = digest_of(vocabulary, indptr, indices, distances, threshold, direction)
        return Neighbours(
            vocabulary, readonly(indptr), readonly(indices), readonly(distances), threshold, direction, digest
        )

    def within(self, threshold: int) -> Neighbours:
        """The neighbours at most ``threshold`` edges away.

        Raises SettingError for a larger threshold than their own: nobody knows who is so near.
        """
        if threshold > self.threshold:
            raise SettingError("threshold", rule_of_dictionary(self.threshold, threshold), threshold)
        kept = self.distances <= threshold
        if kept.all():
            return self
        indptr = indptr_of(kept)[self.indptr]
        return Neighbours.of_arrays(
            self.vocabulary, indptr, self.indices[kept], self.distances[kept], threshold, self.direction
        )

    def of_concept(self, concept: int) -> tuple[Ints, Distances]:
        """Neighbours of a vocabulary position and their distances."""
        rows = slice(self.indptr[concept], self.indptr[concept + 1])
        return self.indices[rows], self.distances[rows]


def rule_of_dictionary(covered: int, threshold: int) -> str:
    """Which thresholds a dictionary of neighbours allows, and the way out for a larger one."""
    return (
        f"at most {covered}: the neighbour dictionary lists neighbours up to {pluralize(covered, 'step')} "
        "apart. For more add the concept graph, or write the dictionary again: dictionary STUDY --threshold "
        f"{threshold}"
    )


def neighbours(
    graph: ConceptGraph | None,
    vocabulary: Sequence[str],
    *,
    threshold: int,
    direction: Direction = "undirected",
) -> Neighbours:
    """Which concepts of ``vocabulary`` are neighbours: 0 < distance <= ``threshold`` edges.

    ``direction="directed"``: one of the two must be an ancestor of the other; the distance is the
    shorter of the two directed paths. A concept not in the graph has no neighbours; without a
    graph nobody has. Raises SettingError for a negative threshold or an unknown direction.
    Source: arXiv 2506.13509, Eq. 1.
    """
    if threshold not in range(256):
        raise SettingError("threshold", "an integer from 0 to 255", threshold)
    check_direction(direction)
    words = tuple(vocabulary)
    nodes = nodes_of(graph, words)
    known = np.flatnonzero(nodes >= 0)
    nodes = nodes[known]
    none = np.empty(0, np.int64)
    rows, columns, steps = none, none, none
    if graph is not None and threshold and len(nodes):
        rows, columns, steps = _pairs(graph, nodes, threshold, direction)
    return _neighbours(words, known[rows], known[columns], steps, threshold, direction)


def neighbours_of_pairs(
    vocabulary: Sequence[str], left: Nodes, right: Nodes, steps: Nodes, *, threshold: int
) -> Neighbours:
    """Neighbours as somebody else found them: aligned pairs of vocabulary positions and their distances.

    Any order, one direction of a pair is enough; of several distances the shortest counts, a concept is
    not its own neighbour, and what is more than ``threshold`` edges apart is left out.
    """
    kept = (left != right) & (steps > 0) & (steps <= threshold)
    left, right, steps = (np.asarray(column, np.int64)[kept] for column in (left, right, steps))
    both = np.concatenate([left, right]), np.concatenate([right, left])
    rows, columns, steps = _shortest(*both, np.tile(steps, 2), max(len(vocabulary), 1))
    return _neighbours(tuple(vocabulary), rows, columns, steps, threshold, "undirected")


def _neighbours(
    words: tuple[str, ...],
    rows: Offsets,
    columns: Offsets,
    steps: Offsets,
    threshold: int,
    direction: Direction,
) -> Neighbours:
    order = np.argsort(rows * max(len(words), 1) + columns, kind="stable")
    indptr = indptr_of(np.bincount(rows, minlength=len(words)))
    return Neighbours.of_arrays(
        words, indptr, columns[order].astype(np.int32), steps[order].astype(np.uint8), threshold, direction
    )


def _shortest(rows: Offsets, columns: Offsets, steps: Offsets, size: int) -> tuple[Offsets, Offsets, Offsets]:
    """Each pair once, with the smallest of its distances."""
    keys = rows * size + columns
    order = np.lexsort((steps, keys))
    keys = keys[order]
    first = firsts(keys)
    rows, columns = np.divmod(keys[first], size)
    return rows, columns, steps[order][first]


def _pairs(
    graph: ConceptGraph, nodes: Offsets, threshold: int, direction: Direction
) -> tuple[Offsets, Offsets, Offsets]:
    """(row, column, distance) of every neighbour pair, rows and columns being positions in ``nodes``."""
    if direction == "undirected" and threshold <= 2:
        joined = _joined(graph.both, nodes, threshold)
        if joined is not None:
            return joined
    if direction == "undirected":
        return _within(graph.both, nodes, threshold, symmetric=True)
    rows, columns, steps = _within(graph.up, nodes, threshold, symmetric=False)
    # In a cycle both directions exist: keep the shorter of the two.
    both = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return _shortest(*both, np.tile(steps, 2), len(nodes))


def _joined(links: Links, nodes: Offsets, threshold: int) -> tuple[Offsets, Offsets, Offsets] | None:
    """`_pairs` up to two links apart, by the nodes that two of ``nodes`` both link to.

    Only the links of ``nodes`` themselves are looked at, so this is the fastest way; None where so many
    share a node that their pairs would not fit.
    """
    n, sizes = len(nodes), links[0][nodes + 1] - links[0][nodes]
    left, middle = np.repeat(np.arange(n), sizes), linked(links, nodes)
    by_node = np.argsort(nodes, kind="stable")
    place = np.minimum(np.searchsorted(nodes[by_node], middle), n - 1)
    direct = nodes[by_node[place]] == middle
    rows, columns, steps = left[direct], by_node[place[direct]], np.ones(np.count_nonzero(direct), np.int64)
    if threshold < 2:
        return rows, columns, steps
    order = np.argsort(middle, kind="stable")
    left, middle = left[order], middle[order]
    group = np.cumsum(np.diff(middle, prepend=middle[:1]) != 0)
    members = np.bincount(group)
    if np.dot(members, members) > _PAIRS_HELD:
        return None
    others = members[group]
    starts = np.cumsum(members) - members
    first, second = np.repeat(left, others), left[expand_ranges(starts[group], others)]
    apart = first != second
    rows, columns = np.concatenate([rows, first[apart]]), np.concatenate([columns, second[apart]])
    return _shortest(rows, columns, np.append(steps, np.full(np.count_nonzero(apart), 2)), n)


def _within(
    links: Links, nodes: Offsets, threshold: int, *, symmetric: bool
) -> tuple[Offsets, Offsets, Offsets]:
    """(row, column, distance) of all pairs where ``nodes[column]`` lies within reach of ``nodes[row]``.

    After k steps only nodes at most ``threshold - k`` away can still pass bits on to the vocabulary;
    without direction, bits also start in the vocabulary, so only nodes at most k away hold any.
    """
    balls = _balls(links, nodes, threshold)
    after = [threshold - step for step in range(1, threshold + 1)]
    reach = [min(step, left) if symmetric else left for step, left in enumerate(after, start=1)]
    rings = [balls[k] for k in reach]
    members = np.union1d(balls[max(reach)], nodes)
    place = np.full(len(links[0]) - 1, len(members), np.int32)
    place[members] = np.arange(len(members), dtype=np.int32)
    width = 64 * max(1, min(-(-len(nodes) // 64), _BITS_HELD // (len(members) + 1)))
    blocks = [
        _within_block(links, nodes, rings, place, range(first, min(first + width, len(nodes))))
        for first in range(0, len(nodes), width)
    ]
    rows, columns, steps = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return rows, columns, steps


def _balls(links: Links, nodes: Offsets, threshold: int) -> list[Offsets]:
    """``balls[k]``: all nodes at most k links away from one of ``nodes``, k = 0 .. threshold - 1."""
    seen: Bools = np.zeros(len(links[0]) - 1, np.bool_)
    seen[nodes] = True
    balls, border = [np.unique(nodes)], np.unique(nodes)
    for _ in range(threshold - 1):
        reached = linked(links, border)
        border = np.unique(reached[~seen[reached]])
        seen[border] = True
        balls.append(np.concatenate([balls[-1], border]))
    return balls


def _within_block(
    links: Links, nodes: Offsets, rings: list[Offsets], place: Ints, block: range
) -> tuple[Offsets, Offsets, Offsets]:
    """The pairs whose column lies in ``block``.

    ``place`` the row of each node in the bits; nodes that never hold any share the last row.
    """
    bit = np.arange(len(block))
    bits: Bits = np.zeros((int(place.max(initial=0)) + 1, -(-len(block) // 64)), np.uint64)
    own = np.uint64(1) << (bit % 64).astype(np.uint64)
    np.bitwise_or.at(bits, (place[nodes[block.start : block.stop]], bit // 64), own)
    before = bits[place[nodes]]
    rows, columns, steps = [], [], []
    for step, ring in enumerate(rings, start=1):
        _take_bits(links, bits, place, ring)
        now = bits[place[nodes]]
        row, column = _set_bits(now & ~before)
        other = nodes[row] != nodes[block.start + column]
        rows.append(row[other])
        columns.append(block.start + column[other])
        steps.append(np.full(np.count_nonzero(other), step))
        before = now
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(steps)


def _take_bits(links: Links, bits: Bits, place: Ints, nodes: Offsets) -> None:
    """Each of ``nodes`` also holds what the nodes it links to held before."""
    sizes = links[0][nodes + 1] - links[0][nodes]
    nodes, sizes = nodes[sizes > 0], sizes[sizes > 0]
    if len(nodes):
        passed = bits[place[linked(links, nodes)]]
        bits[place[nodes]] |= np.bitwise_or.reduceat(passed, np.cumsum(sizes) - sizes, axis=0)


def _set_bits(bits: Bits) -> tuple[Offsets, Offsets]:
    """(row, bit) of every set bit."""
    rows, words = np.nonzero(bits)
    octets = bits[rows, words].astype("<u8").view(np.uint8).reshape(-1, 8)
    entry, bit = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
    return rows[entry], words[entry] * 64 + bit
