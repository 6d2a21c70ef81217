"""Why does an image count as relevant to another: which concepts match, how, and what each adds.

The parts add up to the nn-IoU of the pair under every count rule: each shared concept adds 1
over the size of the union, each counted neighbour match alpha over it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.graph import Neighbours, neighbours, shortest_paths
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import ancestry, concept_table, concept_weights, hierarchy_of
from evalcore.relevance.concept_vectors import concept_measure
from evalcore.relevance.embedding import cosine_similarity
from evalcore.relevance.neighbour import alpha_fraction, counted_matches, near_of
from evalcore.relevance.registry import EMBEDDING, NN_IOU, RELEVANCE, Relevance, own_measures, parse_relevance
from evalcore.relevance.weighed import Share, weighed
from evalcore.values.arrays import position
from evalcore.values.settings import Settings, as_list, settings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Set

    from evalcore.graph.taxonomy import Lineage
    from evalcore.relevance.neighbour import Near
    from evalcore.relevance.set_similarity import Side
    from evalcore.relevance.weighting import Weighting
    from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class NeighbourMatch:
    """One neighbour match that counts: concept ``cui`` of one ``side``, and what it was ``matched`` with.

    ``distance`` edges apart over ``path`` (from cui to matched, the first of the shortest in alphabetical
    order; only these two where a dictionary stands in for the graph); ``adds`` is its share of the value.
    """

    side: Side
    cui: str
    matched: str
    distance: int
    path: tuple[str, ...]
    adds: float


@dataclass(frozen=True, slots=True)
class AlignedConcept:
    """A concept ``cui`` of one ``side``, the ``partner`` it finds on the other, and how alike they are.

    ``ancestor``: the common ancestor they are compared by; None where the measure looks at none, where
    they are the same, and where they have nothing above them in common.
    """

    side: Side
    cui: str
    partner: str
    similarity: float
    ancestor: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one pair of images has in common, concept by concept.

    ``exact`` concepts of both, each adding ``exact_adds``; ``neighbours`` the matches that count under
    the count rule; what they add sums to the pair's nn-IoU. ``unmatched`` concepts by side that are part of
    no match; ``values`` every relevance that is defined for the pair (one that lacks an annotation or an
    embedding is not in it, nor nn-IoU where the study knows no related concepts); ``alignments`` who is held
    against whom under each of the measures SET:CONCEPT that were asked for; ``weighed`` what each concept
    adds under those with a weighting.
    """

    query: str
    candidate: str
    exact: tuple[str, ...]
    exact_adds: float
    neighbours: tuple[NeighbourMatch, ...]
    unmatched: Mapping[Side, tuple[str, ...]]
    values: Mapping[str, float]
    alignments: Mapping[str, tuple[AlignedConcept, ...]] = field(default_factory=dict)
    weighed: Mapping[str, tuple[Share, ...]] = field(default_factory=dict)


def explain(
    study: Study,
    query: str,
    candidate: str,
    *,
    settings: Settings | None = None,
    measures: Collection[str] = (),
) -> Explanation:
    """Which concepts make a candidate relevant to a query, over which paths, and what does each add?

    Parameters
    ----------
    query, candidate
        Image ids.
    settings
        The reading of nn-IoU; the defaults when None.
    measures
        Names of relevances SET:CONCEPT to look by too (``registry.available`` lists some), or of any with a
        weighting, such as ``nn-iou[finding]``. The former's
        tables of all the study's concepts take a second or so where nobody has asked for them yet.

    Returns
    -------
    Explanation
        Without exact or neighbour matches where an image has no concepts. A concept with several
        neighbours is matched with the nearest, then the first by CUI; under `pairs` and `pairs_all`
        every pair counts, under `matching` each concept is matched once at most.

    Raises
    ------
    UnknownName
        The study has no such image, or there is no such relevance.
    InputError
        A measure needs a concept graph, and the study has none.
    SettingError
        The threshold is larger than the neighbour dictionary of the study covers.
    """
    settings = settings_of(settings)
    relevances = [parse_relevance(name) for name in as_list(measures)]
    q, c = study.concepts.index(query), study.concepts.index(candidate)
    a, b = study.concepts.of_image(q), study.concepts.of_image(c)
    near = _near(study, a | b, settings)
    near_weight, weight = alpha_fraction(settings.alpha).as_integer_ratio()
    divisor = weight * max(len(a | b), 1)
    graph, matches = study.graph, []
    for side, x, y in _counted(a, b, near, settings):
        path: tuple[str, ...] = (x, y)
        if graph is not None:
            path = shortest_paths(graph, x, y, direction=settings.direction, limit=1).paths[0]
        matches.append(NeighbourMatch(side, x, y, near[x][y], path, near_weight / divisor))
    matched = (a & b) | {m.cui for m in matches} | {m.matched for m in matches}
    by_weight = {
        str(relevance): weighed(relevance.kind, a, b, _weights(study, weighting, a | b), near, settings)
        for relevance in relevances
        if (weighting := relevance.weighting) is not None
    }
    return Explanation(
        query=query,
        candidate=candidate,
        exact=tuple(sorted(a & b)),
        exact_adds=weight / divisor,
        neighbours=tuple(matches),
        unmatched={"query": tuple(sorted(a - matched)), "candidate": tuple(sorted(b - matched))},
        values=_values(study, q, c, near, settings, relevances, by_weight),
        alignments={
            str(relevance): alignment(study, relevance, a, b)
            for relevance in relevances
            if relevance.concept is not None
        },
        weighed={name: shares for name, (_, shares) in by_weight.items()},
    )


