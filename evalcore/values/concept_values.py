"""What is known of concepts besides their links: kinds and vectors.

Like the values of `model` these are frozen, their arrays are read-only, and ``digest`` is a blake2b of the
content and the key of whatever is kept about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalcore.values.arrays import digest_of, position, readonly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KINDS = ("modality", "plane", "anatomy", "finding", "device", "other")
"""The kinds a concept can have; ``finding`` stands for findings and diseases."""
METRICS = ("cosine", "euclidean", "poincare")
"""How two vectors of concepts are compared; see ``relevance.concept_vectors``."""
NAME_RULE = "letters, digits, dots, dashes and underscores, at most 64, a letter or digit first"
UNKNOWN = "unknown"
"""The kind of a concept nobody gave one: a kind of its own, not ``other``."""


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")


def is_name(name: str) -> bool:
    """Whether vectors of concepts can be called so: whatever the label of a metric can hold.

    >>> is_name("cui2vec.500"), is_name("my vectors"), is_name("a,b")
    (True, False, False)
    """
    return _NAME.match(name) is not None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConceptKinds:
    """Which kind each concept has: ``kind_by_cui`` maps concepts to one of `KINDS`; the rest are `UNKNOWN`.

    ``source``: where that was read, one of the files or rules a study names, for the pages to say.
    """

    kind_by_cui: Mapping[str, str]
    source: str
    digest: str

    @staticmethod
    def of_concepts(kind_by_cui: Mapping[str, str], source: str) -> ConceptKinds:
        """From {concept: kind}; ValueError for a kind that is none of `KINDS`."""
        strange = sorted(set(kind_by_cui.values()) - set(KINDS))
        if strange:
            raise ValueError(f"no kinds of concepts: {', '.join(strange)}")
        ordered = tuple(sorted(kind_by_cui))
        return ConceptKinds(
            dict(kind_by_cui), source, digest_of(ordered, tuple(kind_by_cui[concept] for concept in ordered))
        )

    def kind_of(self, concept: str) -> str:
        """One of `KINDS`, or `UNKNOWN`."""
        return self.kind_by_cui.get(concept, UNKNOWN)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConceptVectors:
    """Vectors of concepts: row i of ``vectors`` (n, d) belongs to ``concepts[i]``, ascending ids.

    ``metric``, how two of them become a similarity from 0 to 1: ``cosine``, ``euclidean`` or ``poincare``.
    """

    concepts: tuple[str, ...]
    vectors: npt.NDArray[np.float32]
    metric: str
    digest: str

    @staticmethod
    def from_arrays(concepts: Sequence[str], vectors: npt.NDArray[np.float32], metric: str) -> ConceptVectors:
        """From rows whose concepts are in ascending order, none twice."""
        ids, rows = tuple(concepts), readonly(np.ascontiguousarray(vectors, dtype=np.float32))
        return ConceptVectors(ids, rows, metric, digest_of(ids, rows, (metric,)))

    def row(self, concept: str) -> int:
        """Row of a concept, -1 for one without a vector."""
        return position(self.concepts, concept)
