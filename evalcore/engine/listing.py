"""Rankings of all candidates by a set relevance, and the largest values a ranking could collect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.engine.counts import Formula, counts_of, formula_of, scores_of, space_of, tally_with, values_by
from evalcore.engine.loops import counting, selecting
from evalcore.engine.space import over_cores, slices
from evalcore.values.arrays import expand_ranges, indptr_of
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.engine.loops_counting import Pool, Tally
    from evalcore.engine.space import Space
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Bools, Floats, Ints, Offsets
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

    Lists = tuple[Offsets, Ints, Floats]
    """Ranked lists as CSR: offsets, candidates, scores."""
    Weigh = Callable[[Ints], tuple[Tally, list[Floats]]]
    """What query sets, by number, have in common with those of the pool, and its values, in some ways."""

_PLACES_PER_BLOCK = 1 << 20
"""Related candidates and places of rankings that one thread holds at a time (some 20 MB at most)."""
_QUERIES_PER_BLOCK = 64
"""Few, so that the memory of one block serves the next: fresh memory costs as much as the counting."""


def rank_sets(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Sequence[Settings],
    whole_ties: bool,
    progress: Progress | None = None,
) -> list[Lists]:
    """Rankings of ``candidates`` (ascending, different), in the order of ``queries``, under each setting.

    What differs in weights only is counted once, what has the same formula is weighed once.
    """
    together = _counted_together(study, relevance, settings)
    result: dict[int, Lists] = {}
    for place, ((space, _, _, include_self), weighed) in enumerate(together.items()):
        pool = pool_of(space, candidates)
        lists = ranked_by(
            _weighing(pool, space, list(weighed)),
            space,
            pool,
            queries,
            candidates,
            depth=depth,
            include_self=include_self,
            whole_ties=whole_ties,
            progress=part_of(progress, place, len(together)),
        )
        result |= {at: of for of, places in zip(lists, weighed.values(), strict=True) for at in places}
    return [result[place] for place in range(len(settings))]


def _counted_together(
    study: Study, relevance: Relevance, settings: Sequence[Settings]
) -> dict[tuple[Space, int, int, bool], dict[Formula, list[int]]]:
    """What one count of all pairs serves (space, rule, threshold, include_self), with the formulas that weigh
    it and the places of the settings that have each."""
    together: dict[tuple[Space, int, int, bool], dict[Formula, list[int]]] = {}
    for place, setting in enumerate(settings):
        formula = formula_of(relevance, setting)
        key = (space_of(study, relevance, setting), formula.rule, formula.threshold, setting.include_self)
        together.setdefault(key, {}).setdefault(formula, []).append(place)
    return together


def _weighing(pool: Pool, space: Space, formulas: Sequence[Formula]) -> Weigh:
    """Counts of query sets with all sets of the pool, by formulas that differ in their weights only."""
    _, _, rule, threshold = formulas[0]
    count = tally_with(pool, space, rule=rule, threshold=threshold)

    def weigh(different: Ints) -> tuple[Tally, list[Floats]]:
        tally = count(different)
        return tally, [scores_of(tally, formula, space.sizes[different]) for formula in formulas]

    return weigh


def ranked_by(
    weigh: Weigh,
    space: Space,
    pool: Pool,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    whole_ties: bool,
    progress: Progress | None,
) -> list[Lists]:
    """Rankings of the pool's ``candidates`` by each of the values that ``weigh`` gives."""
    sought = depth + (not include_self)
    width = len(candidates) if whole_ties else min(sought, len(candidates))

    def ranked(part: Offsets) -> list[Lists]:
        different, row = np.unique(space.set_of[queries[part]], return_inverse=True)
        tally, ways = weigh(different)
        return [
            listed(part, row, *selecting().best_candidates(tally, way, pool, sought, width)) for way in ways
        ]

    def listed(part: Offsets, row: Offsets, ranking: Ints, scores: Floats, filled: Offsets) -> Lists:
        kept = np.arange(width) < filled[row, np.newaxis]
        if not include_self:
            kept &= ranking[row] != queries[part, np.newaxis]
        kept = _first_places(kept, scores[row], depth, whole_ties=whole_ties)
        return indptr_of(kept.sum(axis=1)), ranking[row][kept], scores[row][kept]

    order, parts = query_blocks(space, queries, max(width, len(pool.numbers)))
    by_part = over_cores(ranked, parts, progress)
    return [joined(order, [*of_way]) for of_way in zip(*by_part, strict=True)]


