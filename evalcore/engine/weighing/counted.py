"""The concept sets of a study as a weighting leaves them: concepts of weight 0 are gone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.relevance.concept_weights import concept_weights
from evalcore.relevance.weighting import Weighting
from evalcore.values.arrays import Offsets, digest_of, frozen, rows_of, starts_of
from evalcore.values.model import ConceptSets, Study
from evalcore.values.stores import Store

ROOM = 64 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """``concepts`` that count, over the same vocabulary; ``weights`` of it, None where all that count weigh
    the same. Then an image's concepts stand by weight, the heaviest first."""

    concepts: ConceptSets
    weights: Offsets | None


_kept: Store[Counted] = Store(ROOM)
forget = _kept.forget


def counted(study: Study, weighting: Weighting | None) -> Counted:
    """What is left of a study's concepts; all of them without a weighting."""
    if weighting is None:
        return Counted(study.concepts, None)
    weights = concept_weights(study, weighting)
    key = (study.concepts.digest, digest_of(weights), weighting.equal)
    return _kept.get_or_compute(key, lambda: _counted(study.concepts, weights, equal=weighting.equal))


def _counted(concepts: ConceptSets, weights: Offsets, *, equal: bool) -> Counted:
    kept = weights[concepts.indices] > 0
    rows = rows_of(concepts.indptr)[kept]
    indices = concepts.indices[kept]
    indptr = starts_of(np.bincount(rows, minlength=len(concepts)))
    if not equal:
        indices = indices[np.lexsort((indices, -weights[indices], rows))]
    found = ConceptSets(
        concepts.image_ids,
        frozen(indptr),
        frozen(indices),
        concepts.vocabulary,
        concepts.annotated,
        digest_of(concepts.digest, weights, int(equal)),
    )
    return Counted(found, None if equal else frozen(weights))
