"""Relevances that users registered: functions of two concept sets, or of blocks of sets.

Images with equal concepts share one set, and a function is called once for each two different sets of a
block of queries. A function of pairs costs a call of Python for each of these; one of blocks is called with
arrays. Both are called from one thread at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from evalcore.engine.semantic import best_by_values, rank_by_values
from evalcore.engine.space import prepare, slices
from evalcore.relevance.custom import plugin_of, values_of_block, values_of_pairs
from evalcore.values.arrays import expand_ranges, indptr_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from evalcore.engine.listing import Lists
    from evalcore.engine.loops_counting import Pool
    from evalcore.engine.space import Space
    from evalcore.relevance.registry import Relevance
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Study
    from evalcore.values.plugins import Plugin
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Settings

_LISTS_AT_ONCE = 16
"""Query sets whose results one call of a function of blocks is given, with all results of any of them."""


def relevance_of_custom(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Values for m pairs of images; NaN where the query is not annotated, 0 where a set is empty."""
    space, plugin = prepare(study, threshold=0), plugin_of(relevance.kind)
    values = _of_pairs(study, space, plugin, queries, candidates)
    values[~space.annotated[queries]] = np.nan
    return values


def rank_custom(
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
    space = prepare(study, threshold=0)
    return rank_by_values(
        space,
        partial(_with_all, study, space, plugin_of(relevance.kind), queries),
        queries,
        candidates,
        depth=depth,
        include_self=settings.include_self,
        whole_ties=whole_ties,
        progress=progress,
    )


def best_of_custom(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Sequence[Settings],
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` largest values per query under each of the settings: (settings, queries, depth)."""
    space, plugin = prepare(study, threshold=0), plugin_of(relevance.kind)
    return best_by_values(
        study,
        space,
        partial(_with_all, study, space, plugin, queries),
        _of_pairs(study, space, plugin, queries, queries),
        queries,
        candidates,
        depth=depth,
        settings=settings,
        progress=progress,
    )


def key_of_custom(study: Study, relevance: Relevance, settings: Settings) -> tuple[Hashable, ...]:
    """What a value depends on: the concepts, and this very version of the function."""
    plugin = plugin_of(relevance.kind)
    return relevance, plugin.digest, plugin.serial, study.concepts.digest, settings.include_self


def _of_pairs(study: Study, space: Space, plugin: Plugin, queries: Ints, candidates: Ints) -> Floats:
    """Values of aligned pairs of images; each two different sets are compared once."""
    values = np.zeros(len(queries))
    lengths, left, right = np.diff(space.indptr), space.set_of[queries], space.set_of[candidates]
    rows = np.flatnonzero((lengths[left] > 0) & (lengths[right] > 0))
    pairs, first, back = np.unique(
        np.stack([left[rows], right[rows]], axis=1), axis=0, return_index=True, return_inverse=True
    )
    images = queries[rows[first]], candidates[rows[first]]
    compare = _blocks_of_pairs if plugin.block else _one_by_one
    values[rows] = compare(study, space, plugin, pairs, images)[back.reshape(-1)]
    return values


def _one_by_one(study: Study, space: Space, plugin: Plugin, pairs: Ints, images: tuple[Ints, Ints]) -> Floats:
    sets = {number: _concepts(study, space, number) for number in np.unique(pairs).tolist()}
    given = ((sets[a], sets[b]) for a, b in pairs.tolist())
    return values_of_pairs(plugin, given, lambda place: _named(study, images[0][place], images[1][place]))


def _blocks_of_pairs(
    study: Study, space: Space, plugin: Plugin, pairs: Ints, images: tuple[Ints, Ints]
) -> Floats:
    """A few queries at a time, with all their candidates."""
    different, row = np.unique(pairs[:, 0], return_inverse=True)
    starts = np.append(np.searchsorted(row, np.arange(len(different))), len(pairs))
    result = np.zeros(len(pairs))
    for part in slices(len(different), _LISTS_AT_ONCE):
        inside = slice(starts[part.start], starts[part.stop])
        rights, column = np.unique(pairs[inside, 1], return_inverse=True)
        q = images[0][starts[part.start : part.stop]]
        _, at = np.unique(column, return_index=True)
        values = values_of_block(
            plugin,
            _matrix(study, space, different[part]),
            _matrix(study, space, rights),
            study.concepts.vocabulary,
            partial(_named_of, study, q, images[1][inside][at]),
        )
        result[inside] = values[row[inside] - part.start, column]
    return result


def _with_all(
    study: Study, space: Space, plugin: Plugin, queries: Ints, different: Ints, pool: Pool
) -> Floats:
    """Every query set compared with all sets of the pool: `semantic.Compare`."""
    values = np.zeros((len(different), len(pool.numbers) + 1))
    lengths = np.diff(space.indptr)
    rows = np.flatnonzero(lengths[different] > 0)
    columns = np.flatnonzero(lengths[pool.numbers] > 0)
    if not len(rows) or not len(columns):
        return values.reshape(-1)
    sets = space.set_of[queries]
    order = np.argsort(sets, kind="stable")
    left = queries[order[np.searchsorted(sets[order], different[rows])]]
    right = pool.images[pool.members[pool.member_indptr[columns]]]
    cells = np.ix_(rows, columns + 1)
    if plugin.block:
        values[cells] = values_of_block(
            plugin,
            _matrix(study, space, different[rows]),
            _matrix(study, space, pool.numbers[columns]),
            study.concepts.vocabulary,
            partial(_named_of, study, left, right),
        )
    else:
        pairs = np.stack(np.meshgrid(different[rows], pool.numbers[columns], indexing="ij"), axis=-1)
        images = np.repeat(left, len(columns)), np.tile(right, len(rows))
        result = _one_by_one(study, space, plugin, pairs.reshape(-1, 2), images)
        values[cells] = result.reshape(len(rows), len(columns))
    return values.reshape(-1)


def _concepts(study: Study, space: Space, number: int) -> frozenset[str]:
    """The concepts of a set."""
    inside = space.indices[space.indptr[number] : space.indptr[number + 1]]
    return frozenset(study.concepts.vocabulary[k] for k in inside.tolist())


def _matrix(study: Study, space: Space, numbers: Ints) -> sparse.csr_array:
    """Sets as rows of 0 and 1."""
    lengths = np.diff(space.indptr)[numbers]
    columns = space.indices[expand_ranges(space.indptr[numbers], lengths)]
    shape = (len(numbers), len(study.concepts.vocabulary))
    return sparse.csr_array((np.ones(len(columns)), columns, indptr_of(lengths)), shape=shape)


def _named(study: Study, query: int, candidate: int) -> str:
    """A pair of images in words."""
    return f"query {study.image_ids[query]} and candidate {study.image_ids[candidate]}"


def _named_of(study: Study, queries: Ints, candidates: Ints, row: int, column: int) -> str:
    return _named(study, queries[row], candidates[column])
