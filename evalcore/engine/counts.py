"""Relevance of given pairs: small integers first, any weighting of them after."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from evalcore.engine.loops import counting, selecting
from evalcore.engine.space import Space, over_cores, prepare, slices
from evalcore.relevance.neighbour import alpha_fraction
from evalcore.relevance.registry import RELEVANCE, Relevance, parse_relevance
from evalcore.relevance.weighting import COUNTED_ONCE
from evalcore.values.arrays import Floats, Ints, readonly
from evalcore.values.errors import SettingError
from evalcore.values.model import RelevanceCounts, Study
from evalcore.values.settings import CountRule, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.engine.loops_counting import Pool, Sets, Tally

_COUNTS_PAIRS_PER_BLOCK = 1 << 18
_RULES = get_args(CountRule)


class Formula(NamedTuple):
    """How a relevance follows from counts: whose formula, its integer weights, and what counts as near.

    ``measure`` is a key of ``RELEVANCE``; one that counts neighbours is weighed, the others give a formula.
    ``weights`` of a neighbour match and of a shared concept.
    """

    measure: str
    weights: tuple[int, int]
    rule: int
    threshold: int


def formula_of(relevance: Relevance, settings: Settings) -> Formula:
    """The formula of a set relevance under these settings: equal ones give equal values.

    IoU is the case of nn-IoU that finds no neighbours, whatever alpha and count rule.
    """
    if RELEVANCE[relevance.kind].overlap is not None:
        return Formula(relevance.kind, (0, 1), 0, 0)
    if settings.threshold == 0:
        return Formula("iou", (0, 1), 0, 0)
    rule = _RULES.index(settings.count_rule)
    v, q = alpha_fraction(settings.alpha).as_integer_ratio()
    weighting = relevance.weighting
    if weighting is not None and not weighting.equal and settings.count_rule in COUNTED_ONCE:
        q *= 2
    return Formula(relevance.kind, (v, q), rule, settings.threshold)


def space_of(study: Study, relevance: Relevance, settings: Settings) -> Space:
    """The space a set relevance needs: without neighbours unless it looks at them."""
    threshold = formula_of(relevance, settings).threshold
    direction = settings.direction if threshold else "undirected"
    return prepare(study, threshold=threshold, direction=direction, weighting=relevance.weighting)


def sets_of(space: Space) -> Sets:
    """A space as the loops take it."""
    near = space.neighbours
    sets: Sets = counting().Sets(
        space.indptr, space.indices, near.indptr, near.indices, near.distances, space.room
    )
    return sets


def tally_with(pool: Pool, space: Space, *, rule: int, threshold: int) -> Callable[[Ints], Tally]:
    """A function that counts different sets, by their numbers, with every set of the pool.

    The memory of a thread's tally serves its next one (fresh memory costs as much as the counting), so a
    tally is good until the thread asks for another.
    """
    held, sets = local(), sets_of(space)

    def tally(different: Ints) -> Tally:
        spent = getattr(held, "last", None) or counting().no_tally(space.sizes.dtype)
        held.last = counting().tally(
            sets, space.weights, space.sizes, pool, different, rule, threshold, spent
        )
        last: Tally = held.last
        return last

    return tally


def pair_counts(
    space: Space, queries: Ints, candidates: Ints, *, rule: CountRule, threshold: int
) -> RelevanceCounts:
    """Overlap, neighbour matches and set sizes of m pairs of images; sums of weights in a weighed space.

    Parameters
    ----------
    queries, candidates
        Image indices, aligned, shape (m,), in any order; pairs of one query next to each other are
        fastest. The unknown image -1 counts like an image without concepts: everything is 0.
    rule
        How neighbour matches are counted (see ``relevance.neighbour``).
    threshold
        Largest distance of neighbours; at most the one the space was prepared for, else SettingError.
    """
    if not 0 <= threshold <= space.threshold:
        raise SettingError("threshold", f"an integer from 0 to {space.threshold} here", threshold)
    return counts_of(space, queries, candidates, rule=_RULES.index(rule), threshold=threshold)


def counts_of(space: Space, queries: Ints, candidates: Ints, *, rule: int, threshold: int) -> RelevanceCounts:
    """`pair_counts` with the rule as the loops number it."""
    left, right, sets = space.set_of[queries], space.set_of[candidates], sets_of(space)

    def counted(part: slice) -> tuple[Ints, Ints]:
        queries, candidates = left[part], right[part]
        overlaps, nears = np.zeros((2, len(queries)), space.sizes.dtype)
        counting().count_pairs(
            sets, space.weights, None, queries, candidates, rule, threshold, overlaps, nears
        )
        return overlaps, nears

    parts = over_cores(counted, slices(len(left), _COUNTS_PAIRS_PER_BLOCK) or [slice(0, 0)])
    overlap, near = (np.concatenate(column) for column in zip(*parts, strict=True))
    sizes = readonly(space.sizes[left]), readonly(space.sizes[right])
    return RelevanceCounts(readonly(overlap), readonly(near), *sizes)


def values_of(counts: RelevanceCounts, relevance: str, settings: Settings) -> Floats:
    """The values of a set relevance for counted pairs, shape (m,): any alpha and form without counting again.

    Pairs of two empty sets have the value 0. Equal relevances are equal floats (see ``relevance.neighbour``).
    """
    return values_by(formula_of(parse_relevance(relevance), settings), counts)


def values_by(formula: Formula, counts: RelevanceCounts) -> Floats:
    """The values of a formula for counted pairs."""
    sizes = counts.query_size, counts.candidate_size
    overlap = RELEVANCE[formula.measure].overlap
    if overlap is not None:
        return overlap.of_counts(counts.overlap, *sizes)
    values: Floats = selecting().values(formula.weights, counts.overlap, counts.neighbours, *sizes)
    return values


def scores_of(tally: Tally, formula: Formula, query_sizes: Ints) -> Floats:
    """The value of each different result of a tally, aligned with its results; 0 for the unrelated."""
    overlap = RELEVANCE[formula.measure].overlap
    if overlap is None:
        scores: Floats = selecting().score(tally, formula.weights, query_sizes)
        return scores
    n = int(tally.firsts[-1])
    return overlap.of_counts(
        tally.overlaps[:n], np.repeat(query_sizes, np.diff(tally.firsts)), tally.sizes[:n]
    )


def relevance_of_sets(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, settings: Settings
) -> Floats:
    """Values of a set relevance for m pairs; NaN where the query is not annotated."""
    space, formula = space_of(study, relevance, settings), formula_of(relevance, settings)
    counts = counts_of(space, queries, candidates, rule=formula.rule, threshold=formula.threshold)
    values = values_by(formula, counts)
    values[~space.annotated[queries]] = np.nan
    return values


# What concepts of each kind add to the relevance of given pairs: the parts sum to the value.

_PAIRS_PER_BLOCK = 1 << 16


def adds_of_pairs(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    codes: Ints,
    n_codes: int,
    settings: Settings,
) -> Floats:
    """What the concepts of each code add to the value of m pairs, shape (m, n_codes).

    ``codes`` of the vocabulary's concepts, 0 to n_codes - 1. A concept of both images adds its share of what
    they have in common; a neighbour match counts for the concept that is matched, and one that is counted
    once for two concepts half for each. All 0 where the value is 0 or undefined.
    """
    space, formula = space_of(study, relevance, settings), formula_of(relevance, settings)
    left, right, sets = space.set_of[queries], space.set_of[candidates], sets_of(space)
    heavy = np.ones(len(codes), np.int64) if space.weights is None else space.weights
    kinds = codes.astype(np.int32)

    def weighed(part: slice) -> Floats:
        queries, candidates = left[part], right[part]
        shared, near = np.zeros((2, len(queries), n_codes), np.int64)
        counting().count_pairs(
            sets, heavy, kinds, queries, candidates, formula.rule, formula.threshold, shared, near
        )
        return _adds(shared, near, space.sizes[left[part]], space.sizes[right[part]])

    def _adds(shared: Any, near: Any, a: Ints, b: Ints) -> Floats:
        whole = shared.sum(axis=1)
        overlap = RELEVANCE[formula.measure].overlap
        if overlap is not None:
            value = np.divide(
                overlap.of_counts(whole, a, b), whole, out=np.zeros(len(whole)), where=whole > 0
            )
            result: Floats = shared * value[:, np.newaxis]
            return result
        v, q = alpha_fraction(settings.alpha).as_integer_ratio()
        once = 2 if settings.count_rule in COUNTED_ONCE else 1
        union = np.maximum(a + b - whole, 1)[:, np.newaxis]
        parts: Floats = (once * q * shared + v * near) / (once * q * union)
        return parts

    parts = over_cores(weighed, slices(len(left), _PAIRS_PER_BLOCK) or [slice(0, 0)])
    adds: Floats = np.concatenate(parts)
    adds[~space.annotated[queries]] = 0.0
    return adds
