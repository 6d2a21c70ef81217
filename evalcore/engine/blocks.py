"""Relevances as tables of values, a block of queries against all candidates, and one top-k over such blocks.

Whatever a relevance is made of (concepts more or less alike, embeddings, judgments, a function of a user), a
`Kernel` gives its values for aligned pairs and for blocks; rankings and largest values follow from the
blocks alone. Only relevances that count concepts have a way of their own (see ``sets``): a dense block is
many times slower there.

A kind of relevance is a function here that makes its kernel, named in `KERNELS` by the ``family`` that its
relevances have in ``relevance.registry``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evalcore.engine import loops
from evalcore.engine.space import Space, cores, parallel_map, prepare, slices
from evalcore.ranking.lists import first_places
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.relevance.concept_vectors import vectors_of
from evalcore.relevance.custom import values_of_block, values_of_pairs
from evalcore.relevance.registry import Relevance
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, expand_ranges, indptr_of, readonly
from evalcore.values.model import Embeddings, Qrels, Study
from evalcore.values.plugins import functions
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.stores import Store

Lists = tuple[Offsets, Ints, Floats]
"""Ranked lists as CSR: where each begins, candidates, scores."""
Block = npt.NDArray[Any]
"""Values of n queries with m candidates, shape (n, m), float64; float32 where a kernel has a margin."""

PAIRS_PER_BLOCK = 1 << 18
"""Aligned pairs that one core works on at a time."""
CELLS_PER_BLOCK = 1 << 21
"""Values of a block, which one core works on at a time (16 MB)."""
PROPOSALS_PER_BLOCK = 1 << 23
"""The same of values that only propose (32 MB): products of large tables take less time for each value."""
PIECE = 32
"""Values of a row that are looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """The values of one relevance of a study.

    ``pairs``: of m aligned (queries, candidates), shape (m,); NaN where the query has no such relevance, 0
    where only the candidate has none. ``pool``: candidates as ``block`` takes them. ``block``: (queries,
    pool), every query having such a relevance, to values (n, m). Where ``exact`` is given these only propose:
    they are at most half of ``margin`` off, and ``exact`` gives the values of aligned pairs. ``defined``:
    which queries have such a relevance. ``ranked``: which candidates can stand in a list; None for all.
    ``set_of``: numbers of images, equal ones for equal values: those share the work. ``key``: all that a
    value depends on, so that equal keys mean equal values. ``prepare``: what takes long before the first
    value.
    """

    pairs: Callable[[Ints, Ints], Floats]
    block: Callable[[Ints, Any], Block]
    defined: Callable[[Ints], Bools]
    key: tuple[Hashable, ...]
    pool: Callable[[Ints], Any] = lambda candidates: candidates
    ranked: Callable[[Ints], Bools] | None = None
    set_of: Ints | None = None
    exact: Callable[[Ints, Ints], Floats] | None = None
    margin: float = 0.0
    prepare: Callable[[Progress], object] | None = None


