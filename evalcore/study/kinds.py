"""How many concepts of a study have which kind, and how often images carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import rows_of
from evalcore.values.concept_values import KINDS, UNKNOWN

if TYPE_CHECKING:
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class KindCount:
    """``concepts`` of one kind among those that images carry, and their ``occurrences``, once per image.

    ``images``: that carry at least one of them.
    """

    kind: str
    concepts: int
    occurrences: int
    images: int


def kinds_of_study(study: Study) -> tuple[KindCount, ...]:
    """Counts of every kind that occurs, in the order of `KINDS` with `UNKNOWN` last; none without kinds."""
    if study.kinds is None:
        return ()
    codes, concepts = kind_codes(study), study.concepts
    uses = codes[concepts.indices]
    images = rows_of(concepts.indptr)
    counts = []
    for code, kind in enumerate((*KINDS, UNKNOWN)):
        there = uses == code
        n = int(np.count_nonzero(codes == code))
        if n:
            counts.append(KindCount(kind, n, int(there.sum()), len(np.unique(images[there]))))
    return tuple(counts)


def kind_codes(study: Study) -> Ints:
    """The kind of each concept of the vocabulary as its place in `KINDS`; one beyond the last for unknown."""
    names = {kind: code for code, kind in enumerate((*KINDS, UNKNOWN))}
    of = study.kinds.kind_of if study.kinds is not None else lambda _: UNKNOWN
    return np.array([names[of(concept)] for concept in study.concepts.vocabulary], np.int32)
