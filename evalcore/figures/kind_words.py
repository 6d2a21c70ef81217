"""Concepts by their kinds: their order and names, and what two images have in common, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from evalcore.values.concept_values import UNKNOWN, ConceptKinds
from evalcore.values.writing import listed, pluralize

HEADS = {
    "finding": "Findings",
    "device": "Devices",
    "anatomy": "Anatomy",
    "modality": "Modality",
    "plane": "Plane",
    "other": "Other",
    UNKNOWN: "Not classified",
}
"""{kind: what its group is called}, in the order of the groups: what decides a case first."""
ONE = {
    "finding": "finding",
    "modality": "modality",
    "plane": "plane",
    "anatomy": "region",
    "device": "device",
    "other": "other concept",
    UNKNOWN: "concept that is not classified",
}
"""{kind: one concept of it}, in a sentence."""
_ORDER = {kind: place for place, kind in enumerate(HEADS)}


def place_of(concept: str, kinds: ConceptKinds | None) -> int:
    """Where the group of a concept stands; 0 for all where no kinds are known."""
    return 0 if kinds is None else _ORDER[kinds.kind_of(concept)]


def grouped(concepts: Iterable[str], kinds: ConceptKinds) -> dict[str, list[str]]:
    """{kind: its concepts, in the order given}, only kinds that occur, findings first.

    >>> from evalcore.values.concept_values import ConceptKinds
    >>> grouped(["C1", "C2", "C3"], ConceptKinds.of_concepts({"C1": "modality", "C3": "finding"}, ""))
    {'finding': ['C3'], 'modality': ['C1'], 'unknown': ['C2']}
    """
    result: dict[str, list[str]] = {kind: [] for kind in HEADS}
    for concept in concepts:
        result[kinds.kind_of(concept)].append(concept)
    return {kind: ones for kind, ones in result.items() if ones}


def in_common(
    shared: Iterable[str],
    query: Set[str],
    result: Set[str],
    kinds: ConceptKinds,
    named: Callable[[str], str],
    *,
    near: Sequence[tuple[str, str, int]] = (),
) -> str:
    """What two images have in common and in which findings and planes they differ, findings first.

    Such as `Shared finding: Nodule. Same region (Chest) and modality (CT).`, or, where no finding is shared
    or related, which image has findings at all: a finding that is not labelled is not another finding.

    ``shared``: concepts of both images. ``query``, ``result``: all concepts of each. ``named``: the name of a
    concept, as it is to be printed in the sentence. ``near``: related pairs, each once: (concept of the
    query, concept of the result, steps apart), in order.
    """
    by_kind = grouped(sorted(shared, key=named), kinds)
    findings = by_kind.pop("finding", [])
    beside = by_kind.pop("other", []) + by_kind.pop(UNKNOWN, [])
    related = [pair for pair in near if all(kinds.kind_of(one) == "finding" for one in pair[:2])]
    rest = [pair for pair in near if pair not in related]
    sentences = []
    if findings:
        sentences.append(f"Shared {_plural('finding', findings)}: {_names(findings, named)}")
    if related:
        sentences.append(f"Related findings: {listed([_pair(*one, named) for one in related], limit=4)}")
    if not findings and not related:
        sentences.append(_findings_apart(*_of_kind("finding", query, result, kinds, named), named))
    sentences += _devices_apart(*_of_kind("device", query, result, kinds, named), named)
    if by_kind:
        same = [f"{ONE[kind]} ({_names(ones, named)})" for kind, ones in by_kind.items()]
        sentences.append(f"Same {listed(same)}")
    if rest:
        linked = listed([_pair(*one, named) for one in rest], limit=4)
        sentences.append(f"{'Also linked' if related else 'Linked'}: {linked}")
    planes = _of_kind("plane", query, result, kinds, named)
    if all(planes) and not {*planes[0]} & {*planes[1]}:
        sentences.append(f"Different planes: {_sides(*planes, named)}")
    if beside:
        sentences.append(f"Also shared: {_names(beside, named)}")
    return " ".join(f"{sentence}." for sentence in sentences)


def _of_kind(
    kind: str, query: Set[str], result: Set[str], kinds: ConceptKinds, named: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """The concepts of a kind on each side, by name."""
    a, b = (sorted((c for c in one if kinds.kind_of(c) == kind), key=named) for one in (query, result))
    return a, b


def _findings_apart(query: list[str], result: list[str], named: Callable[[str], str]) -> str:
    """Which of two images without a finding in common have any."""
    if query and result:
        return f"Different findings: {_sides(query, result, named)}"
    if not query and not result:
        return "Neither image has a finding labelled"
    who, ones = ("query", query) if query else ("result", result)
    return f"Only the {who} has a finding labelled: {_names(ones, named)}"


def _devices_apart(query: list[str], result: list[str], named: Callable[[str], str]) -> list[str]:
    """The devices of two images that share none; nothing where neither has any."""
    if not (query or result) or {*query} & {*result}:
        return []
    if query and result:
        return [f"Different devices: {_sides(query, result, named)}"]
    who, ones = ("query", query) if query else ("result", result)
    return [f"Only the {who} has a device labelled: {_names(ones, named)}"]


def _sides(query: list[str], result: list[str], named: Callable[[str], str]) -> str:
    return f"{_names(query, named)} (query), {_names(result, named)} (result)"


def _pair(a: str, b: str, steps: int, named: Callable[[str], str]) -> str:
    return f"{named(a)} with {named(b)} ({pluralize(steps, 'step')})"


def _plural(one: str, of: Sequence[str]) -> str:
    return one if len(of) == 1 else f"{one}s"


def _names(concepts: list[str], named: Callable[[str], str], most: int = 4) -> str:
    more = [f"{len(concepts) - most} more"] if len(concepts) > most else []
    return listed([*(named(concept) for concept in concepts[:most]), *more])
