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
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evalcore.graph.structure import ConceptGraph, Links, links_of, nodes_of, parts_in_cycles
from evalcore.values.arrays import Floats, Ints, Offsets, readonly, rows_of
from evalcore.values.errors import SettingError
from evalcore.values.portable_math import log


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """A graph as a hierarchy of classes with one root.

    ``class_of`` the class of each node; ``up`` the links from each class to its parents, ``down`` to its
    children. ``depth`` by class.
    """

    class_of: Ints
    up: Links
    down: Links
    depth: Ints
    root: int

    @property
    def n_classes(self) -> int:
        """Classes, a virtual root included."""
        return len(self.depth)

    @property
    def n_leaves(self) -> int:
        """Classes without children."""
        return int(np.count_nonzero(np.diff(self.down[0]) == 0))

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
    from evalcore.graph import loops

    # Classes are numbered by the first node of each.
    classes, class_of = np.unique(parts_in_cycles(graph), return_inverse=True)
    n = len(classes)
    child, parent = class_of[rows_of(graph.up[0])], class_of[graph.up[1]]
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
    return Taxonomy(readonly(class_of.astype(np.int32)), up, down, readonly(depth), root)


def lineage_of(graph: ConceptGraph, taxonomy: Taxonomy, vocabulary: Sequence[str]) -> Lineage:
    """What lies above the concepts of a vocabulary? Concepts not in the graph are not among ``known``.

    Descendants and leaves are counted as sets, for the classes above the vocabulary only.
    """
    from evalcore.graph import loops

    nodes = nodes_of(graph, vocabulary)
    known = np.flatnonzero(nodes >= 0)
    starts = taxonomy.class_of[nodes[known]]
    indptr, result, steps = loops.climb(*taxonomy.up, starts)
    classes, places = np.unique(result, return_inverse=True)
    order = np.lexsort((places, rows_of(indptr)))
    below, leaves = loops.count_reachable(*taxonomy.down, classes)
    above, _ = loops.count_reachable(*taxonomy.up, classes)
    return Lineage(
        known=readonly(known),
        own=readonly(np.searchsorted(classes, starts)),
        indptr=readonly(indptr),
        indices=readonly(places[order]),
        steps=readonly(steps[order]),
        classes=readonly(classes),
        depth=readonly(taxonomy.depth[classes]),
        above=readonly(above + 1),
        below=readonly(below),
        leaves=readonly(leaves),
        n_classes=taxonomy.n_classes,
        n_leaves=taxonomy.n_leaves,
        max_depth=taxonomy.max_depth,
    )


# Information content: how specific a concept is, by its place in the hierarchy or by how often it occurs.
#
# Every function maps counts of a class to its information: 0 for the root, never less below than above.
# With N classes, D the largest depth, and by class x its proper descendants hypo(x), leaf descendants
# leaves(x), ancestors subs(x) (itself included) and depth(x) (root 1):
#
# ======== ======================================================== ==========================
# seco     1 - ln(hypo + 1) / ln N                                  Seco, Veale, Hayes 2004
# sanchez  -ln((leaves / subs + 1) / (all leaves + 1))              Sánchez, Batet, Isern 2011
# zhou     k · seco + (1 - k) · ln depth / ln D                     Zhou, Wang, Gu 2008
# corpus   -ln(occurrences of x and all below / all occurrences)    Resnik 1995
# levels   depth - 1                                                IC1 of Jia et al. 2019
# ======== ======================================================== ==========================

Content = Literal["seco", "sanchez", "zhou", "corpus", "levels"]
CONTENTS: tuple[str, ...] = get_args(Content)


def seco(below: npt.ArrayLike, n_classes: int) -> Floats:
    """How little is below a concept? ``1 - ln(hypo + 1) / ln N``, in [0, 1]: leaf 1, root 0.

    0 in a hierarchy of one class. Source: Seco, Veale & Hayes, ECAI 2004, Eq. 2. (UMLS::Interface counts
    direct children only under this name.)

    >>> float(seco(8, 13).round(4))
    0.1434
    """
    counts = np.asarray(below, np.float64)
    return 1 - log(counts + 1) / log(n_classes) if n_classes > 1 else np.zeros_like(counts)


