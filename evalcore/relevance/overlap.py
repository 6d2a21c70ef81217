"""How much two concept sets overlap: IoU, Dice, cosine and overlap coefficient.

All count only concepts that stand in both sets, so each is a formula of three counts: how many two sets
share, and how large each is. Every value is one correctly rounded quotient of integers (or the root of
one), so two pairs of sets of exactly equal relevance get exactly equal floats: ties are found by ``==``.

To add one: a formula here, an entry in ``registry``. The engine computes it from the counts of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import update_wrapper
from typing import Any

import numpy as np

from evalcore.values.arrays import Floats, Ints

Formula = Callable[[Any, Any, Any], Any]
"""Numbers, or aligned arrays, of |A∩B|, |A| and |B|, all at least 1, to values."""


class Overlap:
    """A formula of |A∩B|, |A| and |B| as a measure of two sets, or of arrays of counts.

    0 for sets that share nothing, two empty ones too; the formula is asked about no others.
    """

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        update_wrapper(self, formula)

    def __call__(self, a: Set[str], b: Set[str], *_: object) -> float:
        """The value of two sets of concepts (CUIs); neighbours and settings play no part."""
        shared = len(a & b)
        return float(self.formula(shared, len(a), len(b))) if shared else 0.0

    def of_counts(self, shared: Ints, a: Ints, b: Ints) -> Floats:
        """The values of aligned pairs of sets by their counts, shape (m,); 0 where nothing is shared."""
        values = np.zeros(len(shared), np.float64)
        rows = np.flatnonzero(shared)
        # 64 bits: products of counts are formed.
        values[rows] = self.formula(*(counts[rows].astype(np.int64) for counts in (shared, a, b)))
        return values


@Overlap
def iou(shared: Any, a: Any, b: Any) -> Any:
    """Which share of all concepts of two images do they have in common? ``|A∩B| / |A∪B|``.

    In [0, 1]: 1 exactly when the sets are equal and not empty. Source: Jaccard 1901; the relevance of CUI@K
    in arXiv 2506.13509.

    >>> iou({"vein", "brain", "nodule"}, {"vessel", "brain", "mass"})
    0.2
    """
    return shared / (a + b - shared)


@Overlap
def dice(shared: Any, a: Any, b: Any) -> Any:
    """How much do two images agree, relative to their average number of concepts? ``2|A∩B| / (|A|+|B|)``.

    In [0, 1]. Source: Dice 1945; set measure SS1 (as ``1 - Dice``) of Jia et al. 2019,
    doi:10.1186/s12911-019-0807-y.

    >>> dice({"brain"}, {"brain", "head", "vein"})
    0.5
    """
    return 2 * shared / (a + b)


@Overlap
def cosine(shared: Any, a: Any, b: Any) -> Any:
    """What is the cosine of the angle between two images' concept vectors? ``|A∩B| / √(|A||B|)``.

    In [0, 1]. The root of the exact quotient ``|A∩B|² / (|A||B|)``, so that equal cosines are equal floats.
    Source: Salton 1975; set measure SS3 (as ``1 - cosine``) of Jia et al. 2019,
    doi:10.1186/s12911-019-0807-y.

    >>> cosine({"brain"}, {"brain", "head", "vein", "mass"})
    0.5
    """
    return np.sqrt(shared * shared / (a * b))


@Overlap
def overlap_coefficient(shared: Any, a: Any, b: Any) -> Any:
    """Which share of the smaller image's concepts does the other have too? ``|A∩B| / min(|A|, |B|)``.

    In [0, 1]: 1 as soon as one set contains the other, however much larger it is. Source: Szymkiewicz 1934,
    Simpson 1943; set measure SS4 (as ``1 - overlap``) of Jia et al. 2019, doi:10.1186/s12911-019-0807-y.

    >>> overlap_coefficient({"brain"}, {"brain", "head", "vein"})
    1.0
    """
    return shared / np.minimum(a, b)
