"""The registries of concept similarities, of the information they use, and of set measures over them.

A relevance is called SET:CONCEPT, as in ``matching:path`` or ``best-match:lin-seco``; a similarity by
information content is called after both, as in ``lin-seco``. Their words are in ``measures.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evalcore.relevance import set_similarity
from evalcore.relevance.set_similarity import Side, Similar
from evalcore.values.bundled import bundled

SetValue = Callable[[Set[str], Set[str], Similar], float]
SetPairs = Callable[[Set[str], Set[str], Similar], Iterator[tuple[Side, str, str]]]
Edges = Sequence[tuple[str, str]]
"""Pairs of a case at the edge and the value there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptMeasure:
    """What is known about a similarity of two concepts, in [0, 1], or about an information content.

    ``content`` names the information content that a similarity uses ("" where it uses none);
    ``one_with_itself``: 1 for every concept with itself. ``edges``: (case, value) pairs. ``relatedness``: it
    says which concepts are used together rather than which are alike. Of an information content ``plain``
    says when a *broader concept*, one that two concepts are both kinds of, is specific.
    """

    name: str
    title: str
    formula: str
    reference: str
    plain: str
    one_with_itself: bool = True
    edges: Edges = ()
    content: str = ""
    relatedness: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMeasure:
    """What is known about a way to compare two sets by the similarities s of their concepts.

    ``monotone_in_shared``: a concept new to both sets never lowers the value, as long as s is 1 for a
    concept with itself; ``one_with_itself`` likewise for a set. ``value`` is the plain function, ``pairs``
    which concepts it holds against each other.
    """

    name: str
    title: str
    formula: str
    reference: str
    plain: str
    monotone_in_shared: bool
    one_with_itself: bool
    edges: Edges
    value: SetValue
    pairs: SetPairs = set_similarity.nearest


ROWS: Mapping[str, Any] = tomllib.loads(bundled("evalcore.relevance", "measures.toml"))
"""What is known about every relevance, by group and name."""


INFORMATION: Mapping[str, ConceptMeasure] = MappingProxyType(
    {name: ConceptMeasure(name=name, **row) for name, row in ROWS["information"].items()}
)
"""The ways to say how specific a concept is, by name."""


def _concept_measures() -> Iterator[ConceptMeasure]:
    """The similarities, each by every information content that it is offered with."""
    for name, row in ROWS["concept"].items():
        words = {**row}
        contents = words.pop("contents", ())
        if not contents:
            yield ConceptMeasure(name=name, **words)
        for content in contents:
            known = INFORMATION[content]
            own = {
                "title": words["title"].format(content=known.title),
                "plain": f"{words['plain']} {known.plain}",
            }
            yield ConceptMeasure(name=f"{name}-{content}", content=content, **{**words, **own})


CONCEPT_MEASURES: Mapping[str, ConceptMeasure] = MappingProxyType(
    {measure.name: measure for measure in _concept_measures()}
)
"""The similarities of two concepts, by name."""
_SETS: Mapping[str, SetValue] = {
    "best-match": set_similarity.best_match,
    "hierarchical": set_similarity.hierarchical,
    "average-link": set_similarity.average_link,
    "matching": set_similarity.matching,
}
SET_MEASURES: Mapping[str, SetMeasure] = MappingProxyType(
    {
        name: SetMeasure(
            name=name,
            value=_SETS[name],
            pairs=set_similarity.one_to_one if name == "matching" else set_similarity.nearest,
            **row,
        )
        for name, row in ROWS["sets"].items()
    }
)
"""The ways to compare two sets by the similarities of their concepts, by name."""

CURATED: tuple[str, ...] = tuple(ROWS["curated"])
"""Relevances by a taxonomy that are offered where not all can be."""