def _near(study: Study, concepts: Set[str], settings: Settings) -> Near:
    """The neighbour dictionary of these concepts only."""
    vocabulary, near = tuple(sorted(concepts)), study.neighbour_source
    if isinstance(near, Neighbours):
        return near_of(near.within(settings.threshold), vocabulary)
    how: Any = {"threshold": settings.threshold, "direction": settings.direction}
    return near_of(neighbours(near, vocabulary, **how), vocabulary)


def _counted(a: Set[str], b: Set[str], near: Near, settings: Settings) -> Iterator[tuple[Side, str, str]]:
    """The neighbour matches the count rule counts, each once per unit of NN: (side, concept, its match)."""
    rule = settings.count_rule
    for side, x, y in counted_matches(a, b, near, threshold=settings.threshold, rule=rule):
        yield side, x, y
        if rule == "matching2":
            yield "candidate", y, x


def _values(
    study: Study,
    query: int,
    candidate: int,
    near: Near,
    settings: Settings,
    relevances: Collection[Relevance],
    by_weight: Mapping[str, tuple[float, object]],
) -> dict[str, float]:
    """Every relevance defined for the pair, and those asked for; ``by_weight``: of those with a weighting."""
    values: dict[str, float] = {}
    if study.concepts.annotated[query] and study.concepts.annotated[candidate]:
        a, b = study.concepts.of_image(query), study.concepts.of_image(candidate)
        for name, measure in (*RELEVANCE.items(), *own_measures().items()):
            if measure.value is not None and (name != NN_IOU or study.knows_neighbours):
                values[name] = measure.value(a, b, near, settings)
        for relevance in relevances:
            if relevance.weighting is not None:
                values[str(relevance)], _ = by_weight[str(relevance)]
            if relevance.concept is not None:
                similar = concept_table(study, relevance.concept).similar
                values[str(relevance)] = SET_MEASURES[relevance.kind].value(a, b, similar) if a and b else 0.0
    for system, embeddings in sorted(study.embeddings.items()):
        i, j = embeddings.query_rows[query], embeddings.rows[candidate]
        if i >= 0 and j >= 0:
            cosine = cosine_similarity(embeddings.vectors[i], embeddings.vectors[j])
            if not isnan(cosine):  # neither vector is all zeros
                values[str(Relevance(EMBEDDING, system))] = cosine
    return values


def _weights(study: Study, weighting: Weighting, concepts: Set[str]) -> dict[str, int]:
    """What each of these concepts weighs."""
    weights, words = concept_weights(study, weighting), study.concepts.vocabulary
    return {cui: int(weights[position(words, cui)]) for cui in concepts}


# Who finds whom under a relevance SET:CONCEPT, how alike they are, and by which common ancestor.


def alignment(study: Study, relevance: Relevance, a: Set[str], b: Set[str]) -> tuple[AlignedConcept, ...]:
    """Which concepts of a query ``a`` and a candidate ``b`` are held against each other?

    As the set measure pairs them (`set_similarity.one_to_one`, `set_similarity.nearest`); nobody where a set
    is empty.
    """
    concept = str(relevance.concept)
    similar = concept_table(study, concept).similar
    if not a or not b:
        return ()
    return tuple(
        AlignedConcept(side, x, y, similar(x, y), common_ancestor(study, concept, x, y))
        for side, x, y in SET_MEASURES[relevance.kind].pairs(a, b, similar)
    )


def common_ancestor(study: Study, concept: str, x: str, y: str) -> str | None:
    """The common ancestor by which a similarity compares two concepts; None as in `AlignedConcept`.

    Of several worth the same the nearest, then the first by CUI. One concept stands for a cycle.
    """
    graph, by_ancestors = study.graph, concept == "wu-palmer" or concept_measure(concept).content
    if graph is None or not by_ancestors or x == y:
        return None
    lineage, worth, _ = ancestry(graph, study.concepts, concept)
    rows = [position(study.concepts.vocabulary, cui) for cui in (x, y)]
    if not np.isin(rows, lineage.known).all():
        return None
    steps = [_steps_above(lineage, int(k)) for k in np.searchsorted(lineage.known, rows)]
    shared = sorted(steps[0].keys() & steps[1].keys())
    taxonomy = hierarchy_of(graph)
    best = min(shared, key=lambda k: (-worth[k], steps[0][k] + steps[1][k], lineage.classes[k]))
    members = np.flatnonzero(taxonomy.class_of == lineage.classes[best])
    return graph.cuis[members[0]] if len(members) else None  # a virtual root is no concept


def _steps_above(lineage: Lineage, row: int) -> dict[int, int]:
    """{ancestor: links up to it} of a known concept."""
    mine = slice(lineage.indptr[row], lineage.indptr[row + 1])
    return dict(zip(lineage.indices[mine].tolist(), lineage.steps[mine].tolist(), strict=True))
