"""Concepts by their kinds: in which order groups stand, and what they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.concept_values import UNKNOWN
from evalcore.figures.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcore.concept_values import ConceptKinds

HEADS = {
    "finding": "Findings", "modality": "Modality", "plane": "Plane", "anatomy": "Region",
    "device": "Devices", "other": "Other", UNKNOWN: "Not classified",
}  # fmt: skip
"""{kind: what its group is called}, in the order the groups stand: findings first."""
ONE = {
    "finding": "finding", "modality": "modality", "plane": "plane", "anatomy": "region",
    "device": "device", "other": "other concept", UNKNOWN: "concept that is not classified",
}  # fmt: skip
"""{kind: one concept of it}, in a sentence."""
_ORDER = {kind: place for place, kind in enumerate(HEADS)}


def place_of(concept: str, kinds: ConceptKinds | None) -> int:
    """Where the group of a concept stands; 0 for all where no kinds are known."""
    return 0 if kinds is None else _ORDER[kinds.kind_of(concept)]


def grouped(concepts: Iterable[str], kinds: ConceptKinds) -> dict[str, list[str]]:
    """{kind: its concepts, in the order given}, only kinds that occur, findings first.

    >>> from evalcore.concept_values import ConceptKinds
    >>> grouped(["C1", "C2", "C3"], ConceptKinds.of_concepts({"C1": "modality", "C3": "finding"}, ""))
    {'finding': ['C3'], 'modality': ['C1'], 'unknown': ['C2']}
    """
    found: dict[str, list[str]] = {kind: [] for kind in HEADS}
    for concept in concepts:
        found[kinds.kind_of(concept)].append(concept)
    return {kind: ones for kind, ones in found.items() if ones}


def shared_in_words(
    shared: Iterable[str], either: Iterable[str], kinds: ConceptKinds, named: Callable[[str], str]
) -> str:
    """What two images share, by kind: `Shared finding: Nodule. Same modality (CT) and region (Chest).`

    ``either``: the concepts of either image, which say whether findings could be shared at all. ``named``
    gives the name of a concept, as it is to stand in the sentence. "" where there is nothing to say.
    """
    by_kind = grouped(sorted(shared, key=named), kinds)
    findings = by_kind.pop("finding", [])
    beside = by_kind.pop("other", []) + by_kind.pop(UNKNOWN, [])
    sentences = []
    if findings:
        sentences.append(
            f"Shared {'finding' if len(findings) == 1 else 'findings'}: {_names(findings, named)}"
        )
    if by_kind:
        same = [f"{ONE[kind]} ({_names(ones, named)})" for kind, ones in by_kind.items()]
        sentences.append(f"Same {listed(same)}")
    if beside:
        sentences.append(f"Also in both: {_names(beside, named)}")
    if not findings and any(kinds.kind_of(one) == "finding" for one in either):
        sentences.append("No shared finding")
    return "".join(f"{one}. " for one in sentences).rstrip()


def _names(concepts: list[str], named: Callable[[str], str], most: int = 4) -> str:
    more = [f"{len(concepts) - most} more"] if len(concepts) > most else []
    return listed([*(named(one) for one in concepts[:most]), *more])
