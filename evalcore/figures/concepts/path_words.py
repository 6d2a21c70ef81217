"""A path between two concepts in words: as a sentence, and link by link with relations and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from evalcore.figures.numbers import count, listed, things
from evalcore.figures.words import upper_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.graph import Step

Level = Literal["plain", "technical"]
WORDS = {"up": "is listed under", "down": "lists"}
PARTS = {"up": "is part of", "down": "has the part"}
"""What a link says to everybody when its only relation is part_of."""
UNDER, PART = "under", "as part of"
NAMES = {
    "MESH": "MeSH", "MSH": "MeSH", "UBERON": "Uberon", "MONDO": "Mondo", "DOID": "the Disease Ontology",
    "NCIT": "the NCI Thesaurus", "NCI": "the NCI Thesaurus", "HPO": "the Human Phenotype Ontology",
    "SNOMEDCT_US": "SNOMED CT", "RADLEX": "RadLex", "SYMP": "the Symptom Ontology",
    "ONCOTREE": "OncoTree", "FMA": "the Foundational Model of Anatomy",
}  # fmt: skip
"""Sources of links as a reader knows them; others keep the name they have in the file."""
NOBODY = "the terminology"
"""Who lists a link without a source."""
ARROWS = {"up": "↑", "down": "↓"}


def path_sentence(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain",
    n_shortest: int = 1,
) -> str:  # fmt: skip
    """The path as text.

    Plain: "MeSH lists Nodule under Mass; Mondo lists Cyst under Mass: 2 steps apart.", as what a source says
    and not as a fact. Technical: the chain with CUIs, direction and source of every edge, and how many paths
    are equally short.
    """
    if not steps:
        return f"{names.get(path[0], path[0])} is the same concept on both sides."
    more = "" if n_shortest <= 1 else f" One of {count(n_shortest)} equally short paths."
    if reading == "technical":
        return f"{path_chain(path, steps, names=names, reading=reading)}. Distance {len(steps)}.{more}"
    links = "; ".join(link_sentence(step, names) for step in steps)
    return f"{upper_first(links)}: {things(len(steps), 'step')} apart.{more}"


def link_sentence(step: Step, names: Mapping[str, str]) -> str:
    """One link as its sources state it, without a full stop: "MeSH lists Nodule under Mass"."""
    child, parent = (step.start, step.end) if step.direction == "up" else (step.end, step.start)
    sources = sources_of(step.label)
    verb = "list" if len(sources) > 1 else "lists"
    how = PART if _is_part(step) else UNDER
    return f"{listed(sources)} {verb} {names.get(child, child)} {how} {names.get(parent, parent)}"


def sources_of(label: str) -> list[str]:
    """Who states a link, by name and each once: "MESH; UBERON isa" is MeSH and Uberon."""
    said = (part.split(" ") for part in label.split("; ") if part)
    found = [" ".join(words[:-1] if words[-1].islower() else words) for words in said]
    return list(dict.fromkeys(NAMES.get(one, one) for one in found if one)) or [NOBODY]


def path_chain(
    path: Sequence[str], steps: Sequence[Step], *, names: Mapping[str, str], reading: Level = "plain"
) -> str:
    """The path link by link, with the relation and the sources of each.

    Plain: "Nodule ↑ is listed under Mass [MESH] ↓ lists Cyst [UBERON isa]". Technical: CUIs, and every arrow
    from the child to its parent.
    """
    if reading == "technical":
        return _full(path[0], names) + "".join(f" {_arrow(one)} {_full(one.end, names)}" for one in steps)
    return names.get(path[0], path[0]) + "".join(
        f" {ARROWS[one.direction]} {relation(one)} {names.get(one.end, one.end)}{_source(one)}"
        for one in steps
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
