"""The concept graph read as a hierarchy: depths, what lies above a concept and how much below it.

Two things make a hierarchy of any graph, and both change numbers:

* Concepts that reach each other upwards (a cycle) are taken as one *class*. They share depth, ancestors
  and information, and count once wherever classes are counted.
* Where several classes have no parent, a *virtual root* is put above them: one class more, at depth 1.
  For two concepts that share nothing else it is the common ancestor, and it carries no information. It
  is no concept: paths do not lead over it (see ``evalcore.graph.paths``).

The depth of a class is the number of classes on the **longest** way down from the root (root 1). Only so
a class is always deeper than what is above it, and a concept is its own deepest common ancestor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.graph.csr import links_of
from evalcore.graph.structure import ConceptGraph, nodes_of, parts_in_cycles
from evalcore.values.arrays import Ints, Offsets, frozen, rows_of


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """A graph as a hierarchy of classes with one root.

    ``class_of`` the class of each node. Parents of class k: ``up_indices[up_indptr[k]:up_indptr[k + 1]]``,
    children likewise. ``depth`` by class. ``n_cyclic``: classes of more than one concept.
    """

    class_of: Ints
    up_indptr: Offsets
    up_indices: Ints
    down_indptr: Offsets
    down_indices: Ints
    depth: Ints
    root: int
    n_cyclic: int

    @property
    def n_classes(self) -> int:
        """Classes, a virtual root included."""
        return len(self.depth)

    @property
    def n_leaves(self) -> int:
        """Classes without children."""
        return int(np.count_nonzero(np.diff(self.down_indptr) == 0))

    @property
    def max_depth(self) -> int:
        """Classes on the longest way from the root to a leaf."""
        return int(self.depth.max())


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """The classes above the concepts of a vocabulary, themselves included, and what is known of each.

    ``known`` vocabulary positions of concepts that the graph knows, ascending; ``own`` their classes.
    Ancestors of ``known[i]``: ``indices[indptr[i]:indptr[i + 1]]``, ascending, with ``steps`` (the fewest
    links up). Classes are positions in ``classes``, their numbers in the taxonomy; by class: ``depth``,
    ``above`` (ancestors, itself included), ``below`` (proper descendants) and ``leaves`` (those of them
    that have no children; 0 for a leaf). ``n_classes``, ``n_leaves``, ``max_depth`` of the taxonomy.
    """

    known: Offsets
    own: Offsets
    indptr: Offsets
    indices: Offsets
    steps: Ints
    classes: Offsets
    depth: Ints
    above: Offsets
    below: Offsets
    leaves: Offsets
    n_classes: int
    n_leaves: int
    max_depth: int


def taxonomy_of(graph: ConceptGraph) -> Taxonomy:
    """Which hierarchy does a graph hold? Cycles become one class; several roots get a virtual one.

    A graph without concepts is a virtual root alone.
    """
    from evalcore.graph import loops_taxonomy as loops

    # Classes are numbered by the first node of each.
    _, class_of, sizes = np.unique(parts_in_cycles(graph), return_inverse=True, return_counts=True)
    n = len(sizes)
    child = class_of[rows_of(graph.up_indptr)]
    parent = class_of[graph.up_indices]
    child, parent = child[child != parent], parent[child != parent]
    roots = np.setdiff1d(np.arange(n), child)
    virtual = len(roots) != 1
    if virtual:
        child = np.concatenate([child, roots])
        parent = np.concatenate([parent, np.full(len(roots), n)])
        n += 1
    up, down = links_of(child, parent, n), links_of(parent, child, n)
    root = n - 1 if virtual else int(roots[0])
    depth = loops.longest_depths(np.diff(up[0]), *down, root)
    n_cyclic = int(np.count_nonzero(sizes > 1))
    return Taxonomy(frozen(class_of.astype(np.int32)), *up, *down, frozen(depth), root, n_cyclic)


def lineage_of(graph: ConceptGraph, taxonomy: Taxonomy, vocabulary: Sequence[str]) -> Lineage:
    """What lies above the concepts of a vocabulary? Concepts not in the graph are not among ``known``.

    Descendants and leaves are counted as sets, for the classes above the vocabulary only.
    """
    from evalcore.graph import loops_taxonomy as loops

    nodes = nodes_of(graph, vocabulary)
    known = np.flatnonzero(nodes >= 0)
    starts = taxonomy.class_of[nodes[known]]
    indptr, found, steps = loops.climb(taxonomy.up_indptr, taxonomy.up_indices, starts)
    classes, places = np.unique(found, return_inverse=True)
    order = np.lexsort((places, rows_of(indptr)))
    below, leaves = loops.reach(taxonomy.down_indptr, taxonomy.down_indices, classes)
    above, _ = loops.reach(taxonomy.up_indptr, taxonomy.up_indices, classes)
    return Lineage(
        known=frozen(known),
        own=frozen(np.searchsorted(classes, starts)),
        indptr=frozen(indptr),
        indices=frozen(places[order]),
        steps=frozen(steps[order]),
        classes=frozen(classes),
        depth=frozen(taxonomy.depth[classes]),
        above=frozen(above + 1),
        below=frozen(below),
        leaves=frozen(leaves),
        n_classes=taxonomy.n_classes,
        n_leaves=taxonomy.n_leaves,
        max_depth=taxonomy.max_depth,
    )
