"""A query that is in no file: ideal results by its concepts, and what systems answer to its vector.

The study stays as it is; the query is one row more in a copy of its concept sets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore import engine
from evalcore.ranking.graded import ndcg
from evalcore.ranking.lists import RankedGains
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import ConceptSets, Embeddings, Study
    from evalcore.values.settings import Settings

LAST = chr(0x10FFFF)
"""The id of the query: after all others, so that images keep their places."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The first results of one ranking for the query: image indices, and how relevant each is to it.

    ``score``: nDCG of these results, NaN where the query has no concepts or nothing is relevant to them.
    """

    images: Ints
    relevance: Floats
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class NewQuery:
    """A query by its concepts: the study with it as its last row, the relevance, the ``depth`` looked at."""

    study: Study
    relevance: str
    depth: int
    settings: Settings

    @property
    def _ranking(self) -> dict[str, Any]:
        """How the candidates are ranked for it."""
        return {"candidates": self.study.candidates, "depth": self.depth, "settings": [self.settings]}

    def ideal(self) -> Answer:
        """The candidates most relevant to its concepts; none without concepts."""
        (run,) = engine.rank(self.study, self.relevance, self.study.queries, **self._ranking)
        return self.answer(run.candidates)

    def answered(self, embeddings: Embeddings, vector: npt.NDArray[np.floating]) -> Answer:
        """The candidates whose vectors have the highest cosine with this one, equal ones by id.

        Raises InputError where the vector has another length than theirs, or no direction.
        """
        return self.answer(nearest(embeddings, vector, self.study.candidates, self.depth))

    def answer(self, images: Ints) -> Answer:
        """These results, with what each is worth."""
        study, query = self.study, self.study.queries
        pairs = np.repeat(query, len(images))
        (values,) = engine.relevance_of_pairs(study, self.relevance, pairs, images, [self.settings])
        values, score = np.nan_to_num(values, nan=0.0), float("nan")
        if study.concepts.sizes[query[0]]:
            (ideal,) = engine.ideal_gains(study, self.relevance, query, **self._ranking)
            if ideal[0, 0] > 0:
                ranked = RankedGains(np.array([0, len(images)]), values)
                score = float(ndcg(ranked, ideal, cutoff=self.depth)[0])
        return Answer(images, values, score)


def new_query(study: Study, concepts: Collection[str], *, depth: int, settings: Settings) -> NewQuery:
    """The query with these concepts, judged by nn-IoU, or IoU where the study knows no neighbours."""
    sets = _with_row(study.concepts, concepts)
    # All that is aligned with the images, but their concepts, plays no part.
    changed = replace(
        study,
        concepts=sets,
        queries=readonly(np.array([len(study.concepts)], np.int32)),
        groups=None,
        over=None,
        digest=digest_of(study.digest, sets.digest),
    )
    return NewQuery(changed, "nn-iou" if study.knows_neighbours else "iou", depth, settings)


def _with_row(sets: ConceptSets, concepts: Collection[str]) -> ConceptSets:
    """The concept sets with one more set at the end, its concepts added to the vocabulary."""
    wider = sets.with_vocabulary(concepts)
    words = np.array(wider.vocabulary, object)
    row = np.searchsorted(words, np.array(sorted(concepts), object)).astype(np.int32)
    return replace(
        wider,
        image_ids=(*sets.image_ids, LAST),
        indptr=readonly(np.append(sets.indptr, sets.indptr[-1] + len(row))),
        indices=readonly(np.concatenate([wider.indices, row])),
        annotated=readonly(np.append(sets.annotated, True)),
        digest=digest_of(sets.digest, sorted(concepts)),
        only=readonly(np.append(sets.only, True)),
    )


def nearest(embeddings: Embeddings, vector: npt.NDArray[np.floating], candidates: Ints, depth: int) -> Ints:
    """The candidates with the highest cosine, equal ones by index; those without a vector are left out.

    Raises InputError where the vector has another length than theirs, or no direction.
    """
    width = embeddings.vectors.shape[1]
    numbers = np.asarray(vector, np.float64).reshape(-1)
    length = float(np.linalg.norm(numbers))
    if len(numbers) != width or not np.isfinite(length) or length == 0:
        raise InputError(
            f"The encoder gave {len(numbers):,} numbers for the query where {embeddings.system} has vectors "
            f"of {width:,}, or none that say anything. Make its vectors again with the encoder that is here "
            "now."
        )
    rows = embeddings.rows[candidates]
    known = candidates[rows >= 0]
    vectors = embeddings.vectors[rows[rows >= 0]].astype(np.float64)
    cosines = vectors @ (numbers / length) / np.maximum(np.linalg.norm(vectors, axis=1), 1e-30)
    order = np.argsort(-cosines, kind="stable")[:depth]
    return known[order]
