"""Curation of concepts: what each rule removes, and what is left of images, concepts and semantic types.

The rules are those by which the concepts of ROCO and of ImageCLEF caption were prepared from what a tool
found in captions (Rückert et al. 2024, doi:10.1038/s41597-024-03496-6; overview papers of the task): wrong
links are corrected, named concepts and those of unwanted semantic types removed, and rare ones last, as
the other rules change how often a concept occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.values.curation import CurationRules
from evalcore.values.model import ConceptSets

LINKS, BLACKLIST, TYPES, FREQUENCY = "links", "blacklist", "types", "frequency"
UNTYPED = "no type known"


@dataclass(frozen=True, slots=True)
class Step:
    """What one rule did: concepts and occurrences it removed, and what is left after it.

    ``rule`` "" for the state before the first. An occurrence is a concept of an image. ``empty`` annotated
    images without any concept left. A corrected link removes the wrong concept, and occurrences only where
    the image has the right one already.
    """

    rule: str
    removed_concepts: int
    removed: int
    concepts: int
    occurrences: int
    empty: int


@dataclass(frozen=True, slots=True)
class RemovedConcept:
    """A concept that a rule removed from ``images`` images; ``instead`` the one that it was linked to."""

    concept: str
    rule: str
    images: int
    instead: str = ""


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Concepts and occurrences of a type before and after; a concept of several types counts in each."""

    type: str
    concepts_before: int
    concepts: int
    occurrences_before: int
    occurrences: int


@dataclass(frozen=True, slots=True, eq=False)
class Curated:
    """The curated sets, what every rule did, every removed concept (most images first), and the types."""

    sets: ConceptSets
    steps: tuple[Step, ...]
    removed: tuple[RemovedConcept, ...]
    types: tuple[TypeCount, ...]


def curate(sets: ConceptSets, rules: CurationRules) -> Curated:
    """Apply the rules to the concepts of images; images nobody annotated stay so, emptied ones have none."""
    rows = {image: set(sets.of_image(i)) for i, image in enumerate(sets.image_ids) if sets.annotated[i]}
    before = _counted(rows)
    steps, removed = [_step("", rows, before, before)], list[RemovedConcept]()
    for rule in (LINKS, BLACKLIST, TYPES, FREQUENCY):
        old = _counted(rows)
        unwanted = _unwanted(rule, rules, old)
        if rule == LINKS:
            rows = {image: {rules.links.get(cui, cui) for cui in row} for image, row in rows.items()}
        else:
            rows = {image: row - unwanted for image, row in rows.items()}
        steps.append(_step(rule, rows, old, _counted(rows)))
        instead = rules.links if rule == LINKS else {}
        removed += [RemovedConcept(cui, rule, old[cui], instead.get(cui, "")) for cui in unwanted]
    after = _counted(rows)
    kept: Mapping[str, set[str] | dict[str, float] | None]
    kept = {image: rows.get(image) for image in sets.image_ids}
    if sets.amounts is not None:
        kept = {image: of and _with_amounts(sets, image, of, rules) for image, of in rows.items()}
        kept |= {image: None for image in sets.image_ids if image not in rows}
    return Curated(
        ConceptSets.of(kept),
        tuple(steps),
        tuple(sorted(removed, key=lambda one: (-one.images, one.concept))),
        _by_type(before, after, rules.types),
    )


def _with_amounts(sets: ConceptSets, image: str, kept: set[str], rules: CurationRules) -> dict[str, float]:
    """The amounts of the concepts that an image keeps; of two that become one, the larger."""
    amounts: dict[str, float] = {}
    for cui, amount in sets.amounts_of(sets.index(image)).items():
        to = rules.links.get(cui, cui)
        amounts[to] = max(amount, amounts.get(to, 0.0))
    return {cui: amounts[cui] for cui in kept}


def _unwanted(rule: str, rules: CurationRules, counts: Counter[str]) -> frozenset[str]:
    """The concepts that a rule takes away."""
    if rule == LINKS:
        return frozenset(cui for cui in counts if rules.links.get(cui, cui) != cui)
    if rule == BLACKLIST:
        return rules.blacklist.intersection(counts)
    if rule == TYPES:
        if not rules.keep_types:
            return frozenset()
        return frozenset(
            cui for cui in counts if cui in rules.types and not rules.types[cui] & rules.keep_types
        )
    return frozenset(cui for cui, n in counts.items() if n < rules.min_images)


def _counted(rows: Mapping[str, set[str]]) -> Counter[str]:
    return Counter(cui for row in rows.values() for cui in row)


def _step(rule: str, rows: Mapping[str, set[str]], old: Counter[str], new: Counter[str]) -> Step:
    return Step(
        rule,
        len(old.keys() - new.keys()),
        old.total() - new.total(),
        len(new),
        new.total(),
        sum(not row for row in rows.values()),
    )


def _by_type(
    before: Counter[str], after: Counter[str], types: Mapping[str, frozenset[str]]
) -> tuple[TypeCount, ...]:
    """Types by how often they occurred before, the most frequent first."""

    def counted(counts: Counter[str]) -> tuple[Counter[str], Counter[str]]:
        concepts, occurrences = Counter[str](), Counter[str]()
        for cui, n in counts.items():
            for kind in types.get(cui) or (UNTYPED,):
                concepts[kind] += 1
                occurrences[kind] += n
        return concepts, occurrences

    (c0, o0), (c1, o1) = counted(before), counted(after)
    ordered = sorted(c0.keys() | c1.keys(), key=lambda kind: (-o0[kind], kind))
    return tuple(TypeCount(kind, c0[kind], c1[kind], o0[kind], o1[kind]) for kind in ordered)
