"""What readers judged as a relevance: a sparse table, looked up. A result nobody judged is worth 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import starts_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Judged, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

NO_JUDGMENTS = (
    "Nobody has judged results of this study, so judgments cannot be the relevance. Judge some on the page "
    "Review, or choose another measure, such as nnCUI@10."
)


def judged_of(study: Study) -> Judged:
    """What readers say of the study's results; InputError where nobody said anything."""
    if study.judged is None:
        raise InputError(NO_JUDGMENTS)
    return study.judged


def asked_with_judgment(study: Study, _relevance: Relevance, queries: Ints) -> Bools:
    """Which queries have a judged result."""
    judged: Bools = np.diff(judged_of(study).indptr)[queries] > 0
    return judged


def judged_pairs(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Grades of m pairs: NaN where nothing of the query was judged, 0 where only this pair was not."""
    judged = judged_of(study)
    places = judged.places(queries, candidates)
    values = np.append(judged.values, 0.0)[places]
    values[~asked_with_judgment(study, relevance, queries)] = np.nan
    return values


def rank_judged(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    whole_ties: bool,
    progress: Progress | None = None,
) -> tuple[Offsets, Ints, Floats]:
    """All candidates by their grade, those not judged among those of grade 0; equal ones by image index."""
    lists: list[tuple[Ints, Floats]] = []
    for place, query in enumerate(queries.tolist()):
        if progress is not None:
            progress(place / len(queries), "")
        offered = candidates if settings.include_self else candidates[candidates != query]
        values = judged_pairs(study, relevance, np.full(len(offered), query, np.int32), offered, settings)
        order = np.argsort(-values, kind="stable")
        n = min(depth, len(order))
        if whole_ties and 0 < n < len(order):
            n = int(np.count_nonzero(values >= values[order[n - 1]]))
        lists.append((offered[order[:n]], values[order[:n]]))
    return (
        starts_of([len(found) for found, _ in lists]),
        np.concatenate([np.empty(0, np.int32), *(found for found, _ in lists)]),
        np.concatenate([np.empty(0), *(values for _, values in lists)]),
    )


def best_judged(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` highest grades among the candidates, filled up with 0; NaN as in `judged_pairs`."""
    judged, best = judged_of(study), np.zeros((len(queries), depth))
    for place, query in enumerate(queries.tolist()):
        row = slice(judged.indptr[query], judged.indptr[query + 1])
        offered = np.isin(judged.candidates[row], candidates)
        offered &= settings.include_self | (judged.candidates[row] != query)
        found = np.sort(judged.values[row][offered])[::-1][:depth]
        best[place, : len(found)] = found
    best[~asked_with_judgment(study, relevance, queries)] = np.nan
    if progress is not None:
        progress(1.0, "")
    return best
