"""Rankings by the cosine of embeddings: float32 products propose, exact float64 sums decide.

A matrix product's last bits depend on block shapes and threads, so it only narrows the candidates down;
every score that leaves this file is one float64 sum in a fixed order, the same for a pair wherever and
in whichever company it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.engine import loops
from evalcore.engine.space import cores, neighbours_of, over_cores, slices
from evalcore.graph import Neighbours
from evalcore.relevance.registry import Relevance
from evalcore.values.arrays import Bools, Floats, Ints, Offsets, digest_of, indptr_of, readonly
from evalcore.values.concept_values import ConceptKinds
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Embeddings, Study
from evalcore.values.progress import Progress
from evalcore.values.settings import MAX_THRESHOLD, Direction, Settings
from evalcore.values.stores import Store

_PAIRS_PER_BLOCK = 1 << 18
_PRODUCTS_PER_BLOCK = 1 << 24
"""float32 products held at a time (64 MB)."""
_PIECE = 32
"""Products of a row that are looked at together."""
ROOM = 16 << 20
"""Bytes of squared lengths held ready: asked for by every block of queries of every system."""


_squares: Store[Floats] = Store(ROOM)
_directed: Store[Bools] = Store(ROOM)


def squares_of(embeddings: Embeddings) -> Floats:
    """Squared length of each vector, shape (vectors,); 0 means that it points nowhere. Kept by content."""
    return _squares.get_or_compute(
        embeddings.digest, lambda: readonly(loops.vectors().squares(embeddings.vectors))
    )


def has_vector(embeddings: Embeddings, images: Ints, rows: Ints | None = None) -> Bools:
    """True for images that have a vector with a direction; the unknown image -1 has none.

    ``rows``: of each image, where they are not those of candidates.
    """
    rows = embeddings.rows if rows is None else rows
    directed = _directed.get_or_compute(
        embeddings.digest, lambda: readonly(np.append(embeddings.vectors.any(axis=1), False))
    )
    result: Bools = directed[np.where(images < 0, -1, rows[images])]
    return result


def embeddings_of(study: Study, relevance: Relevance) -> Embeddings:
    """The embeddings that ``cosine:SYSTEM`` means."""
    return study.embeddings[str(relevance.system)]


def asked_with_vector(study: Study, relevance: Relevance, queries: Ints) -> Bools:
    """Which queries have a vector with a direction."""
    embeddings = embeddings_of(study, relevance)
    return has_vector(embeddings, queries, embeddings.of_queries)


def cosine_of_pairs(
    study: Study, relevance: Relevance, queries: Ints, candidates: Ints, _settings: Settings
) -> Floats:
    """Cosines of m pairs: NaN where the query has no vector, 0 where only the candidate has none."""
    embeddings = embeddings_of(study, relevance)
    squares = squares_of(embeddings)
    asked = has_vector(embeddings, queries, embeddings.of_queries)
    both = np.flatnonzero(asked & has_vector(embeddings, candidates))
    result = np.where(asked, 0.0, np.nan)
    result[both] = _cosines(embeddings, squares, queries[both], candidates[both])
    return result


def rank_vectors(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    whole_ties: bool,
    progress: Progress | None = None,
) -> tuple[Offsets, Ints, Floats]:
    """Rankings of ``candidates`` with a vector for ``queries`` with one: CSR in the order of the queries."""
    embeddings, include_self = embeddings_of(study, relevance), settings.include_self
    squares = squares_of(embeddings)
    candidates = candidates[has_vector(embeddings, candidates)]
    units = _units(embeddings, squares, embeddings.rows[candidates])
    places = np.full(len(embeddings.rows), -1, np.int32)
    if not include_self:
        places[candidates] = np.arange(len(candidates), dtype=np.int32)
    sought = min(max(depth + (not include_self), 1), len(candidates))
    margin, offered = 2 * (units.shape[1] + 4) * 2.0**-24, embeddings.rows[candidates]
    parts: list[tuple[Offsets, Ints, Floats]] = []
    blocks = slices(len(queries), _PRODUCTS_PER_BLOCK // max(len(candidates), 1))
    for block in blocks:
        if progress is not None:
            progress(len(parts) / len(blocks), "")
        asked = queries[block]
        products = _units(embeddings, squares, embeddings.of_queries[asked]) @ units.T
        parts += _nearest(
            products,
            embeddings,
            squares,
            (embeddings.of_queries[asked], offered, places[asked]),
            (depth, sought, margin, whole_ties),
        )
    lengths, columns, scores = (np.concatenate(column) for column in zip(_NOTHING, *parts, strict=True))
    return indptr_of(lengths), candidates[columns], scores


def best_of_vectors(
    study: Study,
    relevance: Relevance,
    queries: Ints,
    candidates: Ints,
    *,
    depth: int,
    settings: Settings,
    progress: Progress | None = None,
) -> Floats:
    """The ``depth`` largest cosines per query, shape (queries, depth).

    Descending, filled up with 0; NaN rows where the query has no vector. Candidates without a vector count
    as 0, which beats a negative cosine.
    """
    asked = np.flatnonzero(asked_with_vector(study, relevance, queries))
    without = int(np.count_nonzero(~has_vector(embeddings_of(study, relevance), candidates)))
    indptr, _, scores = rank_vectors(
        study,
        relevance,
        queries[asked],
        candidates,
        depth=depth,
        settings=settings,
        whole_ties=False,
        progress=progress,
    )
    lengths = np.diff(indptr)
    result = np.full((len(asked), depth), -np.inf)
    result[np.arange(depth) < lengths[:, np.newaxis]] = scores
    if without:
        zeros = np.zeros((len(asked), min(without, depth)))
        result = -np.sort(-np.hstack([result, zeros]), axis=1)[:, :depth]
    best = np.full((len(queries), depth), np.nan)
    best[asked] = np.where(np.isinf(result), 0.0, result)
    return best


_NOTHING = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float64))


def _nearest(
    products: npt.NDArray[np.float32],
    embeddings: Embeddings,
    squares: Floats,
    sides: tuple[Ints, Ints, Ints],
    wanted: tuple[int, int, float, bool],
) -> list[tuple[Offsets, Ints, Floats]]:
    """`loops_vectors.nearest` over the cores, in the order of the rows."""
    asked, offered, own = sides
    sought = wanted[1]

    def best(part: slice) -> tuple[Offsets, Ints, Floats]:
        result: tuple[Offsets, Ints, Floats] = loops.vectors().nearest(
            products[part],
            _bounds(products[part], sought),
            embeddings.vectors,
            squares,
            asked[part],
            offered,
            own[part],
            *wanted,
        )
        return result

    return over_cores(best, slices(len(products), -(-len(products) // (4 * cores()))))


def _bounds(products: npt.NDArray[np.float32], sought: int) -> npt.NDArray[np.float32]:
    """A value per row that at least ``sought`` products reach: as many pieces of the row have one.

    Looking at the largest of each piece is several times faster than at all products.
    """
    n = products.shape[1]
    pieces = n // _PIECE
    if not sought or pieces < 2 * sought:
        return np.full(len(products), -np.inf, np.float32)
    largest = products[:, : pieces * _PIECE].reshape(len(products), _PIECE, pieces).max(axis=1)
    bounds: npt.NDArray[np.float32] = np.partition(largest, pieces - sought, axis=1)[:, pieces - sought]
    return bounds


def _units(embeddings: Embeddings, squares: Floats, rows: Ints) -> npt.NDArray[np.float32]:
    """The vectors of these rows at length 1, in float32."""
    units = np.empty((len(rows), embeddings.vectors.shape[1]), np.float32)
    for part in slices(len(rows), 4096):
        some = rows[part]
        units[part] = embeddings.vectors[some] / np.sqrt(squares[some])[:, np.newaxis]
    return units


def _cosines(embeddings: Embeddings, squares: Floats, queries: Ints, candidates: Ints) -> Floats:
    """Cosines of pairs of images that have vectors."""
    left, right = embeddings.of_queries[queries], embeddings.rows[candidates]

    def found(part: slice) -> Floats:
        cosines: Floats = loops.vectors().cosines(embeddings.vectors, squares, left[part], right[part])
        return cosines

    return np.concatenate([np.empty(0), *over_cores(found, slices(len(left), _PAIRS_PER_BLOCK))])


# What a relevance depends on and nothing else: what the workers of a cluster get of a study.


@dataclass(frozen=True, slots=True)
class Held:
    """What a worker needs of a study."""

    concepts: ConceptSets
    neighbours: Neighbours
    embeddings: tuple[Embeddings, ...] = ()
    kinds: ConceptKinds | None = None

    @property
    def digest(self) -> str:
        vectors = (embedding.digest for embedding in self.embeddings)
        kinds = [] if self.kinds is None else [self.kinds.digest]
        return digest_of(self.concepts.digest, self.neighbours.digest, *vectors, *kinds)

    def study(self) -> Study:
        """A study of nothing else; the dictionary of neighbours stands in for the graph."""
        nothing: MappingProxyType[str, Any] = MappingProxyType({})
        nobody = np.empty(0, np.int32)
        return Study(
            "",
            "",
            None,
            self.concepts,
            None,
            nothing,
            None,
            None,
            nothing,
            MappingProxyType({embedding.system: embedding for embedding in self.embeddings}),
            None,
            nobody,
            nobody,
            (),
            Report(),
            self.digest,
            self.neighbours,
            kinds=self.kinds,
        )


def with_neighbours(study: Study, relevance: Relevance, settings: Sequence[Settings]) -> Held:
    """Concept sets, the neighbours as far as any of the settings reaches, and the kinds that weigh."""
    reach = max((setting.threshold for setting in settings), default=0)
    direction: Direction = settings[0].direction if settings else "undirected"
    near = neighbours_of(study, threshold=min(reach, MAX_THRESHOLD), direction=direction)
    return Held(study.concepts, near, kinds=study.kinds if relevance.weighting is not None else None)


def with_embeddings(study: Study, relevance: Relevance, _settings: Sequence[Settings]) -> Held:
    """Concept sets, and the vectors of the relevance's system."""
    near = neighbours_of(study, threshold=0, direction="undirected")
    return Held(study.concepts, near, (embeddings_of(study, relevance),))
