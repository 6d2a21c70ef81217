"""What concepts of each kind add to the relevance of given pairs: the parts sum to the value."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalcore.engine.counts import formula_of, sets_of, space_of
from evalcore.engine.loops import counting
from evalcore.engine.space import over_cores, slices
from evalcore.relevance.neighbour import weights
from evalcore.relevance.registry import RELEVANCE, Relevance
from evalcore.relevance.weighting import COUNTED_ONCE
from evalcore.values.arrays import Floats, Ints
from evalcore.values.model import Study
from evalcore.values.settings import Settings

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
            one = np.divide(overlap.of_counts(whole, a, b), whole, out=np.zeros(len(whole)), where=whole > 0)
            found: Floats = shared * one[:, np.newaxis]
            return found
        w, v, q = weights(settings.alpha, settings.form)
        once = 2 if settings.count_rule in COUNTED_ONCE else 1
        union = np.maximum(a + b - whole, 1)[:, np.newaxis]
        parts: Floats = (once * w * shared + v * near) / (once * q * union)
        return parts

    parts = over_cores(weighed, slices(len(left), _PAIRS_PER_BLOCK) or [slice(0, 0)])
    adds: Floats = np.concatenate(parts)
    adds[~space.annotated[queries]] = 0.0
    return adds
