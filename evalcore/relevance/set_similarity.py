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

Neither set may be empty. (The distance of two empty sets is 0 in the paper; as a relevance it counts 0 where
a set is empty, as everywhere in this program.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from math import fsum
from typing import Literal, TypeAlias

Similar: TypeAlias = Callable[[str, str], float]
"""s(a, b) of two concepts, in [0, 1]."""

Side = Literal["query", "candidate"]


def best_match(a: Set[str], b: Set[str], similar: Similar) -> float:
    """How well does each concept of two images find a partner in the other? SS5, best-match average.

    In [0, 1]. A concept can be the partner of several; 1 when every concept has a perfect one.

    >>> best_match({"vessel"}, {"vein", "artery"}, lambda x, y: {"vein": 0.5, "artery": 0.25}[y])
    0.4166666666666667
    """
    there = [max(similar(x, y) for y in b) for x in a]
    back = [max(similar(x, y) for x in a) for y in b]
    return fsum(there + back) / (len(a) + len(b))


def hierarchical(a: Set[str], b: Set[str], similar: Similar) -> float:
    """How alike on average to the other image is what only one of them has? SS6 (Girardi).

    In [0, 1]; shared concepts count 1, so two equal sets have 1.
    """
    only_a = fsum(similar(x, y) for x in a - b for y in b)
    only_b = fsum(similar(x, y) for x in a for y in b - a)
    # Σ of means: one quotient, so that it is rounded once.
    share = fsum([len(a & b) * len(a) * len(b), only_a * len(a), only_b * len(b)])
    return share / (len(a) * len(b) * len(a | b))


def average_link(a: Set[str], b: Set[str], similar: Similar) -> float:
    """How alike are two concepts on average, one of each image? SS7. In [0, 1].

    Below 1 for a set with itself as soon as its concepts differ.
    """
    return fsum(similar(x, y) for x in a for y in b) / (len(a) * len(b))


def matching(a: Set[str], b: Set[str], similar: Similar) -> float:
    """How alike are two images' concepts when paired off as well as can be, each used once? SS8.

    In [0, 1]: 1 as soon as one set contains the other.
    """
    return fsum(similar(x, y) for x, y in assigned(a, b, similar)) / min(len(a), len(b))


def assigned(a: Set[str], b: Set[str], similar: Similar) -> list[tuple[str, str]]:
    """Pairs with the largest sum of similarities, by the concept of ``a``.

    Which pairs those are need not be unique; their sum is.
    """
    from scipy.optimize import linear_sum_assignment

    left, right = sorted(a), sorted(b)
    table = [[similar(x, y) for y in right] for x in left]
    rows, columns = linear_sum_assignment(table, maximize=True)
    return [(left[i], right[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]


def one_to_one(a: Set[str], b: Set[str], similar: Similar) -> Iterator[tuple[Side, str, str]]:
    """The pairs of one cheapest matching, listed from the query ``a``."""
    for x, y in assigned(a, b, similar):
        yield "query", x, y


def nearest(a: Set[str], b: Set[str], similar: Similar) -> Iterator[tuple[Side, str, str]]:
    """Every concept with the most similar one of the other side, of several the first by CUI; ``a`` first."""
    for x in sorted(a):
        yield "query", x, min(b, key=lambda y: (-similar(x, y), y))
    for y in sorted(b):
        yield "candidate", y, min(a, key=lambda x: (-similar(x, y), x))
