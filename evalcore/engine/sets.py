"""Relevances that count concepts: small integers first, any weighting of them after.

From the counts of a pair (shared concepts, neighbour matches, set sizes, or their sums of weights) every
alpha and form of IoU to nn-IoU follows without counting again. Rankings and largest values never hold a table
of all pairs: each different result of a query is weighed once (see ``loops_counting``).
"""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import numpy as np

from evalcore.engine.blocks import PAIRS_PER_BLOCK, Lists, exclude_self, joined
from evalcore.engine.loops import counting, selecting
from evalcore.engine.space import Space, parallel_map, prepare, slices
from evalcore.ranking.lists import first_places
from evalcore.relevance.neighbour import alpha_fraction
from evalcore.relevance.registry import RELEVANCE, Relevance
from evalcore.relevance.weighting import COUNTED_ONCE
from evalcore.values.arrays import Floats, Ints, Offsets, expand_ranges, indptr_of
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import CountRule, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.engine.loops_counting import CountTable, Pool

    Work = Callable[[Offsets, Any, CountTable, list[Floats]], Any]
    """What is made of some queries (positions), the row of each in a tally, and the values of its results."""

Result = TypeVar("Result")
_RULES = get_args(CountRule)
PLACES_PER_BLOCK = 1 << 20
"""Related candidates and places of rankings that one thread holds at a time (some 20 MB at most)."""
QUERIES_PER_BLOCK = 64
"""Few, so that the memory of one block serves the next: fresh memory costs as much as the counting."""


class Formula(NamedTuple):
    """How a relevance follows from counts: whose formula, its integer weights, and what counts as near.

    ``measure`` is a key of ``RELEVANCE``; one that counts neighbours is weighed, the others give a formula.
    ``weights`` of a neighbour match and of a shared concept.
    """

    measure: str
    weights: tuple[int, int]
    rule: int
    threshold: int

    def values(self, overlaps: Ints, nears: Ints, a: Ints, b: Ints) -> Floats:
        """The values of pairs by their counts, float64, shape (m,); ``a``, ``b``: sizes of the two sets.

        By nn-IoU a single correctly rounded quotient of integers (see ``relevance``); 0 for two empty sets.
        """
        overlap = RELEVANCE[self.measure].overlap
        if overlap is not None:
            return overlap.of_counts(overlaps, a, b)
        near, shared = map(np.int64, self.weights)
        union = a.astype(np.int64) + b - overlaps
        credit = shared * overlaps + near * nears
        values: Floats = np.divide(credit, shared * union, out=np.zeros(len(union)), where=union > 0)
        return values


def counted_by(study: Study, relevance: Relevance, settings: Settings) -> tuple[Formula, Space]:
    """The formula of a set relevance under these settings, and the space whose counts it takes.

    Equal formulas of equal spaces give equal values. IoU is the case of nn-IoU that finds no neighbours,
    whatever alpha and count rule.
    """
    kind, weighting = relevance.kind, relevance.weighting
    if RELEVANCE[kind].overlap is not None:
        return Formula(kind, (0, 1), 0, 0), prepare(study, threshold=0, weighting=weighting)
    if settings.threshold == 0:
        return Formula("iou", (0, 1), 0, 0), prepare(study, threshold=0, weighting=weighting)
    v, q = alpha_fraction(settings.alpha).as_integer_ratio()
    if weighting is not None and not weighting.equal and settings.count_rule in COUNTED_ONCE:
        q *= 2
    threshold, rule = settings.threshold, _RULES.index(settings.count_rule)
    space = prepare(study, threshold=threshold, direction=settings.direction, weighting=weighting)
    return Formula(kind, (v, q), rule, threshold), space


