"""Set relevances with weights, for two sets of concepts: the value, and what each concept adds to it.

The plain functions beside the loops of ``engine.loops_counting``; what they compute is said in ``weighting``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from evalcore.relevance.neighbour import PAIRWISE, alpha_fraction, counted_matches, matched_pairs
from evalcore.relevance.registry import RELEVANCE
from evalcore.relevance.weighting import COUNTED_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from evalcore.relevance.neighbour import Near
    from evalcore.values.settings import Settings

    Where = Literal["both", "query", "candidate"]
    Weights = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """What one concept adds to a value: ``where`` it stands, and what it was ``matched`` with ("" when both
    images have it). ``weight`` in whole numbers; of a pair of two that is counted once, half of each end."""

    where: Where
    cui: str
    matched: str
    weight: float
    adds: float


def weighed(
    kind: str, a: Set[str], b: Set[str], weight: Weights, near: Near, settings: Settings
) -> tuple[float, tuple[Share, ...]]:
    """The value of a key of `RELEVANCE` for the concepts of a query and of a candidate, 0 for two empty sets;
    and what each concept adds to it.

    ``weight`` of every concept; those of weight 0 (or that are not in it) are left out.
    """
    a, b = ({x for x in concepts if weight.get(x, 0)} for concepts in (a, b))
    shared, of_a, of_b = (sum(weight[x] for x in concepts) for concepts in (a & b, a, b))
    overlap = RELEVANCE[kind].overlap
    if overlap is not None:
        value = float(overlap.formula(shared, of_a, of_b)) if shared else 0.0
        return value, tuple(
            Share("both", x, "", weight[x], value * weight[x] / shared) for x in sorted(a & b)
        )
    v, q = alpha_fraction(settings.alpha).as_integer_ratio()
    whole = 2 * q * max(of_a + of_b - shared, 1)
    matches = [*_matches(a, b, weight, near, settings)]
    exact = [Share("both", x, "", weight[x], 2 * q * weight[x] / whole) for x in sorted(a & b)]
    matched = [Share(where, x, y, twice / 2, v * twice / whole) for where, x, y, twice in matches]
    value = (2 * q * shared + v * sum(twice for *_, twice in matches)) / whole
    return value, (*exact, *matched)


def _matches(
    a: Set[str], b: Set[str], weight: Weights, near: Near, settings: Settings
) -> Iterator[tuple[Where, str, str, int]]:
    """Every match that counts: where the concept stands, the concept, its match, and twice what it weighs."""
    rule = settings.count_rule
    paired = partial(heaviest_pairs, weight=weight)
    times = 1 if rule in COUNTED_ONCE else 2
    for side, x, y in counted_matches(a, b, near, threshold=settings.threshold, rule=rule, paired=paired):
        yield side, x, y, times * weight[x]
        if rule in PAIRWISE:
            yield "candidate", y, x, times * weight[y]


def heaviest_pairs(
    a: Set[str], b: Set[str], near: Near, *, weight: Weights, threshold: int
) -> list[tuple[str, str]]:
    """The one-to-one matching of neighbours whose concepts weigh most, as (concept of a, concept of b).

    On each side the concepts that some matching covers are chosen greedily, the heaviest first (the sets that
    can be covered are a matroid); one matching covers both choices (Mendelsohn & Dulmage 1958).
    """
    back: dict[str, dict[str, int]] = {}
    for x in a:
        for y, distance in near.get(x, {}).items():
            back.setdefault(y, {})[x] = distance
    mine = _coverable(a, b, weight, near, threshold)
    theirs = _coverable(b, a, weight, back, threshold)
    return matched_pairs(mine, theirs, near, threshold=threshold)


def _coverable(a: Set[str], b: Set[str], weight: Weights, near: Near, threshold: int) -> set[str]:
    """The heaviest concepts of a that can be matched with concepts of b all at once."""
    covered: set[str] = set()
    for x in sorted(a, key=lambda concept: (-weight[concept], concept)):
        if len(matched_pairs(covered | {x}, b, near, threshold=threshold)) > len(covered):
            covered.add(x)
    return covered
