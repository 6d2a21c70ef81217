"""What the concepts of a study are to each other, and how heavy: computed once, over its vocabulary.

The similarities of any two of them are a square table. Every value is rounded to a multiple of 2^-38
(4e-12). Sums of some thousand of them are then exact in float64 whatever their order, so that equally
relevant images have equal relevances and ties are true ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evalcore.graph import ConceptGraph
from evalcore.graph.distances import FURTHEST, distance_table
from evalcore.graph.structure import nodes_of
from evalcore.graph.taxonomy import Lineage, Taxonomy, information, lineage_of, taxonomy_of
from evalcore.relevance import concept_similarity as formulas
from evalcore.relevance.concept_vectors import similar_rows, vectors_named, vectors_of
from evalcore.relevance.weighting import Weighting
from evalcore.values.arrays import Floats, Offsets, position, readonly
from evalcore.values.concept_values import ConceptVectors
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.stores import Store

Rows = Callable[[int, int], Floats]
"""Rows first to last - 1 of a table."""

ADD_GRAPH = "Add graph/edges.csv with lines such as: C0042449,C0005847"
GRAIN = 2.0**-38
"""All values are multiples of it."""
MOST_CONCEPTS = 16_384
"""A table of so many concepts takes 2 GB."""
ROWS = 512
"""Rows of a table that are worked on at a time."""
ROOM = 512 << 20
"""Bytes of tables (and of what they are made from) held ready; those asked for last stay."""


@dataclass(frozen=True, slots=True, eq=False)
class ConceptTable:
    """``values[i, j]`` is the similarity, 0 to 1, of two concepts of a vocabulary; symmetric.

    A concept not in the graph, or that has no vector, is similar 1 to itself and 0 to all others.
    """

    vocabulary: tuple[str, ...]
    values: Floats

    def similar(self, x: str, y: str) -> float:
        """s(x, y); concepts that are not in the vocabulary are like those the graph does not know."""
        i, j = position(self.vocabulary, x), position(self.vocabulary, y)
        return float(self.values[i, j]) if i >= 0 and j >= 0 else float(x == y)


_kept: Store[Any] = Store(ROOM)
forget = _kept.forget


def concept_table(study: Study, concept: str, *, progress: Progress = silent) -> ConceptTable:
    """The table of a concept similarity for a study: a key of ``concept_measures.CONCEPT_MEASURES``, or
    ``vectors-NAME``.

    Kept by content, the last ones of up to 512 MB.

    Parameters
    ----------
    progress
        Called with the share done and what is being done; raise in it to cancel.

    Raises
    ------
    InputError
        The study has no concept graph (only `cs1` and vectors need none), or more than `MOST_CONCEPTS`
        concepts.
    UnknownName
        The study has no vectors of that name.
    """
    concepts, graph, words = study.concepts, study.graph, study.concepts.vocabulary
    if len(words) > MOST_CONCEPTS:
        raise InputError(
            f"This study has {len(words):,} different concepts. Comparing each with each is possible for up "
            f"to {MOST_CONCEPTS:,}; choose iou or nn-iou, or a study of fewer images."
        )
    key: tuple[object, ...] = (concept, len(words))
    make: Callable[[], Floats] = lambda: readonly(np.eye(len(words)))  # noqa: E731
    if vectors_named(concept) is not None:
        vectors = vectors_of(study, concept)
        key = (concepts.digest, vectors.digest, "vectors")
        make = partial(by_vectors, vectors, words, progress=progress)
    elif concept != "cs1":
        if graph is None:
            raise InputError(f"{concept!r} compares concepts by a graph, which this study lacks. {ADD_GRAPH}")
        key = (concepts.digest, graph.digest, concept)
        make = partial(similarities, graph, concepts, concept, progress=progress)
    return ConceptTable(words, _kept.get_or_compute(key, make))


def in_grains(values: Floats) -> Floats:
    """Similarities as multiples of `GRAIN`, 0 to 1."""
    return np.clip(np.round(values / GRAIN) * GRAIN, 0.0, 1.0)


def similarities(
    graph: ConceptGraph, concepts: ConceptSets, concept: str, *, progress: Progress = silent
) -> Floats:
    """The table itself, shape (V, V), rounded to multiples of `GRAIN`; made some hundred rows at a time."""
    known, rows_of = rows_by_graph(graph, concepts, concept)
    table = np.eye(len(concepts.vocabulary))
    for first in range(0, len(known), ROWS):
        progress(first / len(known), "comparing the concepts with each other")
        last = min(first + ROWS, len(known))
        table[np.ix_(known[first:last], known)] = in_grains(rows_of(first, last))
    return readonly(table)


def by_vectors(vectors: ConceptVectors, vocabulary: Sequence[str], *, progress: Progress = silent) -> Floats:
    """The same by vectors of concepts."""
    rows = np.array([vectors.row(concept) for concept in vocabulary], np.int64)
    known = np.flatnonzero(rows >= 0)
    table = np.eye(len(vocabulary))
    for here, values in similar_rows(vectors, rows[known], ROWS):
        progress(here.start / len(known), "comparing the concepts with each other")
        rounded = in_grains(values)
        width = here.stop - here.start
        own = rounded[:, :width]
        rounded[:, :width] = np.maximum(own, own.T)
        rounded[np.arange(width), np.arange(width)] = 1.0
        table[np.ix_(known[here], known[here.start :])] = rounded
        table[np.ix_(known[here.start :], known[here])] = rounded.T
    return readonly(table)


def rows_by_graph(graph: ConceptGraph, concepts: ConceptSets, concept: str) -> tuple[Offsets, Rows]:
    """Which concepts of the vocabulary a graph knows, and their rows of similarities to each other."""
    if concept not in ("path", "leacock-chodorow"):
        return _by_ancestors(graph, concepts, concept)
    known = np.flatnonzero(nodes_of(graph, concepts.vocabulary) >= 0)
    words = [concepts.vocabulary[k] for k in known]
    depth = hierarchy_of(graph).max_depth if concept != "path" else 0

    def rows_of(first: int, last: int) -> Floats:
        links = distance_table(graph, words[first:last], words)
        far = np.where(links > FURTHEST, np.inf, links)
        if concept == "path":
            return formulas.path_similarity(far)
        return formulas.leacock_chodorow(far, depth)

    return known, rows_of


def _by_ancestors(graph: ConceptGraph, concepts: ConceptSets, concept: str) -> tuple[Offsets, Rows]:
    """Known concepts, and their rows of similarities by what they have above them in common."""
    from evalcore.graph import loops

    lineage, worth, highest = ancestry(graph, concepts, concept)
    above, own = (lineage.indptr, lineage.indices, lineage.steps), worth[lineage.own]

    def rows_of(first: int, last: int) -> Floats:
        common, steps = loops.best_common(*above, worth, first, last)
        if concept == "wu-palmer":
            return formulas.wu_palmer(common, steps)
        # Concepts of one class, the same or of one cycle, are taken as one.
        same = lineage.own[first:last, np.newaxis] == lineage.own
        similarity = formulas.BY_INFORMATION[concept.rpartition("-")[0]]
        values = similarity(own[first:last, np.newaxis], own, common, highest, same)
        # No image carries the concept, nor any below it: its information by the corpus would be infinite.
        return np.where(np.isnan(values), same, values)

    return lineage.known, rows_of


def ancestry(graph: ConceptGraph, concepts: ConceptSets, concept: str) -> tuple[Lineage, Floats, float]:
    """What lies above a study's concepts; what each class is worth as a common ancestor; the most any is.

    Its depth for `wu-palmer`, else its information.
    """
    key = (concepts.digest, graph.digest, "lineage")
    lineage: Lineage = _kept.get_or_compute(
        key, lambda: lineage_of(graph, hierarchy_of(graph), concepts.vocabulary)
    )
    if concept == "wu-palmer":
        return lineage, lineage.depth.astype(np.float64), float(lineage.max_depth)
    return lineage, *information(lineage, concept.rpartition("-")[2], concepts.images_with)


def hierarchy_of(graph: ConceptGraph) -> Taxonomy:
    """The graph as a hierarchy, kept like the tables."""
    taxonomy: Taxonomy = _kept.get_or_compute((graph.digest, "taxonomy"), lambda: taxonomy_of(graph))
    return taxonomy


# The weight of each concept of a study under a weighting, as whole numbers.

NO_KINDS = (
    "The kinds of concepts (findings, anatomy and so on) of this study are unknown. Add kinds.csv "
    "with lines such as C0032285,finding."
)


def concept_weights(study: Study, weighting: Weighting) -> Offsets:
    """The weight of each concept of the vocabulary, at least 0, int64.

    Raises InputError where the study has no kinds.
    """
    if study.kinds is None:
        raise InputError(NO_KINDS)
    weights = dict(weighting.kinds)
    kinds = (study.kinds.kind_of(concept) for concept in study.concepts.vocabulary)
    return np.fromiter((weights.get(kind, 0) for kind in kinds), np.int64, len(study.concepts.vocabulary))
