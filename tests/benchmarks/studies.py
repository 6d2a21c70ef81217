"""Synthetic studies of any size, shaped like ROCOv2: 3.4 concepts an image, few frequent, many rare."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from evalcore.graph import build_graph
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.model import ConceptSets, LabelColumn, Study
from tests.toy import study_of

N_CONCEPTS, PER_IMAGE, N_CLASSES = 2_000, 3.4, 50


def cui(number: int) -> str:
    return f"C{number:07d}"


def is_a_edges(n_nodes: int, n_edges: int, *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Children and parents: a random taxonomy with hubs (each below an earlier node), and further edges."""
    rng = np.random.default_rng(seed)
    child = np.arange(1, n_nodes)
    parent = (child * rng.random(n_nodes - 1) ** 2).astype(int)
    more = rng.integers(1, n_nodes, n_edges - n_nodes + 1)
    child, parent = np.append(child, more), np.append(parent, (more * rng.random(len(more)) ** 2).astype(int))
    return [cui(k) for k in child], [cui(k) for k in parent]


def concept_sets(n: int, *, seed: int = 1) -> ConceptSets:
    """Sets of 3.4 concepts on average, drawn by a power law (as ROCOv2's are)."""
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.poisson(PER_IMAGE - 1, n)
    weights = 1.0 / np.arange(1, N_CONCEPTS + 1)
    concepts = rng.permutation(N_CONCEPTS)[rng.choice(N_CONCEPTS, sizes.sum(), p=weights / weights.sum())]
    rows = np.split(concepts, np.cumsum(sizes)[:-1])
    return ConceptSets.of({f"img_{i:06d}": {cui(3 * k) for k in row} for i, row in enumerate(rows)})


def synthetic(n: int) -> Study:
    """A study of ``n`` images with a graph of 20,000 concepts and one label of 50 classes."""
    concepts = concept_sets(n)
    graph, _ = build_graph(*is_a_edges(20_000, 30_000))
    everyone = readonly(np.arange(n, dtype=np.int32))
    classes = tuple(f"class_{k:02d}" for k in range(N_CLASSES))
    column = LabelColumn("kind", classes, readonly(np.arange(n + 1)), readonly((everyone % N_CLASSES).copy()))
    empty = study_of({})
    return replace(
        empty,
        concepts=concepts,
        graph=graph,
        queries=everyone,
        candidates=everyone,
        labels=MappingProxyType({"kind": column}),
        digest=digest_of(concepts.digest, graph.digest),
    )
