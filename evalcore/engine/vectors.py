"""Rankings by the cosine of embeddings: float32 products propose, exact float64 sums decide.

A matrix product's last bits depend on block shapes and threads, so it only narrows the candidates down;
every score that leaves this file is one float64 sum in a fixed order, the same for a pair wherever and
in whichever company it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.engine import loops
from evalcore.engine.blocks import cores, over_cores, slices
from evalcore.ranking.order import ranked_order

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.engine.blocks import Progress
    from evalcore.model import Bools, Embeddings, Floats, Ints, Offsets

_PAIRS_PER_BLOCK = 1 << 18
_PRODUCTS_PER_BLOCK = 1 << 24
"""float32 products held at a time (64 MB)."""


def squares_of(embeddings: Embeddings) -> Floats:
    """Squared length of each vector, shape (vectors,); 0 means that it points nowhere."""
    squares: Floats = loops.vectors().squares(embeddings.vectors)
    return squares


def has_vector(embeddings: Embeddings, squares: Floats, images: Ints) -> Bools:
    """True for images that have a vector with a direction; the unknown image -1 has none."""
    rows = np.where(images < 0, -1, embeddings.rows[images])
    found: Bools = np.append(squares, 0.0)[rows] > 0
    return found


def cosine_of_pairs(embeddings: Embeddings, queries: Ints, candidates: Ints) -> Floats:
    """Cosines of m pairs: NaN where the query has no vector, 0 where only the candidate has none."""
    squares = squares_of(embeddings)
    asked = has_vector(embeddings, squares, queries)
    both = np.flatnonzero(asked & has_vector(embeddings, squares, candidates))
    found = np.where(asked, 0.0, np.nan)
    found[both] = _cosines(embeddings, squares, queries[both], candidates[both])
    return found


def rank_vectors(
    embeddings: Embeddings,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    include_self: bool,
    whole_ties: bool,
    tell: Progress | None = None,
) -> tuple[Offsets, Ints, Floats]:
    """Rankings of ``candidates`` with a vector for ``queries`` with one: CSR in the order of the queries."""
    squares = squares_of(embeddings)
    candidates = candidates[has_vector(embeddings, squares, candidates)]
    units = _units(embeddings, squares, candidates)
    sought = min(max(depth + (not include_self), 1), len(candidates))
    parts: list[tuple[Offsets, Ints, Floats]] = []
    blocks = slices(len(queries), _PRODUCTS_PER_BLOCK // max(len(candidates), 1))
    for block in blocks:
        if tell is not None:
            tell(len(parts) / len(blocks), "")
        products = _units(embeddings, squares, queries[block]) @ units.T
        rows, columns = _promising(products, sought, margin=2 * (units.shape[1] + 4) * 2.0**-24)
        asked, offered = queries[block][rows], candidates[columns]
        if not include_self:
            rows, asked, offered = (column[asked != offered] for column in (rows, asked, offered))
        scores = _cosines(embeddings, squares, asked, offered)
        parts.append(
            _ranked(rows.astype(np.int32), offered, scores, len(products), depth, whole_ties=whole_ties)
        )
    lengths, ranking, scores = (np.concatenate(column) for column in zip(_NOTHING, *parts, strict=True))
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), ranking, scores


def best_of_vectors(
    embeddings: Embeddings, queries: Ints, candidates: Ints, *, depth: int, include_self: bool,
    tell: Progress | None = None,
) -> Floats:  # fmt: skip
    """The ``depth`` largest cosines per query, descending, filled up with 0; NaN rows where it has no vector.

    Candidates without a vector count as 0, which beats a negative cosine.
    """
    squares = squares_of(embeddings)
    asked = np.flatnonzero(has_vector(embeddings, squares, queries))
    without = int(np.count_nonzero(~has_vector(embeddings, squares, candidates)))
    indptr, _, scores = rank_vectors(
        embeddings, queries[asked], candidates, depth=depth, include_self=include_self, whole_ties=False,
        tell=tell,
    )  # fmt: skip
    lengths = np.diff(indptr)
    found = np.full((len(asked), depth), -np.inf)
    found[np.arange(depth) < lengths[:, np.newaxis]] = scores
    if without:
        zeros = np.zeros((len(asked), min(without, depth)))
        found = -np.sort(-np.hstack([found, zeros]), axis=1)[:, :depth]
    best = np.full((len(queries), depth), np.nan)
    best[asked] = np.where(np.isinf(found), 0.0, found)
    return best


_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float64))


def _promising(products: npt.NDArray[np.float32], sought: int, *, margin: float) -> tuple[Offsets, Offsets]:
    """(row, column) of all products that may belong to the ``sought`` best of their row.

    A product is at most half the ``margin`` wrong, so what is more than the margin below the best but
    ``sought`` - 1 cannot be among them.
    """
    n = products.shape[1]
    if sought >= n:
        return np.divmod(np.arange(products.size), max(n, 1))

    def chosen(part: slice) -> tuple[Offsets, Offsets]:
        block = products[part]
        least = np.partition(block, n - sought, axis=1)[:, n - sought] - np.float32(margin)
        rows, columns = np.nonzero(block >= least[:, np.newaxis])
        return rows + part.start, columns

    found = over_cores(chosen, slices(len(products), -(-len(products) // (4 * cores()))))
    rows, columns = (np.concatenate(column) for column in zip(*found, strict=True))
    return rows, columns


def _ranked(
    rows: Ints, candidates: Ints, scores: Floats, n: int, depth: int, *, whole_ties: bool
) -> tuple[Offsets, Ints, Floats]:
    """Of ``n`` lists the first ``depth`` places, or to the end of the last one's ties: lengths, columns."""
    order = ranked_order(rows, scores, candidates)
    rows, candidates, scores = rows[order], candidates[order], scores[order]
    starts = np.searchsorted(rows, np.arange(n + 1))
    kept = np.arange(len(rows)) - starts[rows] < depth
    if whole_ties and depth and len(rows):
        last = np.minimum(starts[:-1] + depth, starts[1:]) - 1
        kept |= scores >= scores[last][rows]
    return np.bincount(rows[kept], minlength=n), candidates[kept], scores[kept]


def _units(embeddings: Embeddings, squares: Floats, images: Ints) -> npt.NDArray[np.float32]:
    """The images' vectors at length 1, in float32."""
    units = np.empty((len(images), embeddings.vectors.shape[1]), np.float32)
    for part in slices(len(images), 4096):
        rows = embeddings.rows[images[part]]
        units[part] = embeddings.vectors[rows] / np.sqrt(squares[rows])[:, np.newaxis]
    return units


def _cosines(embeddings: Embeddings, squares: Floats, queries: Ints, candidates: Ints) -> Floats:
    """Cosines of pairs of images that have vectors."""
    left, right = embeddings.rows[queries], embeddings.rows[candidates]

    def found(part: slice) -> Floats:
        cosines: Floats = loops.vectors().cosines(embeddings.vectors, squares, left[part], right[part])
        return cosines

    return np.concatenate([np.empty(0), *over_cores(found, slices(len(left), _PAIRS_PER_BLOCK))])
