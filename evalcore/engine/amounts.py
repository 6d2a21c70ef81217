"""IoU of concepts with amounts: pairs, rankings and ideals.

Images with equal concepts in equal amounts share one set. A query set meets all others by an inverted index
that holds amounts; selecting and ties are those of the other relevances.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.engine.loops import amounts as loops
from evalcore.engine.semantic import best_by_values, rank_by_values
from evalcore.engine.space import Space, different_rows
from evalcore.graph import neighbours
from evalcore.relevance.amounts import whole_amounts
from evalcore.values.arrays import frozen, runs_of, starts_of
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.engine.listing import Lists
    from evalcore.engine.loops_counting import Pool
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

ROOM = 64 << 20


class Measured(NamedTuple):
    """The different sets, whose ``sizes`` are sums of amounts, and the ``amounts`` of their concepts."""

    space: Space
    amounts: Offsets


_kept: Store[Measured] = Store(ROOM)
forget = _kept.forget


def relevance_of_amounts(
    study: Study, _relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Values for m pairs of images; NaN where the query is not annotated, 0 where a set is empty."""
    of = _measured(study)
    values = _of_pairs(of, queries, candidates)
    values[~of.space.annotated[queries]] = np.nan
    return values


def rank_amounts(
    study: Study,
    _relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    whole_ties: bool,
    progress: Progress | None = None,
) -> Lists:
    """Rankings of ``candidates`` (ascending, different), in the order of ``queries``."""
    of = _measured(study)
    return rank_by_values(
        of.space,
        _with_all(of, candidates),
        queries,
        candidates,
        depth=depth,
        include_self=settings.include_self,
        whole_ties=whole_ties,
        progress=progress,
    )


def best_of_amounts(
    study: Study,
    relevance: Relevance,  # noqa: ARG001
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` largest values per query under each of the settings: (settings, queries, depth)."""
    of = _measured(study)
    return best_by_values(
        study,
        of.space,
        _with_all(of, candidates),
        _of_pairs(of, queries, queries),
        queries,
        candidates,
        depth=depth,
        settings=settings,
        progress=progress,
    )


def _measured(study: Study) -> Measured:
    whole = whole_amounts(study)
    return _kept.get_or_compute(study.concepts.digest, lambda: _different(study, whole))


def _different(study: Study, whole: Offsets) -> Measured:
    concepts = study.concepts
    entries = np.empty(len(whole), [("concept", np.int32), ("amount", np.int64)])
    entries["concept"], entries["amount"] = concepts.indices, whole
    set_of, indptr, different = different_rows(concepts.indptr, entries)
    indices, amounts = (frozen(np.ascontiguousarray(different[name])) for name in entries.dtype.names or ())
    near = neighbours(None, concepts.vocabulary, threshold=0)
    sizes = frozen(np.diff(starts_of(amounts)[indptr]))
    space = Space(set_of, indptr, indices, sizes, concepts.annotated, near, 0, "undirected", 1)
    return Measured(space, amounts)


def adds_by_amount(study: Study, queries: Ints, candidates: Ints, codes: Ints, n_codes: int) -> Floats:
    """What the concepts of each code add to the value of m pairs, shape (m, n_codes).

    As `counts.adds_of_pairs`: the parts sum to the value; all 0 where it is 0 or undefined.
    """
    of = _measured(study)
    shared, most = _shared(of, queries, candidates, codes.astype(np.int32), n_codes)
    shared[~of.space.annotated[queries]] = 0
    adds: Floats = shared / most[:, np.newaxis]
    return adds


def _of_pairs(of: Measured, queries: Ints, candidates: Ints) -> Floats:
    alike = np.zeros(len(of.space.neighbours.vocabulary), np.int32)
    shared, most = _shared(of, queries, candidates, alike, 1)
    values: Floats = shared[:, 0] / most
    return values


def _shared(
    of: Measured, queries: Ints, candidates: Ints, codes: Ints, n_codes: int
) -> tuple[Offsets, Offsets]:
    """The smaller amounts of m pairs by codes of concepts, (m, n_codes), and the sums of the larger ones."""
    left, right = of.space.set_of[queries], of.space.set_of[candidates]
    shared = np.zeros((len(left), n_codes), np.int64)
    loops().shared_by_pairs(of.space.indptr, of.space.indices, of.amounts, codes, left, right, shared)
    most = of.space.sizes[left] + of.space.sizes[right] - shared.sum(axis=1)
    return shared, np.maximum(most, 1)


def _with_all(of: Measured, candidates: Ints) -> partial[Floats]:
    """Compare query sets with all sets of the pool of these candidates: `semantic.Compare`."""
    space = of.space
    numbers = np.unique(space.set_of[candidates])
    entries = runs_of(space.indptr[numbers], np.diff(space.indptr)[numbers])
    by_concept = np.argsort(space.indices[entries], kind="stable")  # the order of the pool's holders
    return partial(_compare, of, of.amounts[entries][by_concept])


def _compare(of: Measured, held: Offsets, different: Ints, pool: Pool) -> Floats:
    """The values of query sets, by number, with all sets of the pool; ``held``: amounts of its holders."""
    space = of.space
    n = len(pool.numbers)
    shared, values = np.zeros(n, np.int64), np.zeros((len(different), 1 + n))
    loops().values_with_all(
        space.indptr,
        space.indices,
        of.amounts,
        space.sizes,
        different,
        pool.numbers,
        pool.holder_indptr,
        pool.holders,
        held,
        shared,
        values,
    )
    return values.reshape(-1)
