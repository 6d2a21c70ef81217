"""The concept graph as arrays: child -> parent, parent -> child, and both without direction.

A node is a position in ``cuis`` (sorted, so node order is CUI order). The links of node i are
``indices[indptr[i]:indptr[i + 1]]``, ascending, without repeats and without i itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.values.arrays import (
    Bools,
    Ints,
    Offsets,
    digest_of,
    expand_ranges,
    indptr_of,
    position,
    readonly,
)
from evalcore.values.errors import SettingError
from evalcore.values.settings import Direction

# Links between numbered things as arrays: those of i are ``indices[indptr[i]:indptr[i + 1]]``, ascending.

Links = tuple[Offsets, Ints]
"""``indptr`` and ``indices``."""
Nodes = Ints | Offsets


def links_of(source: Nodes, target: Nodes, size: int) -> Links:
    """The links source -> target among so many things, repeats merged."""
    keys = np.sort(source.astype(np.int64) * max(size, 1) + target)
    return sorted_links(*np.divmod(keys[firsts(keys)], max(size, 1)), size)


def sorted_links(rows: Offsets, columns: Offsets, size: int) -> Links:
    """The same for links that are sorted by row and column and differ."""
    return readonly(indptr_of(np.bincount(rows, minlength=size))), readonly(columns.astype(np.int32))


def linked(links: Links, nodes: Nodes) -> Ints:
    """The node at the end of every link that leaves ``nodes``, in their order; repeats stay."""
    indptr, indices = links
    starts = indptr[nodes]
    reached: Ints = indices[expand_ranges(starts, indptr[nodes + 1] - starts)]
    return reached


def firsts(values: Offsets) -> Bools:
    """True where a sorted array starts a new value."""
    first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


Texts = Any
"""A sequence of strings: list, tuple, numpy array or pyarrow array."""

_MANY = 500_000
"""Concepts from which on a table of all possible ones is faster than sorting."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConceptGraph:
    """An is_a graph over CUIs; cycles allowed, self-loops and repeated edges not.

    ``up`` the links from each node to its parents, ``down`` to its children, ``both`` to either.
    ``labels[k]`` says where the k-th link up comes from, as a position in ``edge_labels`` ("MESH; UBERON
    isa": MeSH without a relation name, UBERON as isa).
    """

    cuis: tuple[str, ...]
    up: Links
    labels: Ints
    down: Links
    both: Links
    edge_labels: tuple[str, ...]
    digest: str

    def ways(self, direction: Direction) -> tuple[Links, ...]:
        """The links that may be followed together: all of them, or with a direction only up, or only down."""
        return (self.both,) if direction == "undirected" else (self.up, self.down)

    @property
    def n_nodes(self) -> int:
        return len(self.cuis)

    @property
    def n_edges(self) -> int:
        """Different child -> parent pairs."""
        return len(self.up[1])

    def index(self, cui: str) -> int:
        """Node of a CUI, -1 when the graph does not know it."""
        return position(self.cuis, cui)

    def parents(self, node: int) -> Ints:
        indptr, indices = self.up
        return indices[indptr[node] : indptr[node + 1]]

    def children(self, node: int) -> Ints:
        indptr, indices = self.down
        return indices[indptr[node] : indptr[node + 1]]

    def label(self, child: int, parent: int) -> str:
        """Where the edge child -> parent comes from; "" when unlabelled or when there is no such edge."""
        k = position(self.parents(child), parent)
        return self.edge_labels[int(self.labels[self.up[0][child] + k])] if k >= 0 else ""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What building found: none of it is fatal.

    ``n_duplicates`` rows that repeat child, parent and label of another row; ``cyclic`` the groups of
    concepts that reach each other upwards.
    """

    n_self_loops: int
    n_duplicates: int
    cyclic: tuple[tuple[str, ...], ...]


def build_graph(
    children: Texts, parents: Texts, labels: Texts | None = None
) -> tuple[ConceptGraph, GraphFacts]:
    """The graph of the edges ``children[k]`` is_a ``parents[k]``, and what was odd about them.

    All three aligned, any length. A self-loop is left out but its concept is kept as a node; the
    labels of one edge are joined by "; " in sorted order, empty labels left out. The result does not
    depend on the order of the edges. Source: is_a graph of arXiv 2506.13509, Eq. 1.
    """
    cuis, child, parent = _encoded(children, parents)
    size = max(len(cuis), 1)
    words, label = (("",), 0) if labels is None or not len(child) else _coded(_as_text(labels))
    loops = child == parent
    keys = (child.astype(np.int64) * size + parent) * len(words) + label
    keys = np.sort(keys[~loops])
    distinct = keys[firsts(keys)]
    edges, codes = np.divmod(distinct, len(words))
    edge_labels, edge_codes = _joined_labels(edges, codes, words)
    rows, columns = np.divmod(edges[firsts(edges)], size)
    up, down = sorted_links(rows, columns, len(cuis)), links_of(columns, rows, len(cuis))
    both = links_of(np.concatenate([rows, columns]), np.concatenate([columns, rows]), len(cuis))
    digest = digest_of(cuis, *up, edge_codes, edge_labels)
    graph = ConceptGraph(cuis, up, readonly(edge_codes), down, both, edge_labels, digest)
    cyclic = tuple(tuple(cuis[node] for node in group) for group in _cycles(graph))
    return graph, GraphFacts(int(np.count_nonzero(loops)), len(keys) - len(distinct), cyclic)


def nodes_of(graph: ConceptGraph | None, concepts: Sequence[str]) -> Offsets:
    """The node of each concept, -1 for those the graph does not know."""
    cuis = graph.cuis if graph is not None else ()
    return np.array([position(cuis, cui) for cui in concepts], np.int64)


def check_direction(direction: str) -> None:
    """SettingError for a direction that is none."""
    if direction not in get_args(Direction):
        raise SettingError("direction", "undirected or directed", direction)


def _encoded(children: Texts, parents: Texts) -> tuple[tuple[str, ...], Ints, Ints]:
    """Sorted different CUIs, and both columns as positions among them."""
    columns = [_as_text(children), _as_text(parents)]
    n, text = len(columns[0]), pa.concat_arrays(columns)
    ends = np.frombuffer(text.buffers()[1] or bytes(8), np.int64)[: len(text) + 1]
    if np.all(np.diff(ends) == 8):
        # A CUI has eight bytes: read as one big-endian number it sorts as the text does, only faster.
        numbers = np.frombuffer(text.buffers()[2] or b"", ">u8", len(text)).astype(np.uint64)
        distinct, both = _distinct(numbers)
        words, starts = distinct.astype(">u8"), np.arange(len(distinct) + 1) * 8
        cuis = pa.LargeStringArray.from_buffers(len(words), pa.py_buffer(starts), pa.py_buffer(words))
        return tuple(cuis.to_pylist()), both[:n].astype(np.int32), both[n:].astype(np.int32)
    known, both_codes = _coded(text)
    return known, both_codes[:n], both_codes[n:]


def _distinct(numbers: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Offsets]:
    """Sorted different numbers and each one's position among them: eight bytes of text each.

    Where all are one letter and seven digits, and many, a table of all such numbers spares the sorting.
    """
    octets = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)
    digits = octets[:, 1:] - np.uint8(ord("0"))
    if len(numbers) < _MANY or (octets[:, 0] != octets[0, 0]).any() or (digits > 9).any():
        distinct, places = np.unique(numbers, return_inverse=True)
        return distinct, places
    values = np.zeros(len(numbers), np.int32)
    for column in digits.T:
        values = values * np.int32(10) + column
    first = np.zeros(int(values.max()) + 1, np.uint64)
    first[values] = numbers
    known = np.flatnonzero(first)
    place = np.empty(len(first), np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    return first[known], place[values].astype(np.int64)


def _as_text(column: Texts) -> pa.Array:
    """Any sequence of strings as one Arrow string array."""
    array = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.array(column, pa.large_string())
    array = array.cast(pa.large_string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _coded(text: pa.Array) -> tuple[tuple[str, ...], Ints]:
    """Sorted different texts, and each one's position among them."""
    coded = text.dictionary_encode()
    order = pc.sort_indices(coded.dictionary).to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    words = coded.dictionary.take(pa.array(order)).to_pylist()
    return tuple(words), rank[coded.indices.to_numpy(zero_copy_only=False)]


