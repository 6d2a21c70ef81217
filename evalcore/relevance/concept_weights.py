"""The weight of each concept of a study under a weighting, as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalcore.graph.taxonomy import information, lineage_of
from evalcore.relevance.concept_table import ADD_GRAPH, hierarchy_of
from evalcore.relevance.weighting import BY_CONTENT, GRAIN, Weighting
from evalcore.values.arrays import Floats, Offsets, readonly
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.portable_math import log
from evalcore.values.stores import Store

NO_KINDS = (
    "The kinds of concepts (findings, anatomy and so on) of this study are unknown. Add kinds.csv "
    "with lines such "
    "as C0032285,finding."
)
_kept: Store[Any] = Store(32 << 20)
forget = _kept.forget


def concept_weights(study: Study, weighting: Weighting) -> Offsets:
    """The weight of each concept of the vocabulary, at least 0, int64.

    By kind the whole numbers of the weighting; by content the information in parts of 1/`GRAIN`. Resnik's
    information of a concept follows from how many images carry it or anything below it; one that the graph
    does not know has nothing above or below it: what images carry it says itself, and of Seco's it has 1.

    Raises
    ------
    InputError
        The study has no kinds, or no graph where the content needs one.
    """
    if weighting.content:
        graph = study.graph.digest if study.graph is not None else ""
        key = (study.concepts.digest, graph, weighting.content)
        made: Offsets = _kept.get_or_compute(
            key, lambda: readonly(_by_content(study, BY_CONTENT[weighting.content]))
        )
        return made
    if study.kinds is None:
        raise InputError(NO_KINDS)
    weights = dict(weighting.kinds)
    kinds = (study.kinds.kind_of(concept) for concept in study.concepts.vocabulary)
    return np.fromiter((weights.get(kind, 0) for kind in kinds), np.int64, len(study.concepts.vocabulary))


def _by_content(study: Study, content: str) -> Offsets:
    counts = study.concepts.images_with
    if content == "seco" and study.graph is None:
        raise InputError(f"Seco's information follows from a graph, which this study lacks. {ADD_GRAPH}")
    values: Floats = np.ones(len(counts))
    if content == "corpus":
        values = -log(np.maximum(counts, 1) / max(int(counts.sum()), 1)) * (counts > 0)
    if study.graph is not None:
        lineage = lineage_of(study.graph, hierarchy_of(study.graph), study.concepts.vocabulary)
        of_class, _ = information(lineage, content, counts)
        values[lineage.known] = np.nan_to_num(of_class[lineage.own], nan=0.0)
    weights: Offsets = np.rint(np.maximum(values, 0.0) * GRAIN).astype(np.int64)
    return weights
