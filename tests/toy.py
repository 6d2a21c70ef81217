"""The toy taxonomy and the nine pairs of concept sets whose values were worked out by hand and by script."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType

import networkx as nx
import numpy as np

from evalcore.graph import build_graph
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Embeddings, Study

TOY_EDGES = (
    ("body", "root"),
    ("finding", "root"),
    ("vessel", "body"),
    ("vein", "vessel"),
    ("artery", "vessel"),
    ("aorta", "artery"),
    ("head", "body"),
    ("brain", "head"),
    ("mass", "finding"),
    ("nodule", "mass"),
    ("cyst", "mass"),
    ("cerebral_artery", "artery"),
    ("cerebral_artery", "brain"),
)
"""child, parent"""

PAIRS = {
    "P1": ({"vein", "brain", "nodule"}, {"vessel", "brain", "mass"}),
    "P2": ({"vessel"}, {"vein", "artery"}),
    "P3": ({"artery", "vein"}, {"vessel", "artery", "cerebral_artery"}),
    "P4": ({"brain"}, {"brain", "head", "vein"}),
    "P5": ({"vein", "aorta", "cerebral_artery"}, {"vessel", "artery"}),
    "P6": ({"nodule", "cyst"}, {"mass", "brain"}),
    "P7": ({"vein", "nodule"}, {"vein", "nodule"}),
    "P8": (set(), set()),
    "P9": ({"aorta"}, {"vein"}),
}


def near_by_search(edges, *, threshold, direction="undirected"):
    """{concept: {neighbour: distance}}, found by breadth-first search in networkx: the tests' own source."""
    upward = nx.DiGraph(edges)
    graph = upward if direction == "directed" else upward.to_undirected()
    near: dict[str, dict[str, int]] = {}
    for a in graph:
        for b, distance in nx.single_source_shortest_path_length(graph, a, cutoff=threshold).items():
            for start, end in ((a, b), (b, a)):
                if distance:
                    known = near.setdefault(start, {}).get(end, distance)
                    near[start][end] = min(known, distance)
    return near


def study_of(sets, edges=(), *, embeddings=None):
    """A study in memory: {image: concepts or None}, edges (child, parent), {system: {image: vector}}."""
    concepts = ConceptSets.of(sets)
    graph = build_graph(*zip(*edges, strict=True))[0] if edges else None
    systems = {name: embeddings_of(name, concepts, vectors) for name, vectors in (embeddings or {}).items()}
    everyone = readonly(np.arange(len(concepts), dtype=np.int32))
    parts = (concepts.digest, graph and graph.digest, *(system.digest for system in systems.values()))
    return Study(
        "toy",
        "",
        None,
        concepts,
        graph,
        MappingProxyType({}),
        None,
        None,
        MappingProxyType({}),
        MappingProxyType(systems),
        None,
        everyone,
        everyone,
        (),
        Report(),
        digest_of(*parts),
    )


def embeddings_of(system, concepts, by_image):
    """Vectors of the images that have one, in file order."""
    vectors = np.array(list(by_image.values()), np.float32).reshape(len(by_image), -1 if by_image else 1)
    rows = np.full(len(concepts), -1, np.int32)
    for row, image in enumerate(by_image):
        rows[concepts.index(image)] = row
    return Embeddings(system, readonly(rows), rows, readonly(vectors), digest_of(rows, vectors))


def all_pairs(n):
    """Aligned query and candidate indices of all n x n pairs."""
    return np.array(list(product(range(n), repeat=2)), np.int32).reshape(-1, 2).T
