"""Relevance of given pairs: small integers first, any weighting of them after."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from evalcore.engine.blocks import over_cores, slices
from evalcore.engine.space import Space, check_reach, prepare
from evalcore.model import Floats, Ints, RelevanceCounts, frozen
from evalcore.relevance.neighbour import weights
from evalcore.settings import CountRule, Settings

if TYPE_CHECKING:
    from types import ModuleType

    from evalcore.engine.kernels import Sets
    from evalcore.model import Study

_PAIRS_PER_BLOCK = 1 << 18
_RULES = get_args(CountRule)
_FORMULAS = {"nn-iou": 0, "iou": 0, "dice": 1, "cosine": 2, "overlap": 3}


class Formula(NamedTuple):
    """How a relevance follows from counts: which formula, its integer weights, and what counts as near."""

    number: int
    weights: tuple[int, int, int]
    rule: int
    threshold: int


def kernels() -> ModuleType:
    """The compiled loops, imported on first use: importing numba takes half a second."""
    from evalcore.engine import kernels as loops

    return loops


def formula_of(relevance: str, settings: Settings) -> Formula:
    """The formula of a set relevance under these settings; only nn-IoU looks at neighbours."""
    if relevance != "nn-iou":
        return Formula(_FORMULAS[relevance], (1, 0, 1), 0, 0)
    rule = _RULES.index(settings.count_rule)
    return Formula(_FORMULAS[relevance], weights(settings.alpha, settings.form), rule, settings.threshold)


def space_of(study: Study, relevance: str, settings: Settings) -> Space:
    """The space a set relevance needs: without neighbours unless it looks at them."""
    threshold = formula_of(relevance, settings).threshold
    return prepare(study, threshold=threshold, direction=settings.direction if threshold else "undirected")


def sets_of(space: Space) -> Sets:
    """A space as the kernels take it."""
    near = space.neighbours
    room = max(len(near.indptr) - 1, int(np.max(space.sizes)), space.most_links, 1)
    sets: Sets = kernels().Sets(space.indptr, space.indices, near.indptr, near.indices, near.distances, room)
    return sets


def pair_counts(
    space: Space, queries: Ints, candidates: Ints, *, rule: CountRule, threshold: int
) -> RelevanceCounts:
    """Overlap, neighbour matches and set sizes of m pairs of images.

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
    check_reach(space, threshold)
    left, right = space.set_of[queries], space.set_of[candidates]
    sets, number = sets_of(space), _RULES.index(rule)

    def counted(part: slice) -> tuple[Ints, Ints]:
        found: tuple[Ints, Ints] = kernels().count_pairs(sets, left[part], right[part], number, threshold)
        return found

    parts = over_cores(counted, slices(len(left), _PAIRS_PER_BLOCK) or [slice(0, 0)])
    overlap, near = (np.concatenate(column) for column in zip(*parts, strict=True))
    return RelevanceCounts(
        frozen(overlap), frozen(near), frozen(space.sizes[left]), frozen(space.sizes[right])
    )


def values_of(counts: RelevanceCounts, relevance: str, settings: Settings) -> Floats:
    """The values of a set relevance for counted pairs, shape (m,): any alpha and form without counting again.

    Pairs of two empty sets have the value 0. Equal relevances are equal floats (see ``relevance.neighbour``).
    """
    formula = formula_of(relevance, settings)
    found: Floats = kernels().values(
        formula.number,
        formula.weights,
        counts.overlap,
        counts.neighbours,
        counts.query_size,
        counts.candidate_size,
    )
    return found


def relevance_of_sets(
    study: Study, relevance: str, queries: Ints, candidates: Ints, settings: Settings
) -> Floats:
    """Values of a set relevance for m pairs; NaN where the query is not annotated."""
    space, threshold = space_of(study, relevance, settings), formula_of(relevance, settings).threshold
    counts = pair_counts(space, queries, candidates, rule=settings.count_rule, threshold=threshold)
    found = values_of(counts, relevance, settings)
    found[~space.annotated[queries]] = np.nan
    return found
