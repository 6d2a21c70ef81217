"""Relevance by how alike concepts are (SET:CONCEPT): pairs, rankings and ideals, each set compared once.

The table of concept similarities is made once for a study; pairs of different concept sets are then
compared block by block, over the cores. Selecting and ties are those of the other set relevances.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evalcore.engine.listing import pool_of, query_blocks, ranked_by, without_own
from evalcore.engine.loops import counting, selecting, semantic
from evalcore.engine.space import over_cores, prepare, slices
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.values.arrays import indptr_of
from evalcore.values.errors import InputError
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.engine.listing import Lists
    from evalcore.engine.loops_counting import Pool, Tally
    from evalcore.engine.space import Space
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Judged, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

    Compare = Callable[[Ints, Pool], Floats]
    """Values of n query sets, by number, with the m sets of a pool: shape (n * (m + 1),), 0 before each m."""

_PAIRS_PER_BLOCK = 1 << 16
_NUMBERS = {name: number for number, name in enumerate(SET_MEASURES)}


def relevance_of_concepts(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Values for m pairs of images; NaN where the query is not annotated, 0 where a set is empty."""
    space, table = prepare(study, threshold=0), _table(study, relevance, None)
    values = _of_pairs(relevance, space, table, space.set_of[queries], space.set_of[candidates])
    values[~space.annotated[queries]] = np.nan
    return values


def rank_concepts(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    whole_ties: bool,
    progress: Progress | None = None,
) -> Lists:
    """Rankings of ``candidates`` (ascending, different), in the order of ``queries``."""
    making, comparing = _shares(progress)
    space, table = prepare(study, threshold=0), _table(study, relevance, making)
    return rank_by_values(
        space,
        partial(_with_all, relevance, space, table),
        queries,
        candidates,
        depth=depth,
        include_self=settings.include_self,
        whole_ties=whole_ties,
        progress=comparing,
    )


