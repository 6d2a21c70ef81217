"""What a relevance depends on and nothing else: what the workers of a cluster get of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from evalcore.engine.space import neighbours_of
from evalcore.engine.vectors import embeddings_of
from evalcore.graph import Neighbours
from evalcore.relevance.registry import Relevance
from evalcore.values.arrays import digest_of
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.model import ConceptSets, Embeddings, Study
from evalcore.values.problems import Report
from evalcore.values.settings import MAX_THRESHOLD, Direction, Settings


@dataclass(frozen=True, slots=True)
class Held:
    """What a worker needs of a study."""

    concepts: ConceptSets
    neighbours: Neighbours
    embeddings: tuple[Embeddings, ...] = ()
    kinds: ConceptKinds | None = None

    @property
    def digest(self) -> str:
        vectors = (one.digest for one in self.embeddings)
        kinds = [] if self.kinds is None else [self.kinds.digest]
        return digest_of(self.concepts.digest, self.neighbours.digest, *vectors, *kinds)

    def study(self) -> Study:
        """A study of nothing else; the dictionary of neighbours stands in for the graph."""
        nothing: MappingProxyType[str, Any] = MappingProxyType({})
        nobody = np.empty(0, np.int32)
        return Study(
            "",
            "",
            None,
            self.concepts,
            None,
            nothing,
            None,
            None,
            nothing,
            MappingProxyType({one.system: one for one in self.embeddings}),
            None,
            nobody,
            nobody,
            (),
            Report(),
            self.digest,
            self.neighbours,
            kinds=self.kinds,
        )


def with_neighbours(study: Study, relevance: Relevance, settings: Sequence[Settings]) -> Held:
    """Concept sets, the neighbours as far as any of the settings reaches, and the kinds that weigh."""
    reach = max((one.threshold for one in settings), default=0)
    direction: Direction = settings[0].direction if settings else "undirected"
    near = neighbours_of(study, threshold=min(reach, MAX_THRESHOLD), direction=direction)
    return Held(study.concepts, near, kinds=study.kinds if relevance.weighting is not None else None)


def with_embeddings(study: Study, relevance: Relevance, _settings: Sequence[Settings]) -> Held:
    """Concept sets, and the vectors of the relevance's system."""
    near = neighbours_of(study, threshold=0, direction="undirected")
    return Held(study.concepts, near, (embeddings_of(study, relevance),))
