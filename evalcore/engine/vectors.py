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

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.engine.blocks import Progress
    from evalcore.model import Bools, Embeddings, Floats, Ints, Offsets

_PAIRS_PER_BLOCK = 1 << 18
_PRODUCTS_PER_BLOCK = 1 << 24
"""float32 products held at a time (64 MB)."""
_PIECE = 32
"""Products of a row that are looked at together."""


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
    places = np.full(len(embeddings.rows), -1, np.int32)
    if not include_self:
        places[candidates] = np.arange(len(candidates), dtype=np.int32)
    sought = min(max(depth + (not include_self), 1), len(candidates))
    margin, offered = 2 * (units.shape[1] + 4) * 2.0**-24, embeddings.rows[candidates]
    parts: list[tuple[Offsets, Ints, Floats]] = []
    blocks = slices(len(queries), _PRODUCTS_PER_BLOCK // max(len(candidates), 1))
    for block in blocks:
        if tell is not None:
            tell(len(parts) / len(blocks), "")
        asked = queries[block]
        products = _units(embeddings, squares, asked) @ units.T
        parts += _nearest(
            products, embeddings, squares, (embeddings.rows[asked], offered, places[asked]),
            (depth, sought, margin, whole_ties),
        )  # fmt: skip
    lengths, columns, scores = (np.concatenate(column) for column in zip(_NOTHING, *parts, strict=True))
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), candidates[columns], scores


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


def _nearest(
    products: npt.NDArray[np.float32], embeddings: Embeddings, squares: Floats,
    sides: tuple[Ints, Ints, Ints], wanted: tuple[int, int, float, bool],
) -> list[tuple[Offsets, Ints, Floats]]:  # fmt: skip
    """`loops_vectors.nearest` over the cores, in the order of the rows."""
    asked, offered, own = sides
    sought = wanted[1]

    def best(part: slice) -> tuple[Offsets, Ints, Floats]:
        found: tuple[Offsets, Ints, Floats] = loops.vectors().nearest(
            products[part], _bounds(products[part], sought), embeddings.vectors, squares,
            asked[part], offered, own[part], *wanted,
        )  # fmt: skip
        return found

    return over_cores(best, slices(len(products), -(-len(products) // (4 * cores()))))


def _bounds(products: npt.NDArray[np.float32], sought: int) -> npt.NDArray[np.float32]:
    """A value per row that at least ``sought`` products reach: as many pieces of the row have one.

    Looking at the largest of each piece is several times faster than at all products.
    """
    n = products.shape[1]
    pieces = n // _PIECE
    if pieces < 2 * sought:
        return np.full(len(products), -np.inf, np.float32)
    largest = products[:, : pieces * _PIECE].reshape(len(products), _PIECE, pieces).max(axis=1)
    bounds: npt.NDArray[np.float32] = np.partition(largest, pieces - sought, axis=1)[:, pieces - sought]
    return bounds


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
