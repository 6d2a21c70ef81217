"""How alike two sets of concepts are when single concepts can be more or less alike.

With s(a, b) in [0, 1] the similarity of two concepts (``relevance.concept_similarity``), dist = 1 - s:

============ =================================================================== ======
best-match   (Σ_a max_b s(a, b) + Σ_b max_a s(a, b)) / (|A| + |B|)               SS5
hierarchical (|A∩B| + Σ_{a∈A\\B} mean_b s(a, b) + Σ_{b∈B\\A} mean_a s(a, b)) / |A∪B| SS6
average-link Σ_a Σ_b s(a, b) / (|A| |B|)                                         SS7
matching     largest Σ s(a, b) over pairs, each concept used once / min(|A|, |B|) SS8
============ =================================================================== ======

Numbered as the set distances of Jia, Lu, Duan & Li 2019, doi:10.1186/s12911-019-0807-y: each is one
minus the value here. Every sum is rounded once (``fsum``), so the order of concepts plays no part.

One empty set: undefined, NaN. Two empty sets: distance 0 in the paper, so 1 here; by option another value.
As a relevance (``relevance.registry``) both count 0, as everywhere in this program.
"""

from __future__ import annotations

from math import fsum, log, nan
from typing import TYPE_CHECKING, Literal, get_args

from evalcore.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Set
    from typing import TypeAlias

    Similar: TypeAlias = Callable[[str, str], float]
    """s(a, b) of two concepts, in [0, 1]."""

Normaliser = Literal["sum", "min", "max", "max_pad1"]


def best_match(a: Set[str], b: Set[str], similar: Similar, *, both_empty: float = 1.0) -> float:
    """How well does each concept of two images find a partner in the other? SS5, best-match average.

    In [0, 1]. A concept can be the partner of several; 1 when every concept has a perfect one.

    >>> best_match({"vessel"}, {"vein", "artery"}, lambda x, y: {"vein": 0.5, "artery": 0.25}[y])
    0.4166666666666667
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    there = [max(similar(x, y) for y in b) for x in a]
    back = [max(similar(x, y) for x in a) for y in b]
    return fsum(there + back) / (len(a) + len(b))


def hierarchical(a: Set[str], b: Set[str], similar: Similar, *, both_empty: float = 1.0) -> float:
    """How alike on average to the other image is what only one of them has? SS6 (Girardi).

    In [0, 1]; shared concepts count 1, so two equal sets have 1.
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    only_a = fsum(similar(x, y) for x in a - b for y in b)
    only_b = fsum(similar(x, y) for x in a for y in b - a)
    # Σ of means: one quotient, so that it is rounded once.
    share = fsum([len(a & b) * len(a) * len(b), only_a * len(a), only_b * len(b)])
    return share / (len(a) * len(b) * len(a | b))


def average_link(a: Set[str], b: Set[str], similar: Similar, *, both_empty: float = 1.0) -> float:
    """How alike are two concepts on average, one of each image? SS7. In [0, 1].

    Below 1 for a set with itself as soon as its concepts differ.
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    return fsum(similar(x, y) for x in a for y in b) / (len(a) * len(b))


def matching(a: Set[str], b: Set[str], similar: Similar, *, both_empty: float = 1.0) -> float:
    """How alike are two images' concepts when paired off as well as can be, each used once? SS8.

    One minus `matching_distance` by the smaller set, in [0, 1]: 1 as soon as one set contains the other.
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    return assignment(a, b, similar) / min(len(a), len(b))


def matching_distance(
    a: Set[str], b: Set[str], similar: Similar, *, normaliser: Normaliser = "min", both_empty: float = 0.0
) -> float:
    """The cost of the cheapest one-to-one matching of two sets: SS8, whose normaliser is not known.

    Parameters
    ----------
    normaliser
        "sum" the cost itself, from 0 up; "min" over the smaller and "max" over the larger set; "max_pad1"
        over the larger one with a cost of 1 for each concept that is left over.
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    fewer, more = sorted((len(a), len(b)))
    cost = fewer - assignment(a, b, similar)
    match normaliser:
        case "sum":
            return cost
        case "min":
            return cost / fewer
        case "max":
            return cost / more
        case "max_pad1":
            return (cost + more - fewer) / more
    raise SettingError("normaliser", f"one of {', '.join(get_args(Normaliser))}", normaliser)


def matching_schneider(a: Set[str], b: Set[str], similar: Similar, *, both_empty: float = 1.0) -> float:
    """`matching` scaled by ``min(|A|, |B|) + ln(||A| - |B|| + 1)``: what is left over costs a little.

    Source: the program taxodist, Schneider 2023.
    """
    if not a or not b:
        return _nothing(a, b, both_empty)
    return assignment(a, b, similar) / (min(len(a), len(b)) + log(abs(len(a) - len(b)) + 1))


def assignment(a: Set[str], b: Set[str], similar: Similar) -> float:
    """The largest sum of similarities over pairs of the two sets, each concept in one pair at most."""
    return fsum(similar(x, y) for x, y in assigned(a, b, similar))


def assigned(a: Set[str], b: Set[str], similar: Similar) -> list[tuple[str, str]]:
    """Pairs with the largest sum of similarities, by the concept of ``a``.

    Which pairs those are need not be unique; their sum is.
    """
    from scipy.optimize import linear_sum_assignment

    left, right = sorted(a), sorted(b)
    table = [[similar(x, y) for y in right] for x in left]
    rows, columns = linear_sum_assignment(table, maximize=True)
    return [(left[i], right[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]


def _nothing(a: Set[str], b: Set[str], both_empty: float) -> float:
    """The value where a set is empty."""
    return nan if a or b else both_empty
