"""nn-IoU: concept sets that nearly match, because their concepts are neighbours in the graph.

    nnIoU(A, B) = (|A∩B| + alpha · NN_n(A, B)) / |A∪B|

(arXiv 2506.13509, Eq. 2). Two concepts are neighbours when 0 < distance <= n: a concept is not its own
neighbour, so n = 0 gives IoU for every alpha. The printed Algorithm 1, which counts NN_n, is not
recoverable with certainty; its readings are the count rules below. With A' = A \\ B and B' = B \\ A:

============== ==========================================================================
concepts       concepts of A' with a neighbour in B', plus concepts of B' with one in A'
concepts_full  concepts of A' with a neighbour in B, plus concepts of B' with one in A
pairs          neighbour pairs in A' × B'
pairs_all      neighbour pairs in A × B
matching       size of a largest one-to-one matching of neighbours between A' and B'
matching2      twice ``matching``: both ends count
query          concepts of A' with a neighbour in B'
candidate      concepts of B' with a neighbour in A'
============== ==========================================================================

Exactness: alpha is taken as the fraction a person would write for it (0.1 is 1/10, not the nearest
binary number), so every value is a quotient of integers, rounded once. Equal relevances are equal
floats, and different ones differ as long as unions stay below about 2,000 concepts (60,000 for an
alpha of up to 6 decimals).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from evalcore.values.arrays import position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Set
    from typing import TypeAlias

    from evalcore.graph import Neighbours
    from evalcore.relevance.set_similarity import Side
    from evalcore.values.settings import CountRule

    Near: TypeAlias = Mapping[str, Mapping[str, int]]
    """{concept: {neighbour: distance >= 1}}, symmetric; a concept without neighbours may be left out."""
    Paired: TypeAlias = Callable[..., list[tuple[str, str]]]
    """As `matched_pairs`."""

PAIRWISE = ("pairs", "pairs_all", "matching", "matching2")
"""Count rules that look at pairs of concepts; the others look at one concept at a time."""
_LARGEST_DENOMINATOR = 10**9


def alpha_fraction(alpha: float) -> Fraction:
    """Alpha as an exact fraction: what was meant by the decimals, up to nine of them.

    >>> alpha_fraction(0.1), alpha_fraction(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    return Fraction(alpha).limit_denominator(_LARGEST_DENOMINATOR)


def nn_iou(
    a: Set[str],
    b: Set[str],
    near: Near,
    *,
    alpha: float = 0.5,
    threshold: int = 1,
    rule: CountRule = "concepts",
) -> float:
    """How alike are two images if near misses count too, at a fraction alpha of a hit?

    Parameters
    ----------
    a, b
        Concepts (CUIs) of the query and of the candidate.
    near
        {concept: {neighbour: distance}}. Concepts the graph does not contain have no neighbours and
        still count in the union.
    alpha
        Weight of one neighbour match, 0 to 1.
    threshold
        Largest distance n (edges) that makes two concepts neighbours, 0 to 4.
    rule
        How neighbour matches are counted; see the module.

    Returns
    -------
    float
        0 when a set is empty. In [0, 1] for every alpha; only `pairs` and `pairs_all`
        can exceed 1. 1 for a non-empty set with itself (more under `pairs_all`
        where its own concepts are neighbours).

    References
    ----------
    arXiv 2506.13509, Eq. 1, Eq. 2 and Algorithm 1.

    Examples
    --------
    >>> near = {"vein": {"vessel": 1}, "vessel": {"vein": 1}, "nodule": {"mass": 1}, "mass": {"nodule": 1}}
    >>> nn_iou({"vein", "brain", "nodule"}, {"vessel", "brain", "mass"}, near)
    0.6
    """
    union = len(a | b)
    if not union:
        return 0.0
    count = neighbour_count(a, b, near, threshold=threshold, rule=rule)
    v, q = alpha_fraction(alpha).as_integer_ratio()
    return (q * len(a & b) + v * count) / (q * union)


def neighbour_count(a: Set[str], b: Set[str], near: Near, *, threshold: int, rule: CountRule) -> int:
    """NN_n(A, B): how many neighbour matches stand between two concept sets, by one of the count rules.

    >>> near = {"vein": {"vessel": 1}, "artery": {"vessel": 1}, "vessel": {"vein": 1, "artery": 1}}
    >>> [neighbour_count({"vessel"}, {"vein", "artery"}, near, threshold=1, rule=r)
    ...  for r in ("concepts", "pairs", "matching", "query", "candidate")]
    [3, 2, 1, 1, 2]
    """
    n = sum(1 for _ in counted_matches(a, b, near, threshold=threshold, rule=rule))
    return 2 * n if rule == "matching2" else n


def counted_matches(
    a: Set[str], b: Set[str], near: Near, *, threshold: int, rule: CountRule, paired: Paired | None = None
) -> Iterator[tuple[Side, str, str]]:
    """The neighbour matches that a count rule looks at: (side, concept, its match).

    By a rule that counts concepts each of them once, with its nearest neighbour on the other side; by one
    that counts pairs each pair once, as the query's concept (under `matching2` both ends of it count).
    ``paired``: the one-to-one matching, `matched_pairs` unless given.
    """
    only_a, only_b = a - b, b - a
    if rule in PAIRWISE:
        left, right = (a, b) if rule == "pairs_all" else (only_a, only_b)
        find = neighbour_pairs if rule in ("pairs", "pairs_all") else paired or matched_pairs
        for x, y in find(left, right, near, threshold=threshold):
            yield "query", x, y
        return
    full = rule == "concepts_full"
    if rule != "candidate":
        for x in sorted(only_a):
            for y in nearest_first(x, b if full else only_b, near, threshold=threshold)[:1]:
                yield "query", x, y
    if rule != "query":
        for x in sorted(only_b):
            for y in nearest_first(x, a if full else only_a, near, threshold=threshold)[:1]:
                yield "candidate", x, y


def neighbour_pairs(a: Set[str], b: Set[str], near: Near, *, threshold: int) -> list[tuple[str, str]]:
    """Every (concept of a, concept of b) with 0 < distance <= threshold; nearest first per concept of a."""
    return [(x, y) for x in sorted(a) for y in nearest_first(x, b, near, threshold=threshold)]


def nearest_first(concept: str, others: Set[str], near: Near, *, threshold: int) -> list[str]:
    """The neighbours of a concept among others: nearest first, then by CUI."""
    result = near.get(concept, {})
    return sorted(
        (y for y in result.keys() & others if 0 < result[y] <= threshold), key=lambda y: (result[y], y)
    )


def matched_pairs(a: Set[str], b: Set[str], near: Near, *, threshold: int) -> list[tuple[str, str]]:
    """A largest one-to-one matching of neighbours between two sets, as (concept of a, concept of b).

    Each concept of a, in turn, takes its nearest free neighbour, or makes the holder of a taken one
    move to another (augmenting path). Several matchings can be largest; this one depends on
    nothing but the input.
    """
    taken: dict[str, str] = {}

    def place(x: str, tried: set[str]) -> bool:
        for y in nearest_first(x, b, near, threshold=threshold):
            if y not in tried:
                tried.add(y)
                if y not in taken or place(taken[y], tried):
                    taken[y] = x
                    return True
        return False

    for x in sorted(a):
        place(x, set())
    return sorted((x, y) for y, x in taken.items())


def near_of(neighbours: Neighbours, concepts: Iterable[str]) -> Near:
    """The neighbours of these concepts, readable by the plain functions, from what the graph hands out."""
    words, near = neighbours.vocabulary, {}
    for concept in concepts:
        if (place := position(words, concept)) >= 0:
            ends = zip(*neighbours.of_concept(place), strict=True)
            near[concept] = {words[j]: int(distance) for j, distance in ends}
    return near