def counted_once(
    study: Study,
    relevance: Relevance,
    settings: Sequence[Settings],
    work: Callable[..., Sequence[Result]],
    progress: Progress = silent,
) -> list[Result]:
    """What ``work`` makes of a set relevance under each of the settings.

    It is called once for all that differ in weights only, with the space that is counted in, their formulas
    (every alpha at threshold 0 has the same one), ``include_self`` and ``progress``; it gives a result for
    each of the formulas.
    """
    together: dict[tuple[Space, int, int, bool], dict[Formula, list[int]]] = {}
    for place, setting in enumerate(settings):
        formula, space = counted_by(study, relevance, setting)
        key = (space, formula.rule, formula.threshold, setting.include_self)
        together.setdefault(key, {}).setdefault(formula, []).append(place)
    results: dict[int, Result] = {}
    for place, ((space, _, _, include_self), formulas) in enumerate(together.items()):
        share = part_of(progress, place, len(together))
        every = work(space, [*formulas], include_self=include_self, progress=share)
        for result, places in zip(every, formulas.values(), strict=True):
            results |= dict.fromkeys(places, result)
    return [results[place] for place in range(len(settings))]


# Given pairs.


def pairs_of_sets(space: Space, formulas: Sequence[Formula], queries: Ints, candidates: Ints) -> list[Floats]:
    """Values of m pairs by each formula; NaN where the query is not annotated.

    The unknown image -1 counts like an image without concepts; pairs of two empty sets have the value 0.
    Pairs of one query next to each other are fastest.
    """
    left, right, sets, weights = space.set_of[queries], space.set_of[candidates], space.sets, space.weights
    overlaps, nears = np.zeros((2, len(left)), space.sizes.dtype)
    (_, _, rule, threshold) = formulas[0]
    parallel_map(
        lambda part: counting().count_pairs(
            sets, weights, None, left[part], right[part], rule, threshold, overlaps[part], nears[part]
        ),
        slices(len(left), PAIRS_PER_BLOCK),
    )
    counts = overlaps, nears, space.sizes[left], space.sizes[right]
    return [np.where(space.annotated[queries], formula.values(*counts), np.nan) for formula in formulas]