def rank_blocks(
    kernel: Kernel,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    whole_ties: bool,
    progress: Progress = silent,
) -> Lists:
    """The best candidates of each query, by value descending and then index, in the order of the queries.

    ``candidates`` ascending and different, ``queries`` such as have this relevance. ``whole_ties``: a list
    goes on beyond ``depth`` to the end of the tie group that begins before it.
    """
    if kernel.prepare is not None:
        kernel.prepare(part_of(progress, 0, 10))
        progress = part_of(progress, 1, 10, share=9)
    if kernel.ranked is not None:
        candidates = candidates[kernel.ranked(candidates)]
    pool, sought = kernel.pool(candidates), max(depth + (not include_self), 1)

    def ranked(part: Offsets) -> Lists:
        some_queries = queries[part]
        values = kernel.block(some_queries, pool)
        rows, columns = _contenders(values, sought, kernel.margin, whole_ties=whole_ties)
        if not include_self:
            others = candidates[columns] != some_queries[rows]
            rows, columns = rows[others], columns[others]
        if kernel.exact is None:
            exact = values[rows, columns]
        else:
            exact = kernel.exact(some_queries[rows], candidates[columns])
        indptr = indptr_of(np.bincount(rows, minlength=len(part)))
        order = _best_first(indptr, exact)
        return first_places(indptr, candidates[columns[order]], exact[order], depth, whole_ties=whole_ties)

    order = np.arange(len(queries))
    if kernel.set_of is not None:
        order = np.argsort(kernel.set_of[queries], kind="stable")
    cells = CELLS_PER_BLOCK if kernel.exact is None else PROPOSALS_PER_BLOCK
    size = min(cells // max(len(candidates), 1), -(-len(queries) // (4 * cores())))
    blocks = slices(len(queries), size) or [slice(0, 0)]
    return joined(order, parallel_map(ranked, [order[block] for block in blocks], progress))


def best_of_blocks(
    kernel: Kernel,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    progress: Progress = silent,
) -> Floats:
    """The ``depth`` largest values of each query, shape (queries, depth).

    Descending, filled up with 0; NaN rows where the query has no such relevance. Candidates that cannot be
    ranked count as 0, which beats a negative value.
    """
    defined = np.flatnonzero(kernel.defined(queries))
    indptr, _, scores = rank_blocks(
        kernel,
        queries[defined],
        candidates,
        depth=depth,
        include_self=include_self,
        whole_ties=False,
        progress=progress,
    )
    rows = np.full((len(defined), depth), -np.inf)
    rows[np.arange(depth) < np.diff(indptr)[:, np.newaxis]] = scores
    unranked = 0 if kernel.ranked is None else int(np.count_nonzero(~kernel.ranked(candidates)))
    if unranked:
        zeros = np.zeros((len(defined), min(unranked, depth)))
        rows = -np.sort(-np.hstack([rows, zeros]), axis=1)[:, :depth]
    best = np.full((len(queries), depth), np.nan)
    best[defined] = np.where(np.isinf(rows), 0.0, rows)
    return best


def _contenders(values: Block, sought: int, margin: float, *, whole_ties: bool) -> tuple[Offsets, Offsets]:
    """Rows and columns of the values that can be among the ``sought`` largest of their row, or equal to the
    last of these; by row and column.

    By a bound that so many values of the row reach: as many pieces of it have one. Looking at the largest of
    each piece is several times faster than at all values.
    """
    n, m = values.shape
    pieces = m // PIECE
    if sought >= m or not n:
        return _cells(np.ones(values.shape, np.bool_))
    if pieces < 2 * sought:
        bounds = np.partition(values, m - sought, axis=1)[:, [m - sought]]
    else:
        largest = values[:, : pieces * PIECE].reshape(n, PIECE, pieces).max(axis=1)
        bounds = np.partition(largest, pieces - sought, axis=1)[:, [pieces - sought]]
    if margin or whole_ties:
        rows, columns = _cells(values >= bounds - np.asarray(margin, values.dtype))
        some = values[rows, columns]
        _, table = _padded(indptr_of(np.bincount(rows, minlength=n)), some)
        least = np.partition(table, table.shape[1] - sought, axis=1)[:, table.shape[1] - sought]
        near = some >= least[rows] - np.asarray(margin, values.dtype)
        return rows[near], columns[near]
    above, level = values > bounds, values == bounds
    missing = sought - np.count_nonzero(above, axis=1)
    short = np.flatnonzero(missing > 0)  # where values at the bound are needed: the first of them
    places = np.cumsum(level[short], axis=1, dtype=np.int32)
    above[short] |= level[short] & (places <= missing[short, np.newaxis])
    return _cells(above)


def _cells(chosen: Bools) -> tuple[Offsets, Offsets]:
    """Rows and columns of what is true (`numpy.nonzero` of a table takes several times as long)."""
    rows, columns = np.divmod(np.flatnonzero(chosen), max(chosen.shape[1], 1))
    return rows, columns


def _padded(indptr: Offsets, values: npt.NDArray[Any]) -> tuple[Bools, npt.NDArray[Any]]:
    """The rows of a CSR as a table filled up with -inf, and where it holds their values."""
    lengths = np.diff(indptr)
    inside = np.arange(int(lengths.max(initial=0))) < lengths[:, np.newaxis]
    table = np.full(inside.shape, -np.inf, values.dtype)
    table[inside] = values
    return inside, table


def _best_first(indptr: Offsets, values: Floats) -> Offsets:
    """The order of the entries of a CSR by which each row begins with its largest value; equal ones stay."""
    inside, table = _padded(indptr, values)
    order: Offsets = (indptr[:-1, np.newaxis] + np.argsort(-table, axis=1, kind="stable"))[inside]
    return order


def exclude_self(best: Floats, own: Floats, has_own: Bools) -> Floats:
    """Descending rows (last axis) less their last value, or, where a row has its own value in it, less that.

    Taking the own value out moves all that follow it one place up.
    """
    before = np.sum(best > own[..., np.newaxis], axis=-1, keepdims=True)
    moved = has_own[:, np.newaxis] & (np.arange(best.shape[-1] - 1) >= before)
    return np.where(moved, best[..., 1:], best[..., :-1])


def joined(order: Offsets, parts: list[Lists]) -> Lists:
    """The lists of all blocks as one CSR; list ``k`` of the blocks belongs to query ``order[k]``."""
    lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(part[0]) for part in parts)])
    place = np.argsort(order)
    rows = expand_ranges(indptr_of(lengths)[:-1][place], lengths[place])
    candidates = np.concatenate([np.empty(0, np.int32), *(part[1] for part in parts)])
    scores = np.concatenate([np.empty(0, np.float64), *(part[2] for part in parts)])
    return indptr_of(lengths[place]), candidates[rows], scores[rows]


