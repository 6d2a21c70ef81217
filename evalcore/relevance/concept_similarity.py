"""How alike two concepts of a taxonomy are: the formulas, of arrays of pairs.

With d the links on the shortest path, LCS the deepest and MICA the most informative common ancestor (c), IC
the information content (``evalcore.graph.taxonomy``) and D the largest depth:

================ ============================================== =========================
path             1 / (1 + d)                                    Rada et al. 1989
wu-palmer        2 dep(LCS) / (dep'(a) + dep'(b))               Wu & Palmer 1994
leacock-chodorow -ln((d + 1) / 2D) / ln 2D                      Leacock & Chodorow 1998
resnik           IC(MICA) / max IC                              Resnik 1995
lin              2 IC(MICA) / (IC(a) + IC(b))                   Lin 1998
jiang-conrath    1 / (1 + IC(a) + IC(b) - 2 IC(MICA))           Jiang & Conrath 1997
CS1 to CS4       one less the distances ``cs2`` to ``cs4``;     Jia et al. 2019
                 CS1 is 0 or 1
================ ============================================== =========================

Jia, Lu, Duan & Li 2019 is doi:10.1186/s12911-019-0807-y. Those by information take aligned arrays of the
information of both concepts ``a`` and ``b`` and of their most informative common ancestor, ``common``, the
largest information ``highest`` of any concept, and whether the two are the ``same``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from evalcore.values.arrays import Bools, Floats
from evalcore.values.portable_math import exp, log


def path_similarity(links: Floats) -> Floats:
    """How few links lie between two concepts? ``1 / (1 + d)``, in [0, 1]; an infinite d gives 0.

    1 / (concepts on the path), as in UMLS::Similarity with ``--undirected``. Without that option its path
    leads over a common ancestor: the same where every concept has one parent; where some have several, the
    path here may lead over a common descendant and be shorter. Source: Rada et al. 1989,
    doi:10.1109/21.24528, as a similarity.

    >>> path_similarity(np.array([0, 1, np.inf])).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1 / (1 + links)


def wu_palmer(depth_of_lcs: Floats, steps: Floats) -> Floats:
    """How much of the way from the root do two concepts share? ``2 dep(LCS) / (dep'(a) + dep'(b))``.

    Parameters
    ----------
    depth_of_lcs
        Depth of the deepest common ancestor, root 1; of several the one with the fewest links up to it.
    steps
        Links from both concepts up to it, together: dep'(x) is dep(LCS) and the links up from x.

    Returns
    -------
    In (0, 1]; 1 for a concept with itself.

    References
    ----------
    Wu & Palmer 1994, doi:10.3115/981732.981751.
    """
    return 2 * depth_of_lcs / (2 * depth_of_lcs + steps)


def leacock_chodorow(links: Floats, max_depth: int) -> Floats:
    """How few links, the first ones weighing most? ``-ln((d + 1) / 2D) / ln 2D``, in [0, 1].

    Parameters
    ----------
    links
        d, links on the shortest path; infinite without one.
    max_depth
        D, concepts on the longest way down from the root. (NLTK takes the links on it: one less.)

    Returns
    -------
    1 for a concept with itself, 0 without a path: in a hierarchy with one root d is at most 2(D - 1); in one
    of several parts it can be more, and counts as no path.

    References
    ----------
    Leacock & Chodorow 1998, in Fellbaum (ed.), WordNet; divided by its maximum.
    """
    most = log(2 * max_depth)
    similarity: Floats = np.maximum(most - log(links + 1), 0.0) / most
    return similarity


def resnik(_a: Floats, _b: Floats, common: Floats, highest: float, _same: Bools) -> Floats:
    """How specific is the most specific thing that two concepts both are? ``IC(MICA) / max IC``, in [0, 1].

    Not 1 for a concept with itself; 0 where no concept says anything. Source: Resnik 1995, arXiv
    cmp-lg/9511007.
    """
    return common / highest if highest > 0 else np.zeros_like(common)


def lin(a: Floats, b: Floats, common: Floats, _highest: float, same: Bools) -> Floats:
    """Which share of what two concepts say do they share? ``2 IC(MICA) / (IC(a) + IC(b))``, in [0, 1].

    0/0, two concepts that say nothing: 1 where they are the ``same``, else 0. Source: Lin 1998, ICML.
    """
    total = a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 2 * common / total
    return np.where(total > 0, share, np.where(same, 1.0, 0.0))


def jiang_conrath(a: Floats, b: Floats, common: Floats, _highest: float, _same: Bools) -> Floats:
    """How little do two concepts say that they do not share? ``1 / (1 + IC(a) + IC(b) - 2 IC(MICA))``.

    In (0, 1]. Source: Jiang & Conrath 1997, arXiv cmp-lg/9709008, whose distance is the sum after the 1.
    """
    return 1 / (1 + np.maximum(a + b - 2 * common, 0.0))


def cs2(a: Floats, b: Floats, common: Floats, highest: float, same: Bools) -> Floats:
    """One less the distance CS2 of Jia et al. 2019, ``1 - 2 IC(c) / (IC(a) + IC(b))``, in [0, 1].

    The form of Wu-Palmer with IC1 (levels) and of Lin with IC2 (Sánchez). 0/0: 1 where a is b, else 0.
    """
    return 1 - (1 - lin(a, b, common, highest, same))


def cs3(a: Floats, b: Floats, common: Floats, _highest: float, _same: Bools) -> Floats:
    """One less the distance CS3: ``exp(-0.2 (IC(a) + IC(b) - 2 IC(c))) · tanh(0.6 IC(c))``, in [0, 1).

    Below 1 even for a concept with itself (tanh is below 1). The sign of the exponent is that of Li et al.
    2003, doi:10.1109/TKDE.2003.1209005, as are both factors; the plus printed in Jia et al. would make
    distances negative and let them shrink as concepts move apart.
    """
    falling = exp(-2 * 0.6 * common)
    tanh = (1 - falling) / (1 + falling)
    return 1 - (1 - exp(-(0.2 * (a + b - 2 * common))) * tanh)


def cs4(_a: Floats, _b: Floats, common: Floats, highest: float, same: Bools) -> Floats:
    """One less the distance CS4, ``(IC(l) - IC(c)) / IC(l)``, in [0, 1]; 1 where a is b.

    ``highest`` is IC(l), the largest information of all; where it is 0, everything else is at 0.
    """
    apart = (highest - common) / highest if highest > 0 else np.ones_like(common)
    return 1 - np.where(same, 0.0, apart)


BY_INFORMATION: Mapping[str, Callable[[Floats, Floats, Floats, float, Bools], Floats]] = MappingProxyType(
    {"resnik": resnik, "lin": lin, "jiang-conrath": jiang_conrath, "cs2": cs2, "cs3": cs3, "cs4": cs4}
)
"""The similarities by information content, by name."""
