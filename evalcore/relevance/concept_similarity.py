"""How alike two concepts of a taxonomy are: the formulas, for numbers and for whole matrices alike.

With d the links on the shortest path, LCS the deepest and MICA the most informative common ancestor, IC
the information content (``evalcore.graph.taxonomy``) and D the largest depth:

======================== ========================================== ====================
path                     1 / (1 + d)                                Rada et al. 1989
wu-palmer                2 dep(LCS) / (dep'(a) + dep'(b))           Wu & Palmer 1994
leacock-chodorow         -ln((d + 1) / 2D)                          Leacock & Chodorow 1998
resnik                   IC(MICA)                                   Resnik 1995
lin                      2 IC(MICA) / (IC(a) + IC(b))               Lin 1998
jiang-conrath (distance) IC(a) + IC(b) - 2 IC(MICA)                 Jiang & Conrath 1997
CS1 to CS4 (distances)   see ``cs2`` to ``cs4``; CS1 is 0 or 1      Jia et al. 2019
======================== ========================================== ====================

Jia, Lu, Duan & Li 2019 is doi:10.1186/s12911-019-0807-y.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evalcore.values.arrays import Floats
from evalcore.values.portable_math import exp, log


def path_similarity(links: ArrayLike) -> Floats:
    """How few links lie between two concepts? ``1 / (1 + d)``, in [0, 1]; an infinite d gives 0.

    1 / (concepts on the path), as in UMLS::Similarity with ``--undirected``. Without that option its path
    leads over a common ancestor: the same where every concept has one parent; where some have several, the
    path here may lead over a common descendant and be shorter. Source: Rada et al. 1989,
    doi:10.1109/21.24528, as a similarity.

    >>> path_similarity([0, 1, np.inf]).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1 / (1 + np.asarray(links, np.float64))


def wu_palmer(depth_of_lcs: ArrayLike, steps: ArrayLike) -> Floats:
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
    shared = 2 * np.asarray(depth_of_lcs, np.float64)
    return shared / (shared + np.asarray(steps, np.float64))


def leacock_chodorow(links: ArrayLike, max_depth: int) -> Floats:
    """How short is the path, in proportion to the hierarchy? ``-ln((d + 1) / 2D)``, at most ln 2D.

    Parameters
    ----------
    links
        d, links on the shortest path; infinite without one.
    max_depth
        D, concepts on the longest way down from the root. (NLTK takes the links on it: one less.)

    Returns
    -------
    ln 2D for a concept with itself, never below 0: in a hierarchy with one root d is at most
    2(D - 1); in one of several parts it can be more, and -infinity without a path.

    References
    ----------
    Leacock & Chodorow 1998, in Fellbaum (ed.), WordNet.
    """
    similarity: Floats = log(2 * max_depth) - log(np.asarray(links, np.float64) + 1)
    return np.maximum(similarity, 0.0)


def resnik(ic_of_mica: ArrayLike) -> Floats:
    """How specific is the most specific thing that two concepts both are? ``IC(MICA)``.

    Not constant for a concept with itself. Source: Resnik 1995, arXiv cmp-lg/9511007.
    """
    return np.asarray(ic_of_mica, np.float64)


def lin(ic_a: ArrayLike, ic_b: ArrayLike, ic_of_mica: ArrayLike, same: ArrayLike) -> Floats:
    """Which share of what two concepts say do they share? ``2 IC(MICA) / (IC(a) + IC(b))``, in [0, 1].

    0/0, two concepts that say nothing: 1 where they are the ``same``, else 0. Source: Lin 1998, ICML.
    """
    total = np.asarray(ic_a, np.float64) + np.asarray(ic_b, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 2 * np.asarray(ic_of_mica, np.float64) / total
    return np.where(total > 0, share, np.where(same, 1.0, 0.0))


def jiang_conrath_distance(ic_a: ArrayLike, ic_b: ArrayLike, ic_of_mica: ArrayLike) -> Floats:
    """How much do two concepts say that they do not share? ``IC(a) + IC(b) - 2 IC(MICA)``, 0 or more.

    Source: Jiang & Conrath 1997, arXiv cmp-lg/9709008.
    """
    information = np.asarray(ic_a, np.float64) + np.asarray(ic_b, np.float64)
    return np.maximum(information - 2 * np.asarray(ic_of_mica, np.float64), 0.0)


def jiang_conrath(distance: ArrayLike) -> Floats:
    """`jiang_conrath_distance` as a similarity: ``1 / (1 + distance)``, in (0, 1]."""
    return 1 / (1 + np.asarray(distance, np.float64))


def cs2(ic_a: ArrayLike, ic_b: ArrayLike, ic_of_mica: ArrayLike, same: ArrayLike) -> Floats:
    """Distance CS2 of Jia et al. 2019: ``1 - 2 IC(c) / (IC(a) + IC(b))``, in [0, 1].

    The form of Wu-Palmer with IC1 (levels) and of Lin with IC2 (Sánchez). 0/0: 0 where a is b, else 1.
    """
    return 1 - lin(ic_a, ic_b, ic_of_mica, same)


def cs3(ic_a: ArrayLike, ic_b: ArrayLike, ic_of_mica: ArrayLike) -> Floats:
    """Distance CS3 of Jia et al. 2019: ``1 - exp(-0.2 (IC(a) + IC(b) - 2 IC(c))) · tanh(0.6 IC(c))``.

    In (0, 1]: above 0 even for a concept with itself (tanh is below 1). The sign of the exponent is that of
    Li et al. 2003, doi:10.1109/TKDE.2003.1209005, as are both factors; the plus printed in Jia et al. would
    make distances negative and let them shrink as concepts move apart.
    """
    common = np.asarray(ic_of_mica, np.float64)
    apart = 0.2 * (np.asarray(ic_a, np.float64) + np.asarray(ic_b, np.float64) - 2 * common)
    falling = exp(-2 * 0.6 * common)
    tanh = (1 - falling) / (1 + falling)
    return 1 - exp(-apart) * tanh


def cs4(ic_of_mica: ArrayLike, highest: float, same: ArrayLike) -> Floats:
    """Distance CS4 of Jia et al. 2019: ``(IC(l) - IC(c)) / IC(l)``, in [0, 1]; 0 where a is b.

    ``highest`` is IC(l), the largest information of all; where it is 0, everything else is at 1.
    """
    common = np.asarray(ic_of_mica, np.float64)
    apart = (highest - common) / highest if highest > 0 else np.ones_like(common)
    return np.where(same, 0.0, apart)