# Concepts that are more or less alike (SET:CONCEPT): each two different sets are compared once.

_NUMBERS = {name: number for number, name in enumerate(SET_MEASURES)}


def _concepts(study: Study, relevance: Relevance) -> Kernel:
    number, concept = _NUMBERS[relevance.kind], str(relevance.concept)
    space = prepare(study, threshold=0)

    def table(progress: Progress = silent) -> Floats:
        return concept_table(study, concept, progress=progress).values

    def pairs(queries: Ints, candidates: Ints) -> Floats:
        left, right, similar = space.set_of[queries], space.set_of[candidates], table()

        def compare(part: slice) -> Floats:
            values: Floats = loops.semantic().of_pairs(
                number, similar, space.sets.indptr, space.sets.indices, left[part], right[part]
            )
            return values

        return _undefined_as_nan(space, queries, _by_parts(compare, len(left), PAIRS_PER_BLOCK // 4))

    def compare(left: Ints, right: Ints, _queries: Ints, _candidates: Ints) -> Floats:
        values: Floats = loops.semantic().of_all(
            number, table(), space.sets.indptr, space.sets.indices, left, right
        )
        return values

    return _of_sets(space, pairs, compare, (relevance, space.key), table)


def _concepts_by_vectors(study: Study, relevance: Relevance) -> Kernel:
    vectors = vectors_of(study, str(relevance.concept))
    return replace(_concepts(study, relevance), key=(relevance, vectors.digest, study.concepts.digest))


# A function that a user registered, of two concept sets or of blocks of them. Images with equal concepts
# share one set, and it is called once for each two different sets of a block, never with an empty one.

_SETS_AT_ONCE = 16
"""Query sets of pairs that one call of a function of blocks is given, with all candidates of any of them."""


def _custom(study: Study, relevance: Relevance) -> Kernel:
    plugin, space = functions["relevance"][relevance.kind], prepare(study, threshold=0)
    words = study.concepts.vocabulary
    lengths = np.diff(space.sets.indptr)

    def name(query: int, candidate: int) -> str:
        return f"query {study.image_ids[query]} and candidate {study.image_ids[candidate]}"

    def concepts(numbers: Ints) -> dict[int, frozenset[str]]:
        rows = {
            k: space.sets.indices[space.sets.indptr[k] : space.sets.indptr[k + 1]] for k in numbers.tolist()
        }
        return {k: frozenset(words[concept] for concept in row.tolist()) for k, row in rows.items()}

    def matrix(numbers: Ints) -> sparse.csr_array:
        columns = space.sets.indices[expand_ranges(space.sets.indptr[numbers], lengths[numbers])]
        shape = (len(numbers), len(words))
        return sparse.csr_array((np.ones(len(columns)), columns, indptr_of(lengths[numbers])), shape=shape)

    def one_by_one(left: Ints, right: Ints, queries: Ints, candidates: Ints) -> Floats:
        a, b = concepts(np.unique(left)), concepts(np.unique(right))
        sets = ((a[i], b[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True))
        return values_of_pairs(plugin, sets, lambda place: name(queries[place], candidates[place]))

    def compare(left: Ints, right: Ints, queries: Ints, candidates: Ints) -> Floats:
        values = np.zeros((len(left), len(right)))
        rows, columns = np.flatnonzero(lengths[left]), np.flatnonzero(lengths[right])
        if not len(rows) or not len(columns):
            return values
        some_queries, offered = queries[rows], candidates[columns]
        if plugin.block:
            result = values_of_block(
                plugin,
                matrix(left[rows]),
                matrix(right[columns]),
                words,
                lambda row, column: name(some_queries[row], offered[column]),
            )
        else:
            n, m = len(rows), len(columns)
            sets = np.repeat(left[rows], m), np.tile(right[columns], n)
            result = one_by_one(*sets, np.repeat(some_queries, m), np.tile(offered, n)).reshape(n, m)
        values[np.ix_(rows, columns)] = result
        return values

    def pairs(queries: Ints, candidates: Ints) -> Floats:
        values, sides = np.zeros(len(queries)), (space.set_of[queries], space.set_of[candidates])
        filled = np.flatnonzero((lengths[sides[0]] > 0) & (lengths[sides[1]] > 0))
        numbers = sides[0][filled].astype(np.int64) * len(lengths) + sides[1][filled]
        different, first, back = np.unique(numbers, return_index=True, return_inverse=True)
        left, right = np.divmod(different, len(lengths))
        work = partial(_pairs_by_blocks, compare) if plugin.block else one_by_one
        values[filled] = work(left, right, queries[filled[first]], candidates[filled[first]])[back]
        return _undefined_as_nan(space, queries, values)

    key = (relevance, plugin, study.concepts.digest)
    return _of_sets(space, pairs, compare, key)


Compare = Callable[[Ints, Ints, Ints, Ints], Floats]
"""Values of n sets with m sets, given by number, each with an image that has it: shape (n, m)."""


def _pairs_by_blocks(compare: Compare, left: Ints, right: Ints, queries: Ints, candidates: Ints) -> Floats:
    """Values of different pairs of sets, ascending by the first, from blocks of a few of these."""
    result, starts = np.zeros(len(left)), np.flatnonzero(np.diff(left, prepend=-1))
    for some in slices(len(starts), _SETS_AT_ONCE):
        part = slice(starts[some.start], starts[some.stop] if some.stop < len(starts) else len(left))
        rows, at_row, row = np.unique(left[part], return_index=True, return_inverse=True)
        columns, at_column, column = np.unique(right[part], return_index=True, return_inverse=True)
        values = compare(rows, columns, queries[part][at_row], candidates[part][at_column])
        result[part] = values[row, column]
    return result


def _of_sets(
    space: Space,
    pairs: Callable[[Ints, Ints], Floats],
    compare: Compare,
    key: tuple[Hashable, ...],
    prepare: Callable[[Progress], object] | None = None,
) -> Kernel:
    """A kernel that compares different concept sets, and gives their values to all images that have them."""

    def pool(candidates: Ints) -> tuple[Ints, Ints, Offsets]:
        numbers, first, places = np.unique(space.set_of[candidates], return_index=True, return_inverse=True)
        return numbers, candidates[first], places.astype(np.int64)

    def block(queries: Ints, pool: tuple[Ints, Ints, Offsets]) -> Floats:
        numbers, images, places = pool
        left, first, row = np.unique(space.set_of[queries], return_index=True, return_inverse=True)
        values: Floats = compare(left, numbers, queries[first], images)[np.ix_(row, places)]
        return values

    return Kernel(
        pairs=pairs,
        pool=pool,
        block=block,
        defined=lambda queries: space.annotated[queries],
        set_of=space.set_of,
        key=key,
        prepare=prepare,
    )


def _undefined_as_nan(space: Space, queries: Ints, values: Floats) -> Floats:
    """Values of pairs, NaN where the query is not annotated."""
    return np.where(space.annotated[queries], values, np.nan)


def _by_parts(work: Callable[[slice], Floats], n: int, size: int) -> Floats:
    """The values that ``work`` gives for slices of n pairs, over the cores."""
    return np.concatenate([np.empty(0), *parallel_map(work, slices(n, size))])


# The cosine of embeddings. A matrix product's last bits depend on block shapes and threads, so float32
# products only propose; every value that leaves is one float64 sum in a fixed order, the same for a pair
# wherever and in whichever company it is asked for.

ROOM = 16 << 20
"""Bytes of squared lengths held ready: asked for by every block of queries of every system."""
_squares: Store[Floats] = Store(ROOM)
_directed: Store[tuple[Bools, ...]] = Store(ROOM)


def _squared_lengths(embeddings: Embeddings) -> Floats:
    """Squared length of each vector, shape (vectors,)."""
    return _squares.get_or_compute(
        embeddings.digest, lambda: readonly(loops.vectors().squares(embeddings.vectors))
    )


def _vectors(study: Study, relevance: Relevance) -> Kernel:
    embeddings = study.embeddings[str(relevance.system)]
    vectors, query_rows = embeddings.vectors, embeddings.query_rows
    # Queries and candidates that have a vector with a direction, by image; the unknown image -1 has none.
    asking, offered = _directed.get_or_compute(
        embeddings.digest,
        lambda: tuple(
            readonly(np.append(np.append(vectors.any(axis=1), False)[rows], False))
            for rows in (query_rows, embeddings.rows)
        ),
    )

    def units(rows: Ints) -> npt.NDArray[np.float32]:
        """The vectors of these rows at length 1."""
        unit, squares = np.empty((len(rows), vectors.shape[1]), np.float32), _squared_lengths(embeddings)
        for part in slices(len(rows), 4096):
            unit[part] = vectors[rows[part]] / np.sqrt(squares[rows[part]])[:, np.newaxis]
        return unit

    def exact(queries: Ints, candidates: Ints) -> Floats:
        """Of images that have a vector."""
        left, right, squares = query_rows[queries], embeddings.rows[candidates], _squared_lengths(embeddings)

        def cosines(part: slice) -> Floats:
            values: Floats = loops.vectors().cosines(vectors, squares, left[part], right[part])
            return values

        return _by_parts(cosines, len(left), PAIRS_PER_BLOCK)

    def pairs(queries: Ints, candidates: Ints) -> Floats:
        defined = asking[queries]
        both = np.flatnonzero(defined & offered[candidates])
        result = np.where(defined, 0.0, np.nan)
        result[both] = exact(queries[both], candidates[both])
        return result

    return Kernel(
        pairs=pairs,
        pool=lambda candidates: units(embeddings.rows[candidates]),
        block=lambda queries, pool: units(query_rows[queries]) @ pool.T,
        defined=lambda queries: asking[queries],
        ranked=lambda candidates: offered[candidates],
        exact=exact,
        margin=2 * (vectors.shape[1] + 4) * 2.0**-24,
        key=(embeddings.digest,),
    )


# What readers or others judged: a sparse table. A result nobody judged is worth 0.


def _judged(study: Study, relevance: Relevance) -> Kernel:
    judged: Qrels | None = study.judged_by(str(relevance))
    assert judged is not None, "metrics were checked against the study"
    grades = judged.values.clip(min=0)
    graded = judged.graded > 0

    def pairs(queries: Ints, candidates: Ints) -> Floats:
        values = np.append(grades, 0.0)[judged.places(queries, candidates)]
        return np.where(graded[queries], values, np.nan)

    def pool(candidates: Ints) -> tuple[Offsets, int]:
        """The place of every image among the candidates, -1 for others."""
        places = np.full(len(judged.indptr) - 1, -1)
        places[candidates] = np.arange(len(candidates))
        return places, len(candidates)

    def block(queries: Ints, pool: tuple[Offsets, int]) -> Floats:
        places, n = pool
        lengths = np.diff(judged.indptr)[queries]
        entries = expand_ranges(judged.indptr[queries], lengths)
        columns, rows = places[judged.candidates[entries]], np.repeat(np.arange(len(queries)), lengths)
        values = np.zeros((len(queries), n))
        offered = columns >= 0
        values[rows[offered], columns[offered]] = grades[entries[offered]]
        return values

    return Kernel(
        pairs=pairs, pool=pool, block=block, defined=lambda queries: graded[queries], key=(judged.digest,)
    )


KERNELS: Mapping[str, Callable[[Study, Relevance], Kernel]] = MappingProxyType(
    {
        "taxonomy": _concepts,
        "vectors": _concepts_by_vectors,
        "embedding": _vectors,
        "judged": _judged,
        "custom": _custom,
    }
)
"""What makes the kernel of a relevance of a study, by the family of the relevance."""
