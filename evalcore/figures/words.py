"""Concepts in words: their kinds in order, and a path between two with its relations and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from evalcore.graph import Step
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
_ORDER = {kind: place for place, kind in enumerate(HEADS)}


def place_of(concept: str, kinds: ConceptKinds | None) -> int:
    """The place of the group of a concept; 0 for all where no kinds are known."""
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
    return {kind: cuis for kind, cuis in result.items() if cuis}


# A path between two concepts.

Level = Literal["plain", "technical"]
WORDS = {"up": "is listed under", "down": "lists"}
PARTS = {"up": "is part of", "down": "has the part"}
"""The words of a link at Simple when its only relation is part_of."""
SOURCES = {
    "CURATED": "the study",
    "MESH": "MeSH",
    "MSH": "MeSH",
    "UBERON": "Uberon",
    "MONDO": "Mondo",
    "DOID": "the Disease Ontology",
    "NCIT": "the NCI Thesaurus",
    "NCI": "the NCI Thesaurus",
    "HPO": "the Human Phenotype Ontology",
    "SNOMEDCT_US": "SNOMED CT",
    "RADLEX": "RadLex",
    "SYMP": "the Symptom Ontology",
    "ONCOTREE": "OncoTree",
    "FMA": "the Foundational Model of Anatomy",
}
"""Sources of links as a reader knows them; others keep the name they have in the file."""
ARROWS = {"up": "↑", "down": "↓"}


def path_sentence(
    path: Sequence[str],
    steps: Sequence[Step],
    *,
    names: Mapping[str, str],
    reading: Level = "plain",
    n_shortest: int = 1,
) -> str:
    """The path as text, its length first.

    Simple: "2 steps apart: Nodule → Mass → Cyst. MeSH lists Nodule under Mass; Mondo lists Cyst under Mass.",
    as what a source says and not as a fact. Expert: the chain with CUIs, direction and source of every edge.
    Then how many paths are equally short.
    """
    if not steps:
        return f"{names.get(path[0], path[0])} is the same concept on both sides."
    more = "" if n_shortest <= 1 else f" One of {n_shortest:,} equally short paths."
    apart = f"{pluralize(len(steps), 'step')} apart"
    if reading == "technical":
        return f"{apart}: {path_chain(path, steps, names=names, reading=reading)}.{more}"
    links = "; ".join(link_sentence(step, names) for step in steps)
    chain = " → ".join(names.get(cui, cui) for cui in path)
    return f"{apart}: {chain}.{more} {links[:1].upper()}{links[1:]}."


def link_sentence(step: Step, names: Mapping[str, str]) -> str:
    """One link as its sources state it, without a full stop: "MeSH lists Nodule under Mass"."""
    child, parent = (step.start, step.end) if step.direction == "up" else (step.end, step.start)
    sources = sources_of(step.label)
    verb, how = "list" if len(sources) > 1 else "lists", "as part of" if _is_part(step) else "under"
    return f"{listed(sources)} {verb} {names.get(child, child)} {how} {names.get(parent, parent)}"


def sources_of(label: str) -> list[str]:
    """Who states a link, by name and each once: "MESH; UBERON isa" is MeSH and Uberon; "the terminology" of
    a link without a source."""
    named = (part.split(" ") for part in label.split("; ") if part)
    result = [" ".join(words[:-1] if words[-1].islower() else words) for words in named]
    return list(dict.fromkeys(SOURCES.get(source, source) for source in result if source)) or [
        "the terminology"
    ]


def path_chain(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain"
) -> str:
    """The path link by link, with the relation and the sources of each.

    Simple: "Nodule ↑ is listed under Mass [MESH] ↓ lists Cyst [UBERON isa]". Expert: CUIs, and every arrow
    from the child to its parent.
    """
    if reading == "technical":
        return _full(path[0], names) + "".join(f" {_arrow(step)} {_full(step.end, names)}" for step in steps)
    return names.get(path[0], path[0]) + "".join(
        f" {ARROWS[step.direction]} {relation(step)} {names.get(step.end, step.end)}{_source(step)}"
        for step in steps
    )


def relation(step: Step, words: Mapping[str, str] = WORDS) -> str:
    """What a link says: that of ``words`` for its direction, or that one concept is part of the other."""
    return (PARTS if _is_part(step) else words)[step.direction]


def _is_part(step: Step) -> bool:
    return all(part.endswith("part_of") for part in step.label.split("; "))


def _arrow(step: Step) -> str:
    source = _source(step)
    return f"—is_a{source}→" if step.direction == "up" else f"←is_a{source}—"


def _source(step: Step) -> str:
    return f" [{step.label}]" if step.label else ""


def _full(cui: str, names: Mapping[str, str]) -> str:
    return f"{names[cui]} ({cui})" if cui in names else cui