def adds_of_pairs(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    codes: Ints,
    n_codes: int,
    settings: Settings,
) -> Floats:
    """What the concepts of each code add to the value of m pairs, shape (m, n_codes); the parts sum to it.

    ``codes`` of the vocabulary's concepts, 0 to n_codes - 1. A concept of both images adds its share of what
    they have in common; a neighbour match counts for the concept that is matched, and one that is counted
    once for two concepts half for each. All 0 where the value is 0 or undefined.
    """
    formula, space = counted_by(study, relevance, settings)
    left, right, sets = space.set_of[queries], space.set_of[candidates], space.sets
    heavy = np.ones(len(codes), np.int64) if space.weights is None else space.weights
    overlap, kinds = RELEVANCE[formula.measure].overlap, codes.astype(np.int32)

    def adds(part: slice) -> Floats:
        shared, near = np.zeros((2, len(left[part]), n_codes), np.int64)
        counting().count_pairs(
            sets, heavy, kinds, left[part], right[part], formula.rule, formula.threshold, shared, near
        )
        whole, a, b = shared.sum(axis=1), space.sizes[left[part]], space.sizes[right[part]]
        if overlap is not None:
            value = np.divide(
                overlap.of_counts(whole, a, b), whole, out=np.zeros(len(whole)), where=whole > 0
            )
            return np.asarray(shared * value[:, np.newaxis], np.float64)
        v, q = alpha_fraction(settings.alpha).as_integer_ratio()
        once = 2 if settings.count_rule in COUNTED_ONCE else 1
        union = np.maximum(a + b - whole, 1)[:, np.newaxis]
        return np.asarray((once * q * shared + v * near) / (once * q * union), np.float64)

    result = np.concatenate(parallel_map(adds, slices(len(left), PAIRS_PER_BLOCK // 4) or [slice(0, 0)]))
    result[~space.annotated[queries]] = 0.0
    return result


# All candidates.


def rank_sets(
    space: Space,
    formulas: Sequence[Formula],
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    whole_ties: bool,
    progress: Progress = silent,
) -> list[Lists]:
    """Rankings of ``candidates`` (ascending, different) by each formula, in the order of ``queries``."""
    pool, sought = _pool_of(space, candidates), depth + (not include_self)
    width = len(candidates) if whole_ties else min(sought, len(candidates))

    def listed(part: Offsets, row: Ints, tally: CountTable, ways: list[Floats]) -> list[Lists]:
        lists = []
        for values in ways:
            ranking, scores, filled = selecting().best_candidates(tally, values, pool, sought, width)
            kept = np.arange(width) < filled[row, np.newaxis]
            if not include_self:
                kept &= ranking[row] != queries[part, np.newaxis]
            rows = indptr_of(kept.sum(axis=1)), ranking[row][kept], scores[row][kept]
            lists.append(first_places(*rows, depth, whole_ties=whole_ties))
        return lists

    places = max(width, len(pool.numbers))
    order, blocks = _over_blocks(space, pool, formulas, queries, places, listed, progress)
    return [joined(order, [*lists]) for lists in zip(*blocks, strict=True)]


def best_of_sets(
    space: Space,
    formulas: Sequence[Formula],
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    progress: Progress = silent,
) -> Floats:
    """The ``depth`` largest values per query by each formula: (formulas, queries, depth).

    Descending, filled up with 0; NaN where the query is not annotated.
    """
    pool, best = _pool_of(space, candidates), np.empty((len(formulas), len(queries), depth), np.float64)
    own = np.array(pairs_of_sets(space, formulas, queries, queries))
    asks_for_itself = np.isin(queries, candidates) & (not include_self)

    def fill(part: Offsets, row: Ints, tally: CountTable, ways: list[Floats]) -> None:
        result = np.stack([selecting().best_values(tally, values, depth + 1) for values in ways])
        best[:, part] = exclude_self(result[:, row], own[:, part], asks_for_itself[part])

    places = max(len(formulas) * depth, len(pool.numbers))
    _over_blocks(space, pool, formulas, queries, places, fill, progress)
    best[:, ~space.annotated[queries]] = np.nan
    return best


def _over_blocks(
    space: Space,
    pool: Pool,
    formulas: Sequence[Formula],
    queries: Ints,
    places: int,
    work: Work,
    progress: Progress,
) -> tuple[Offsets, list[Any]]:
    """What ``work`` gives for blocks of the queries, equal concepts together; and the order they are in.

    ``formulas`` differ in their weights only; ``places``: how much a query takes. The memory of a thread's
    tally serves its next one.
    """
    (_, _, rule, threshold), sets, memory = formulas[0], space.sets, local()

    def weighed(part: Offsets) -> Any:
        different, row = np.unique(space.set_of[queries[part]], return_inverse=True)
        spent = getattr(memory, "tally", None) or counting().no_tally(space.sizes.dtype)
        memory.tally = tally = counting().tally(
            sets, space.weights, space.sizes, pool, different, rule, threshold, spent
        )
        n, sizes = int(tally.firsts[-1]), np.repeat(space.sizes[different], np.diff(tally.firsts))
        counts = tally.overlaps[:n], tally.nears[:n], sizes, tally.sizes[:n]
        return work(part, row, tally, [formula.values(*counts) for formula in formulas])

    order = np.argsort(space.set_of[queries], kind="stable")
    size = min(QUERIES_PER_BLOCK, PLACES_PER_BLOCK // max(places, 1))
    blocks = [order[part] for part in slices(len(queries), size) or [slice(0, 0)]]
    return order, parallel_map(weighed, blocks, progress)


def _pool_of(space: Space, candidates: Ints) -> Pool:
    """The candidates as the loops take them, with the inverted index of their sets."""
    numbers, places, amounts = np.unique(space.set_of[candidates], return_inverse=True, return_counts=True)
    sets = space.sets
    n_concepts, sizes = len(sets.near_indptr) - 1, np.diff(sets.indptr)[numbers]
    concepts = sets.indices[expand_ranges(sets.indptr[numbers], sizes)]
    by_concept = np.argsort(concepts, kind="stable")
    holders = np.repeat(np.arange(len(numbers), dtype=np.int32), sizes)[by_concept]
    holder_indptr = indptr_of(np.bincount(concepts, minlength=n_concepts))
    members = np.argsort(places, kind="stable").astype(np.int32)
    member_indptr = indptr_of(amounts)
    pool: Pool = counting().Pool(
        numbers, amounts, candidates, places.astype(np.int32), member_indptr, members, holder_indptr, holders
    )
    return pool
