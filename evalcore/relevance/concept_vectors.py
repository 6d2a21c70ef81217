"""How alike two concepts are by vectors of a study: ``vectors-NAME`` beside the similarities by its graph.

Vectors learnt from texts, or from a graph, say which concepts are used alike. That is *relatedness*: kidney
and dialysis are related, and not similar.

========= ================================================================ ======================
cosine    max(0, u·v / (‖u‖ ‖v‖))
euclidean 1 / (1 + d),  d = ‖u - v‖
poincare  1 / (1 + d),  d = arcosh(1 + 2 ‖u - v‖² / ((1 - ‖u‖²)(1 - ‖v‖²))) Nickel & Kiela 2017
========= ================================================================ ======================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from evalcore.relevance.concept_measures import CONCEPT_MEASURES, ROWS, ConceptMeasure
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.concept_values import is_name
from evalcore.values.errors import UnknownName
from evalcore.values.portable_math import log

if TYPE_CHECKING:
    from evalcore.values.concept_values import ConceptVectors
    from evalcore.values.model import Study

PREFIX = "vectors-"
"""What the names of these similarities begin with; that of the vectors follows."""


def vectors_named(concept: str) -> str | None:
    """The name of the vectors that a concept similarity goes by; None for every other.

    >>> vectors_named("vectors-cui2vec"), vectors_named("path")
    ('cui2vec', None)
    """
    name = concept.removeprefix(PREFIX)
    return name if name != concept and is_name(name) else None


def concept_measure(concept: str) -> ConceptMeasure:
    """What is known about a concept similarity, one by vectors included; KeyError for none."""
    name = vectors_named(concept)
    if name is None:
        return CONCEPT_MEASURES[concept]
    words = ROWS["vectors"]
    named = {key: words[key].format(name=name) for key in ("title", "plain")}
    return ConceptMeasure(name=concept, **{**words, **named})


def vectors_of(study: Study, concept: str) -> ConceptVectors:
    """The vectors a similarity ``vectors-NAME`` goes by; UnknownName where the study has no such."""
    name = vectors_named(concept) or concept
    if name not in study.concept_vectors:
        hint = "Put vectors of concepts into concept_vectors/ of the study."
        raise UnknownName("vectors of concepts", name, study.concept_vectors, hint)
    return study.concept_vectors[name]


def pair_similarity(table: ConceptVectors, left: list[str], right: list[str]) -> Floats:
    """The similarity of m aligned pairs of concepts; NaN where one of the two has no vector."""
    rows = [np.array([table.row(concept) for concept in side], np.int64) for side in (left, right)]
    known = (rows[0] >= 0) & (rows[1] >= 0)
    values = np.full(len(left), np.nan)
    if known.any():
        u, v = (_ready(table, side[known]) for side in rows)
        values[known] = (
            _of_products(np.einsum("ij,ij->i", u, v))
            if table.metric == "cosine"
            else _of_squares(table, np.einsum("ij,ij->i", u - v, u - v), _norms(u), _norms(v))
        )
    return values


def similar_rows(table: ConceptVectors, rows: Offsets, block: int) -> Iterator[tuple[slice, Floats]]:
    """Blocks of the square table of some rows, with the columns from the first row of the block on.

    The part left of each block is that of an earlier one, mirrored: the table is symmetric to the last bit.
    """
    from scipy.spatial.distance import cdist

    ready = _ready(table, rows)
    norms = _norms(ready)
    for first in range(0, len(rows), block):
        here = slice(first, min(first + block, len(rows)))
        if table.metric == "cosine":
            yield here, _of_products(ready[here] @ ready[first:].T)
        else:
            squares = cdist(ready[here], ready[first:], "sqeuclidean")
            yield here, _of_squares(table, squares, norms[here, np.newaxis], norms[first:])


def _ready(table: ConceptVectors, rows: Offsets) -> Floats:
    """Vectors in float64; at length 1 for the cosine (divided by the largest entry first)."""
    vectors: Floats = table.vectors[rows].astype(np.float64)
    if table.metric == "cosine" and vectors.size:
        vectors /= np.abs(vectors).max(axis=1, keepdims=True)
        vectors /= np.sqrt(_norms(vectors))[:, np.newaxis]
    return vectors


def _norms(vectors: Floats) -> Floats:
    """Squared lengths."""
    norms: Floats = np.einsum("ij,ij->i", vectors, vectors)
    return norms


def _of_products(products: Floats) -> Floats:
    return np.clip(products, 0.0, 1.0)


def _of_squares(table: ConceptVectors, squares: Floats, a: Floats, b: Floats) -> Floats:
    """From squared distances and squared lengths."""
    if table.metric == "euclidean":
        return 1 / (1 + np.sqrt(squares))
    more = 2 * squares / ((1 - a) * (1 - b))  # arcosh(1 + more)
    distance: Floats = log(1 + more + np.sqrt(more * (more + 2)))
    return 1 / (1 + distance)