def sanchez(leaves: npt.ArrayLike, above: npt.ArrayLike, n_leaves: int) -> Floats:
    """How few leaves does a concept stand for? ``-ln((leaves / subs + 1) / (all leaves + 1))``.

    Parameters
    ----------
    leaves, above
        Leaf descendants (0 for a leaf) and ancestors (itself included).

    Returns
    -------
    In [0, ln(all leaves + 1)]; a leaf has the largest value. Natural logarithm
    (UMLS::Interface takes log2).

    References
    ----------
    Sánchez, Batet & Isern 2011, doi:10.1016/j.knosys.2010.10.001, Eq. 10; IC2 of Jia et al. 2019.
    """
    ratio = (np.asarray(leaves, np.float64) / np.asarray(above, np.float64) + 1) / (n_leaves + 1)
    return np.abs(log(ratio))  # the root's 0 without a sign


def zhou(below: npt.ArrayLike, depth: npt.ArrayLike, n_classes: int, max_depth: int) -> Floats:
    """Seco's information and depth in one: ``½ seco + ½ ln depth / ln D``, in [0, 1].

    The depth part is 0 in a hierarchy of one level. Source: Zhou, Wang & Gu 2008,
    doi:10.1109/FGCNS.2008.16.
    """
    depths = np.asarray(depth, np.float64)
    share = log(depths) / log(max_depth) if max_depth > 1 else np.zeros_like(depths)
    return 0.5 * seco(below, n_classes) + 0.5 * share


def corpus(counts: npt.ArrayLike, total: float) -> Floats:
    """How rare are a concept and all below it? ``-ln(count / total)``, in [0, ln total].

    Parameters
    ----------
    counts
        Occurrences of each concept and everything below it.
    total
        Occurrences of all concepts.

    Returns
    -------
    NaN for a count of 0, whose information would be infinite.

    References
    ----------
    Resnik 1995, arXiv cmp-lg/9511007. Natural logarithm (UMLS::Interface takes log10).

    >>> corpus([80, 10, 0], 80).round(4).tolist()
    [0.0, 2.0794, nan]
    """
    seen = np.asarray(counts, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.abs(log(seen / total))
    return np.where(seen > 0, result, np.nan)


def levels(depth: npt.ArrayLike) -> Floats:
    """How many links below the root? ``depth - 1``. IC1 of Jia et al. 2019."""
    return np.asarray(depth, np.float64) - 1


def occurrences_of(lineage: Lineage, counts: npt.ArrayLike) -> Floats:
    """Occurrences of every class and all below it, from those of the vocabulary's concepts themselves.

    A concept counts once for each class above it, over however many ways. Concepts the graph does not
    know count nowhere.
    """
    own = np.asarray(counts, np.float64)[lineage.known]
    each = np.repeat(own, np.diff(lineage.indptr))
    return np.bincount(lineage.indices, weights=each, minlength=len(lineage.classes)).astype(np.float64)


def information(lineage: Lineage, content: str, counts: npt.ArrayLike) -> tuple[Floats, float]:
    """The information of every class of a lineage, and the largest that any class of the hierarchy has.

    Parameters
    ----------
    content
        One of `CONTENTS`.
    counts
        Occurrences of each vocabulary concept; used by "corpus" only.

    Raises
    ------
    SettingError
        No such information content.
    """
    match content:
        case "seco":
            return seco(lineage.below, lineage.n_classes), float(lineage.n_classes > 1)
        case "sanchez":
            highest = float(log(lineage.n_leaves + 1))
            return sanchez(lineage.leaves, lineage.above, lineage.n_leaves), highest
        case "zhou":
            values = zhou(lineage.below, lineage.depth, lineage.n_classes, lineage.max_depth)
            return values, float(lineage.n_classes > 1)
        case "corpus":
            seen = occurrences_of(lineage, counts)
            values = corpus(seen, float(seen.max(initial=0)))
            return values, float(np.nanmax(values, initial=0))
        case "levels":
            return levels(lineage.depth), float(lineage.max_depth - 1)
    raise SettingError("information content", f"one of {', '.join(CONTENTS)}", content)
