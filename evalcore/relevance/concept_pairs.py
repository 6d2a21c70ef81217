"""How alike the two concepts of each of many pairs are, whether or not any image of the study has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.graph import ConceptGraph
from evalcore.graph.distances import FURTHEST, distance_table
from evalcore.graph.structure import nodes_of
from evalcore.relevance.concept_measures import CONCEPT_MEASURES
from evalcore.relevance.concept_table import ancestry, in_grains, rows_by_graph
from evalcore.relevance.concept_vectors import PREFIX, pair_similarity, vectors_named, vectors_of
from evalcore.values.arrays import Bools, Floats
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets, Study


def concept_similarities(study: Study) -> tuple[str, ...]:
    """The similarities of concepts a study has: those by its graph, and one for each set of vectors."""
    by_graph = CONCEPT_MEASURES if study.graph is not None else ()
    return (*by_graph, *(f"{PREFIX}{name}" for name in study.concept_vectors))


def similarity_of_pairs(
    study: Study, concept: str, left: Sequence[str], right: Sequence[str]
) -> tuple[Floats, Bools]:
    """Values of m aligned pairs, and which of them are connected.

    NaN where the graph does not know one of the two, or it has no vector; by corpus information also where
    neither it nor anything below it occurs in the study. Connected: known, and a path of links leads from one
    to the other; by vectors all that are known.

    Raises
    ------
    InputError
        The similarity goes by a graph, and the study has none.
    UnknownName
        The study has no vectors of that name.
    """
    if vectors_named(concept) is not None:
        values = pair_similarity(vectors_of(study, concept), list(left), list(right))
        return values, ~np.isnan(values)
    if study.graph is None:
        raise InputError(f"{concept!r} compares concepts by a graph, which this study lacks.")
    values, links = np.full(len(left), np.nan), np.zeros(len(left), np.bool_)
    known = np.logical_and(*(nodes_of(study.graph, side) >= 0 for side in (left, right)))
    pairs = [(left[i], right[i]) for i in np.flatnonzero(known).tolist()]
    values[known] = _by_graph(study, study.graph, concept, pairs)
    links[known] = _linked(study.graph, pairs)
    return values, links & ~np.isnan(values)


def _by_graph(study: Study, graph: ConceptGraph, concept: str, pairs: Sequence[tuple[str, str]]) -> Floats:
    """Values of pairs of concepts that the graph knows."""
    if concept == "cs1":
        return np.array([float(a == b) for a, b in pairs])
    paired = {end for pair in pairs for end in pair}
    by_corpus = concept.endswith("-corpus")
    concepts = study.concepts.with_vocabulary(paired) if by_corpus else ConceptSets.of({"": paired})
    known, rows_of = rows_by_graph(graph, concepts, concept)
    row = {concepts.vocabulary[k]: i for i, k in enumerate(known)}
    values = np.empty(len(pairs))
    # Pairs of one left concept together: its row is made once.
    for a in dict.fromkeys(a for a, _ in pairs):
        here = [i for i, pair in enumerate(pairs) if pair[0] == a]
        values[here] = rows_of(row[a], row[a] + 1)[0, [row[pairs[i][1]] for i in here]]
    if by_corpus:
        lineage, worth, _ = ancestry(graph, concepts, concept)
        own = worth[lineage.own]
        values[[bool(np.isnan(own[[row[a], row[b]]]).any()) for a, b in pairs]] = np.nan
    return in_grains(values)


def _linked(graph: ConceptGraph, pairs: Sequence[tuple[str, str]]) -> Bools:
    """Whether a path leads from one concept of each pair to the other."""
    left, right = ([*dict.fromkeys(side)] for side in zip(*pairs, strict=True)) if pairs else ([], [])
    table = distance_table(graph, left, right)
    i, j = ({c: k for k, c in enumerate(side)} for side in (left, right))
    return np.array([table[i[a], j[b]] <= FURTHEST for a, b in pairs], np.bool_)
