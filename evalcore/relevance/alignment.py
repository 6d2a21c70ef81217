"""Who finds whom under a relevance SET:CONCEPT, how alike they are, and by which common ancestor."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from evalcore.graph.taxonomy import Lineage
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import ancestry, concept_table, hierarchy_of
from evalcore.relevance.concept_vectors import concept_measure
from evalcore.relevance.registry import Relevance
from evalcore.relevance.set_similarity import Side
from evalcore.values.arrays import position
from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class AlignedConcept:
    """A concept ``cui`` of one ``side``, the ``partner`` it finds on the other, and how alike they are.

    ``ancestor``: the common ancestor they are compared by; None where the measure looks at none, where
    they are the same, and where they have nothing above them in common.
    """

    side: Side
    cui: str
    partner: str
    similarity: float
    ancestor: str | None


def alignment(study: Study, relevance: Relevance, a: Set[str], b: Set[str]) -> tuple[AlignedConcept, ...]:
    """Which concepts of a query ``a`` and a candidate ``b`` are held against each other?

    As the set measure pairs them (`set_similarity.one_to_one`, `set_similarity.nearest`); nobody where a set
    is empty.
    """
    concept = str(relevance.concept)
    similar = concept_table(study, concept).similar
    if not a or not b:
        return ()
    return tuple(
        AlignedConcept(side, x, y, similar(x, y), common_ancestor(study, concept, x, y))
        for side, x, y in SET_MEASURES[relevance.kind].pairs(a, b, similar)
    )


def common_ancestor(study: Study, concept: str, x: str, y: str) -> str | None:
    """The common ancestor by which a similarity compares two concepts; None as in `AlignedConcept`.

    Of several worth the same the nearest, then the first by CUI. One concept stands for a cycle.
    """
    graph, by_ancestors = study.graph, concept == "wu-palmer" or concept_measure(concept).content
    if graph is None or not by_ancestors or x == y:
        return None
    lineage, worth, _ = ancestry(graph, study.concepts, concept)
    rows = [position(study.concepts.vocabulary, cui) for cui in (x, y)]
    if not np.isin(rows, lineage.known).all():
        return None
    steps = [_steps_above(lineage, int(k)) for k in np.searchsorted(lineage.known, rows)]
    shared = sorted(steps[0].keys() & steps[1].keys())
    taxonomy = hierarchy_of(graph)
    best = min(shared, key=lambda k: (-worth[k], steps[0][k] + steps[1][k], lineage.classes[k]))
    members = np.flatnonzero(taxonomy.class_of == lineage.classes[best])
    return graph.cuis[members[0]] if len(members) else None  # a virtual root is no concept


def _steps_above(lineage: Lineage, row: int) -> dict[int, int]:
    """{ancestor: links up to it} of a known concept."""
    mine = slice(lineage.indptr[row], lineage.indptr[row + 1])
    return dict(zip(lineage.indices[mine].tolist(), lineage.steps[mine].tolist(), strict=True))