def _joined_labels(edges: Offsets, codes: Offsets, words: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """One label per edge: the different labels of the edge's rows, joined.

    ``edges`` sorted with one entry per (edge, label), ``codes`` the label. An edge's combination is
    formed one label at a time: a combination and the next label are another one, numbered as they occur.
    """
    starts = np.flatnonzero(firsts(edges))
    sizes = np.diff(np.append(starts, len(edges)))
    combined, more, length = codes[starts].astype(np.int64), np.arange(len(starts)), 1
    shorter, last = [-1] * len(words), list(range(len(words)))
    while len(more := more[sizes[more] > length]):
        pairs, combination = np.unique(
            combined[more] * len(words) + codes[starts[more] + length], return_inverse=True
        )
        combined[more] = len(last) + combination
        before, label = np.divmod(pairs, len(words))
        shorter += before.tolist()
        last += label.tolist()
        length += 1

    different, at = np.unique(combined, return_inverse=True)
    texts = []
    for combination in different.tolist():
        parts = []
        while combination >= 0:
            parts.append(words[last[combination]])
            combination = shorter[combination]
        texts.append("; ".join(sorted(filter(None, parts))))
    used = sorted({*texts})
    place = {each: i for i, each in enumerate(used)}
    return tuple(used), np.array([place[each] for each in texts], np.int32)[at]


def parts_in_cycles(graph: ConceptGraph) -> Ints:
    """For each node the smallest of those that reach it and that it reaches upwards; itself, for most."""
    part = np.arange(graph.n_nodes, dtype=np.int32)
    for group in _cycles(graph):
        part[group] = group[0]
    return part


def _cycles(graph: ConceptGraph) -> list[list[int]]:
    """Groups of nodes that reach each other upwards, ascending, by their smallest node.

    Over nodes with a cycle below them only, and those are few.
    """
    # Nodes without children are taken away, again and again (Kahn 1962): those of cycles, and all above them,
    # are left. All parents of these are among them.
    left = np.diff(graph.down[0])
    border = np.flatnonzero(left == 0)
    while len(border):
        left[border] = -1
        parents, children = np.unique(linked(graph.up, border), return_counts=True)
        left[parents] -= children
        border = parents[left[parents] == 0].astype(np.int64)
    nodes = np.flatnonzero(left > 0)
    if not len(nodes):
        return []
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    indptr, indices = graph.up
    entries = np.ones(len(indices), np.int8)
    links = csr_array((entries, indices, indptr), shape=(graph.n_nodes, graph.n_nodes))
    _, part = connected_components(links[nodes][:, nodes], connection="strong")
    order = np.argsort(part, kind="stable")
    groups = np.split(nodes[order], np.flatnonzero(np.diff(part[order])) + 1)
    return sorted(group.tolist() for group in groups if len(group) > 1)
