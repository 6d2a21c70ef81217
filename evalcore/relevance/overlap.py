"""How much two concept sets overlap: IoU, Dice, cosine and overlap coefficient.

All four count only concepts that stand in both sets. Every value is computed as one correctly rounded
quotient of integers, so two pairs of sets of exactly equal relevance get exactly equal floats: ties
are found by ``==``.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set


def iou(a: Set[str], b: Set[str], *, both_empty: float = 0.0) -> float:
    """Which share of all concepts of two images do they have in common? ``|A∩B| / |A∪B|``.

    Parameters
    ----------
    a, b
        Concepts (CUIs) of the two images.
    both_empty
        The value for two empty sets, where the quotient is 0/0.

    Returns
    -------
    float in [0, 1]
        0 when one set is empty; 1 exactly when the sets are equal and not empty.

    References
    ----------
    Jaccard 1901; the relevance of CUI@K in arXiv 2506.13509.

    Examples
    --------
    >>> iou({"vein", "brain", "nodule"}, {"vessel", "brain", "mass"})
    0.2
    """
    union = len(a | b)
    return len(a & b) / union if union else both_empty


def dice(a: Set[str], b: Set[str], *, both_empty: float = 0.0) -> float:
    """How much do two images agree, relative to their average number of concepts? ``2|A∩B| / (|A|+|B|)``.

    Parameters, empty sets and range as `iou`. Source: Dice 1945; set measure SS1 (as ``1 - Dice``) of Jia
    et al. 2019, doi:10.1186/s12911-019-0807-y.

    >>> dice({"brain"}, {"brain", "head", "vein"})
    0.5
    """
    total = len(a) + len(b)
    return 2 * len(a & b) / total if total else both_empty


def cosine(a: Set[str], b: Set[str], *, both_empty: float = 0.0) -> float:
    """What is the cosine of the angle between two images' concept vectors? ``|A∩B| / √(|A||B|)``.

    Computed as the root of the exact quotient ``|A∩B|² / (|A||B|)``, so that equal cosines are equal
    floats. Parameters, empty sets and range as `iou`. Source: Salton 1975; set measure SS3 (as
    ``1 - cosine``) of Jia et al. 2019, doi:10.1186/s12911-019-0807-y.

    >>> cosine({"brain"}, {"brain", "head", "vein", "mass"})
    0.5
    """
    if not a or not b:
        return both_empty if not a and not b else 0.0
    overlap = len(a & b)
    return sqrt(overlap * overlap / (len(a) * len(b)))


def overlap_coefficient(a: Set[str], b: Set[str], *, both_empty: float = 0.0) -> float:
    """Which share of the smaller image's concepts does the other have too? ``|A∩B| / min(|A|, |B|)``.

    1 as soon as one set contains the other, however much larger it is. Parameters, empty sets and
    range as `iou`. Source: Szymkiewicz 1934, Simpson 1943; set measure SS4 (as ``1 - overlap``) of Jia
    et al. 2019, doi:10.1186/s12911-019-0807-y.

    >>> overlap_coefficient({"brain"}, {"brain", "head", "vein"})
    1.0
    """
    if not a or not b:
        return both_empty if not a and not b else 0.0
    return len(a & b) / min(len(a), len(b))