def best_of_sets(
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

    Descending, filled up with 0; NaN where the query is not annotated. What differs in weights only is
    counted once, what has the same formula (every alpha at threshold 0) is weighed once.
    """
    together = _counted_together(study, relevance, settings)
    best = np.empty((len(settings), len(queries), depth), np.float64)
    for place, ((space, _, _, include_self), weighed) in enumerate(together.items()):
        result = _best(
            space,
            list(weighed),
            queries,
            candidates,
            depth=depth,
            include_self=include_self,
            progress=part_of(progress, place, len(together)),
        )
        for values, rows in zip(result, weighed.values(), strict=True):
            best[rows] = values
    best[:, ~study.concepts.annotated[queries]] = np.nan
    return best


def _best(
    space: Space,
    formulas: Sequence[Formula],
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    progress: Progress | None,
) -> Floats:
    """The ``depth`` largest values under formulas that differ in their weights only."""
    pool, (_, _, rule, threshold) = pool_of(space, candidates), formulas[0]
    weigh = _weighing(pool, space, formulas)
    asks_for_itself = np.isin(queries, candidates) & (not include_self)
    counts = counts_of(space, queries, queries, rule=rule, threshold=threshold)
    own = np.array([values_by(formula, counts) for formula in formulas])
    best = np.empty((len(formulas), len(queries), depth), np.float64)

    def fill(part: Offsets) -> None:
        different, row = np.unique(space.set_of[queries[part]], return_inverse=True)
        tally, ways = weigh(different)
        result = np.stack([selecting().best_values(tally, values, depth + 1) for values in ways])
        best[:, part] = without_own(result[:, row], own[:, part], asks_for_itself[part])

    _, parts = query_blocks(space, queries, max(len(formulas) * depth, len(pool.numbers)))
    over_cores(fill, parts, progress)
    return best


def without_own(best: Floats, own: Floats, asks_for_itself: Bools) -> Floats:
    """Descending rows (last axis) less their last value, or, where a query asks for itself, less its own.

    Taking the own value out moves all that follow it one place up.
    """
    before = np.sum(best > own[..., np.newaxis], axis=-1, keepdims=True)
    moved = asks_for_itself[:, np.newaxis] & (np.arange(best.shape[-1] - 1) >= before)
    return np.where(moved, best[..., 1:], best[..., :-1])


def pool_of(space: Space, candidates: Ints) -> Pool:
    """The candidates as the loops take them, with the inverted index of their sets."""
    numbers, places, amounts = np.unique(space.set_of[candidates], return_inverse=True, return_counts=True)
    n_concepts = len(space.neighbours.indptr) - 1
    sizes = np.diff(space.indptr)[numbers]
    concepts = space.indices[expand_ranges(space.indptr[numbers], sizes)]
    by_concept = np.argsort(concepts, kind="stable")
    holders = np.repeat(np.arange(len(numbers), dtype=np.int32), sizes)[by_concept]
    holder_indptr = indptr_of(np.bincount(concepts, minlength=n_concepts))
    members = np.argsort(places, kind="stable").astype(np.int32)
    member_indptr = indptr_of(amounts)
    pool: Pool = counting().Pool(
        numbers, amounts, candidates, places.astype(np.int32), member_indptr, members, holder_indptr, holders
    )
    return pool


def query_blocks(space: Space, queries: Ints, places: int) -> tuple[Offsets, list[Offsets]]:
    """Positions in ``queries``, those with equal concepts together, whole and cut into blocks."""
    order = np.argsort(space.set_of[queries], kind="stable")
    size = min(_QUERIES_PER_BLOCK, _PLACES_PER_BLOCK // max(places, 1))
    return order, [order[part] for part in slices(len(queries), size) or [slice(0, 0)]]


def _first_places(kept: Bools, scores: Floats, depth: int, *, whole_ties: bool) -> Bools:
    """Of the kept places of each row the first ``depth``, or all that are no worse than the last of these."""
    first: Bools = kept & (np.cumsum(kept, axis=1) <= depth)
    if not whole_ties:
        return first
    worst = np.min(scores, axis=1, where=first, initial=np.inf)
    whole: Bools = kept & (scores >= worst[:, np.newaxis])
    return whole


def joined(order: Offsets, parts: list[Lists]) -> Lists:
    """The lists of all blocks as one CSR; list ``k`` of the blocks belongs to query ``order[k]``."""
    lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(part[0]) for part in parts)])
    place = np.argsort(order)
    rows = expand_ranges(indptr_of(lengths)[:-1][place], lengths[place])
    candidates = np.concatenate([np.empty(0, np.int32), *(part[1] for part in parts)])
    scores = np.concatenate([np.empty(0, np.float64), *(part[2] for part in parts)])
    return indptr_of(lengths[place]), candidates[rows], scores[rows]
