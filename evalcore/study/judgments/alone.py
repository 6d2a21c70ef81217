"""A study of judgments and rankings alone: which of the ids in them are queries, and which candidates?

Such a study has no concepts. Its images are whatever its files name; one is a query where it is asked, and a
candidate where it is returned or judged. The same id on both sides is one image, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from evalcore.study.judgments.qrels import JudgmentRows
    from evalcore.study.tables.schema import Rows
    from evalcore.values.arrays import Ints
    from evalcore.values.model import ConceptSets


@dataclass(frozen=True, slots=True)
class Alone:
    """Ids on either side of judgments and rankings."""

    queries: frozenset[str]
    results: frozenset[str]

    def indices(self, concepts: ConceptSets) -> tuple[Ints, Ints]:
        """Image indices of the queries and of the candidates: all images but those that are only asked."""
        ids = concepts.image_ids
        asked = np.array([image in self.queries for image in ids], np.bool_)
        returned = np.array([image in self.results for image in ids], np.bool_)
        queries, candidates = np.flatnonzero(asked), np.flatnonzero(returned | ~asked)
        return frozen(queries.astype(np.int32)), frozen(candidates.astype(np.int32))


def alone(judged: Iterable[JudgmentRows], runs: Iterable[Rows], more: Collection[str] = ()) -> Alone:
    """The ids of these files; ``more`` candidates, such as those of a corpus."""
    queries, results = set[str](), set[str](more)
    for rows in judged:
        queries.update(rows.queries)
        results.update(rows.results)
    for run in runs:
        queries.update(run.codes("query")[0])
        results.update(run.codes("candidate")[0])
    return Alone(frozenset(queries), frozenset(results))
