"""Which concepts count in a set relevance, and how much: what stands in the brackets of ``nn-iou[finding]``.

    IoU   w(A∩B) / w(A∪B)                     Dice     2 w(A∩B) / (w(A) + w(B))
    nn    (w(A∩B) + alpha·w(NN)) / w(A∪B)     cosine   w(A∩B) / √(w(A) w(B))
                                              overlap  w(A∩B) / min(w(A), w(B))

where w of a set is the sum of its concepts' weights. ``finding`` gives findings the weight 1,
``finding+anatomy`` both kinds, ``finding=3,anatomy=1`` each its own.

A concept of weight 0 is taken out of both images before anything is compared: it does not count,
does not stand in the union, and is nobody's neighbour. An image that is left with nothing is like one without
concepts.

Neighbours match by the graph alone, whatever their kinds, and a match weighs what the concept weighs that is
matched: the count rules `concepts`, `concepts_full`, `query` and `candidate` add the weights of the concepts
they count; `pairs` and `pairs_all` the mean of both ends for each pair; `matching` that of the pairs of the
heaviest one-to-one matching, `matching2` the weights of both its ends.

Exactness: weights are decimals, taken as the fractions they say and brought to coprime integers: all sums
are integers, and ties are true ties. With equal weights every value is the unweighted one of what is left,
bit for bit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.errors import SettingError, UnknownName

PLURALS = {
    "finding": "findings",
    "anatomy": "anatomy",
    "modality": "modalities",
    "plane": "planes",
    "device": "devices",
    "other": "other concepts",
    UNKNOWN: "concepts of unknown kind",
}
"""The kinds in words; those of equal weight stand in names in this order."""
ORDER = tuple(PLURALS)
assert set(ORDER) == {*KINDS, UNKNOWN}
HEAVIEST = 100
COUNTED_ONCE = ("pairs", "pairs_all", "matching")
"""Rules that count a match of two concepts once: in weights both ends are summed, and the sum is halved."""
_WEIGHT = re.compile(r"\d{1,3}(\.\d{1,3})?")


@dataclass(frozen=True, slots=True)
class Weighting:
    """Which concepts count and how much: ``kinds`` with coprime whole weights above 0, heaviest first."""

    kinds: tuple[tuple[str, int], ...]

    @property
    def equal(self) -> bool:
        """Whether all concepts that count weigh the same."""
        return len({weight for _, weight in self.kinds}) == 1

    def in_words(self) -> str:
        """What counts, for a title.

        >>> parse_weighting("finding=3,anatomy").in_words(), parse_weighting("finding+anatomy").in_words()
        ('findings 3 : anatomy 1', 'findings and anatomy alone')
        """
        if self.equal:
            return " and ".join(PLURALS[kind] for kind, _ in self.kinds) + " alone"
        return " : ".join(f"{PLURALS[kind]} {weight}" for kind, weight in self.kinds)

    def __str__(self) -> str:
        if self.equal:
            return "+".join(kind for kind, _ in self.kinds)
        return ",".join(f"{kind}={weight}" for kind, weight in self.kinds)


def parse_weighting(text: str) -> Weighting:
    """Which concepts count, in the words between the brackets?

    Raises
    ------
    UnknownName
        No such kind.
    SettingError
        A weight that cannot be one, a kind twice, or nothing that weighs anything.

    >>> str(parse_weighting("anatomy=0.5, finding=1.5")), str(parse_weighting("anatomy=2,finding=2"))
    ('finding=3,anatomy=1', 'finding+anatomy')
    """
    fractions: dict[str, Fraction] = {}
    for part in re.split(r"[+,]", text):
        kind, value, number = (piece.strip() for piece in part.partition("="))
        if kind not in ORDER:
            raise UnknownName("kind of concept", kind, ORDER, "As in nn-iou[finding=3,anatomy=1].")
        if kind in fractions:
            raise SettingError("weights of kinds", f"given once for each kind; {kind} is there twice", text)
        if value and not (_WEIGHT.fullmatch(number) and Fraction(number) <= HEAVIEST):
            rule = f"numbers from 0 to {HEAVIEST} with at most three decimals"
            raise SettingError("weights of kinds", rule, text)
        fractions[kind] = Fraction(number) if value else Fraction(1)
    heavy = {kind: weight for kind, weight in fractions.items() if weight}
    if not heavy:
        raise SettingError("weights of kinds", "above 0 for at least one kind", text)
    scale = lcm(*(weight.denominator for weight in heavy.values()))
    whole = {kind: int(weight * scale) for kind, weight in heavy.items()}
    common = gcd(*whole.values())
    ordered = sorted(whole, key=lambda kind: (-whole[kind], ORDER.index(kind)))
    return Weighting(tuple((kind, whole[kind] // common) for kind in ordered))
