"""IoU of concepts with amounts: how much of each concept two images have in common.

    iou[amounts](A, B) = Σ min(a(c), b(c)) / Σ max(a(c), b(c))    over the concepts c of either image

where a(c) is the amount of c in A, 0 where A has no c. An amount is any number above 0: a probability, a
count, a severity, a volume; all of a study should be on one scale. With equal amounts it is IoU. It is the
similarity of Ružička (1958), the complement of Soergel's distance; of two images with the Bray-Curtis
similarity S it is S / (2 - S), so both put images in the same order.

Exactness: amounts are counted in parts of 1 / `GRAIN` (six decimals) as whole numbers, so the sums are exact,
each value is one correctly rounded quotient, and ties are true ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.relevance.weighed import Share
from evalcore.values.arrays import Offsets
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.values.model import Study

GRAIN = 1_000_000
NO_AMOUNTS = (
    "The concepts of this study have no amounts. Write them in concepts.csv, as in "
    "image_1,C0040405:0.4;C0817096:1, or select iou."
)


def whole_amounts(study: Study) -> Offsets:
    """The amounts of the study's concepts in parts of 1 / `GRAIN`, aligned with ``concepts.indices``.

    Raises InputError where no concept has one.
    """
    if study.concepts.amounts is None:
        raise InputError(NO_AMOUNTS)
    whole: Offsets = np.rint(study.concepts.amounts * GRAIN).astype(np.int64)
    return whole


def iou_of_amounts(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """The value of two images given as {concept: amount}; 0 for two without concepts.

    >>> iou_of_amounts({"brain": 0.4, "mass": 0.5}, {"brain": 1, "vein": 0.5})
    0.2
    """
    shared, most = _sums(a, b)
    return sum(shared.values()) / most if shared else 0.0


def shares_of_amounts(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Share, ...]:
    """What each shared concept adds to the value: the smaller amount over the sum of the larger ones."""
    shared, most = _sums(a, b)
    return tuple(Share("both", cui, "", x / GRAIN, x / most) for cui, x in shared.items())


def _sums(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[dict[str, int], int]:
    """The smaller amount of each shared concept, and the sum of the larger ones of all, as whole numbers."""
    one, other = ({cui: round(x * GRAIN) for cui, x in image.items()} for image in (a, b))
    shared = {cui: min(one[cui], other[cui]) for cui in sorted(one.keys() & other.keys())}
    return shared, sum(max(one.get(cui, 0), other.get(cui, 0)) for cui in {*one, *other})
