"""Information content: how specific a concept is, by its place in the hierarchy or by how often it occurs.

Every function maps counts of a class to its information: 0 for the root, never less below than above.
With N classes, D the largest depth, and by class x its proper descendants hypo(x), leaf descendants
leaves(x), ancestors subs(x) (itself included) and depth(x) (root 1):

======== ======================================================== ==========================
seco     1 - ln(hypo + 1) / ln N                                  Seco, Veale, Hayes 2004
sanchez  -ln((leaves / subs + 1) / (all leaves + 1))              Sánchez, Batet, Isern 2011
zhou     k · seco + (1 - k) · ln depth / ln D                     Zhou, Wang, Gu 2008
corpus   -ln(occurrences of x and all below / all occurrences)    Resnik 1995
levels   depth - 1                                                IC1 of Jia et al. 2019
======== ======================================================== ==========================
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evalcore.graph.taxonomy import Lineage
from evalcore.values.arrays import Floats
from evalcore.values.errors import SettingError
from evalcore.values.portable_math import log

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
        found = np.abs(log(seen / total))
    return np.where(seen > 0, found, np.nan)


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
