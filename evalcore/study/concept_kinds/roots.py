"""Kinds by place in the graph: what lies below the roots that ``study.toml`` names for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.graph import ConceptGraph
from evalcore.graph.structure import nodes_of, steps_down
from evalcore.values.concept_values import KINDS


def kinds_below(
    graph: ConceptGraph, roots: Mapping[str, Sequence[str]], vocabulary: Sequence[str]
) -> dict[str, str]:
    """The kind of each concept of the vocabulary that is a root or lies below one.

    Below roots of several kinds the nearest counts (fewest links up), among equally near ones the first of
    `KINDS`. Roots that the graph does not know say nothing.
    """
    nodes = nodes_of(graph, vocabulary)
    there = np.flatnonzero(nodes >= 0)
    kinds = [kind for kind in KINDS if roots.get(kind)]
    if not kinds or not len(there):
        return {}
    steps = np.array([steps_down(graph, nodes_of(graph, roots[kind])) for kind in kinds])
    steps = steps[:, nodes[there]]
    nearest = np.argmin(steps, axis=0)
    reached = steps[nearest, np.arange(len(there))] < graph.n_nodes
    return {vocabulary[i]: kinds[k] for i, k in zip(there[reached], nearest[reached], strict=True)}