def best_of_concepts(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` largest values per query under each of the settings: (settings, queries, depth).

    Descending, filled up with 0; NaN where the query is not annotated. Sets are compared once for all.
    """
    making, comparing = _shares(progress)
    space, table = prepare(study, threshold=0), _table(study, relevance, making)
    own = _of_pairs(relevance, space, table, space.set_of[queries], space.set_of[queries])
    return best_by_values(
        study,
        space,
        partial(_with_all, relevance, space, table),
        own,
        queries,
        candidates,
        depth=depth,
        settings=settings,
        progress=comparing,
    )


# What is selected by any table of values: of the sets of queries, by number, with those of the pool.


def rank_by_values(
    space: Space,
    values: Compare,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    whole_ties: bool,
    progress: Progress | None,
) -> Lists:
    """Rankings of ``candidates`` by the values of each query set with all sets of the pool."""
    pool = pool_of(space, candidates)

    def weigh(different: Ints) -> tuple[Tally, list[Floats]]:
        tally, scores = _tally(values(different, pool), pool, depth + (not include_self))
        return tally, [scores]

    (lists,) = ranked_by(
        weigh,
        space,
        pool,
        queries,
        candidates,
        depth=depth,
        include_self=include_self,
        whole_ties=whole_ties,
        progress=progress,
    )
    return lists


def best_by_values(
    study: Study,
    space: Space,
    values: Compare,
    own: Floats,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None,
) -> Floats:
    """`best_of_concepts` by such values; ``own``: those of the queries with themselves."""
    pool, sets = pool_of(space, candidates), space.set_of[queries]
    asks_for_itself = np.array(
        [np.isin(queries, candidates) & (not setting.include_self) for setting in settings]
    )
    best = np.empty((len(settings), len(queries), depth), np.float64)

    def fill(part: Offsets) -> None:
        different, row = np.unique(sets[part], return_inverse=True)
        tally, scores = _tally(values(different, pool), pool, depth + 1)
        result = selecting().best_values(tally, scores, depth + 1)[row]
        for place, asking in enumerate(asks_for_itself):
            best[place, part] = without_own(result, own[part], asking[part])

    over_cores(fill, query_blocks(space, queries, max(depth, len(pool.numbers)))[1], progress)
    best[:, ~study.concepts.annotated[queries]] = np.nan
    return best


def _table(study: Study, relevance: Relevance, progress: Progress | None) -> Floats:
    """How alike any two concepts of the study are."""
    return concept_table(study, str(relevance.concept), progress=progress).values


def _shares(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Progress of making the table, a tenth of the work, and of comparing sets."""
    return part_of(progress, 0, 10), part_of(progress, 1, 10, share=9)


def _of_pairs(relevance: Relevance, space: Space, table: Floats, left: Ints, right: Ints) -> Floats:
    """Values of pairs of sets, given by number."""
    number = _NUMBERS[relevance.kind]

    def found(part: slice) -> Floats:
        values: Floats = semantic().of_pairs(
            number, table, space.indptr, space.indices, left[part], right[part]
        )
        return values

    return np.concatenate([np.empty(0), *over_cores(found, slices(len(left), _PAIRS_PER_BLOCK))])


def _with_all(relevance: Relevance, space: Space, table: Floats, queries: Ints, pool: Pool) -> Floats:
    """Every query set compared with all sets of the pool: `Compare`."""
    values: Floats = semantic().of_all(
        _NUMBERS[relevance.kind], table, space.indptr, space.indices, queries, pool.numbers
    )
    return values.reshape(-1)


def _tally(values: Floats, pool: Pool, sought: int) -> tuple[Tally, Floats]:
    """Every place that can be among the first ``sought`` as a result of its own, and the results' values.

    ``values``: of n query sets with the pool, none negative (see `Compare`). Result number 0 is that of all
    other places: a value of 0, or one that is not reached.
    """
    table = values.reshape(-1, len(pool.numbers) + 1)
    least = np.nextafter(0.0, 1.0)
    if sought < len(pool.numbers):
        at = len(pool.numbers) - max(sought, 1)
        least = np.maximum(least, np.partition(table[:, 1:], at, axis=1)[:, [at]])
    kept = table >= least
    kept[:, 0] = False
    rows, columns = np.nonzero(kept)
    starts = indptr_of(kept.sum(axis=1))
    firsts = starts + np.arange(len(table) + 1)
    numbers = np.arange(1, len(rows) + 1) - starts[rows]
    results = firsts[rows] + numbers
    scores, amounts = np.zeros(firsts[-1]), np.zeros(firsts[-1], np.int32)
    scores[results], amounts[results] = table[rows, columns], pool.amounts[columns - 1]
    amounts[firsts[:-1]] = len(pool.images) - np.bincount(rows, pool.amounts[columns - 1], len(table))
    nothing = np.empty(0, np.int32)
    tally: Tally = counting().Tally(
        starts=starts,
        places=(columns - 1).astype(np.int32),
        numbers=numbers.astype(np.int32),
        firsts=firsts,
        overlaps=nothing,
        nears=nothing,
        sizes=nothing,
        amounts=amounts,
    )
    return tally, scores


# What readers or others judged as a relevance: a sparse table, looked up. A result nobody judged is worth 0.

NO_JUDGMENTS = (
    "No results of this study have been judged, so judgments cannot be the relevance. Judge some on the page "
    "Review, or select another measure, such as nnCUI@10. Answers to tasks that ask only what decides do not "
    "count here."
)


def judged_of(study: Study, relevance: Relevance) -> Judged:
    """The judgments that a relevance is; InputError where the study has none."""
    judged = study.judged_by(str(relevance))
    if judged is None:
        raise InputError(NO_JUDGMENTS)
    return judged


def asked_with_judgment(study: Study, relevance: Relevance, queries: Ints) -> Bools:
    """Which queries have a judged result."""
    judged: Bools = judged_of(study, relevance).graded[queries] > 0
    return judged


def judged_pairs(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Grades of m pairs: NaN where nothing of the query was judged, 0 where only this pair was not."""
    judged = judged_of(study, relevance)
    places = judged.places(queries, candidates)
    values = np.append(judged.values.clip(min=0), 0.0)[places]
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
        indptr_of([len(candidates) for candidates, _ in lists]),
        np.concatenate([np.empty(0, np.int32), *(candidates for candidates, _ in lists)]),
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
    judged, best = judged_of(study, relevance), np.zeros((len(queries), depth))
    for place, query in enumerate(queries.tolist()):
        row = slice(judged.indptr[query], judged.indptr[query + 1])
        offered = np.isin(judged.candidates[row], candidates)
        offered &= settings.include_self | (judged.candidates[row] != query)
        result = np.sort(judged.values[row][offered].clip(min=0))[::-1][:depth]
        best[place, : len(result)] = result
    best[~asked_with_judgment(study, relevance, queries)] = np.nan
    if progress is not None:
        progress(1.0, "")
    return best
