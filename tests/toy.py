"""Studies, runs, scores and comparisons in memory; a toy taxonomy and nine pairs of sets of known values."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import MappingProxyType

import networkx as nx
import numpy as np

from evalcore.graph import build_graph
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.grouping import groups_of_column
from evalcore.values.model import (
    DEFINED,
    NO_RELEVANT,
    OUTSIDE_POOL,
    Comparison,
    ConceptSets,
    Embeddings,
    Interval,
    LabelColumn,
    Run,
    Scores,
    Study,
)
from evalcore.values.settings import Settings

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


def lengths_of(edges, direction="undirected", cutoff=None):
    """{(a, b): links}, with a direction the shorter of the two ways up; no pairs that nothing connects."""
    graph = nx.DiGraph(edges)
    if direction == "undirected":
        graph = graph.to_undirected()
    lengths = {}
    for a, ends in nx.all_pairs_shortest_path_length(graph, cutoff=cutoff):
        for b, n in ends.items():
            for pair in ((a, b), (b, a)):
                lengths[pair] = min(n, lengths.get(pair, n))
    return lengths


def near_by_search(edges, *, threshold, direction="undirected"):
    """{concept: {neighbour: distance}}, found by breadth-first search in networkx: the tests' own source."""
    near: dict[str, dict[str, int]] = {}
    for (a, b), n in lengths_of(edges, direction, threshold).items():
        if n:
            near.setdefault(a, {})[b] = n
    return near


def study_of(sets, edges=(), *, embeddings=None):
    """A study in memory: {image: concepts or None}, edges (child, parent), {system: {image: vector}}."""
    concepts = ConceptSets.of(sets)
    graph = build_graph(*zip(*edges, strict=True))[0] if edges else None
    systems = {name: embeddings_of(name, concepts, vectors) for name, vectors in (embeddings or {}).items()}
    everyone = readonly(np.arange(len(concepts), dtype=np.int32))
    parts = (concepts.digest, graph and graph.digest, *(system.digest for system in systems.values()))
    return Study(
        name="toy",
        concepts=concepts,
        graph=graph,
        embeddings=MappingProxyType(systems),
        queries=everyone,
        candidates=everyone,
        digest=digest_of(*parts),
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


# Runs and labels.


def run_of(study, system, answers):
    """{query: {candidate: score}} or {query: [candidates, best first]}; candidate "?" is unknown (-1)."""
    index = {**{image: i for i, image in enumerate(study.image_ids)}, "?": -1}
    queries, candidates, scores, indptr = [], [], [], [0]
    for query in sorted(answers):
        answer = answers[query]
        scored = answer if isinstance(answer, dict) else {c: -float(place) for place, c in enumerate(answer)}
        ranked = sorted((-score, index[candidate]) for candidate, score in scored.items())
        queries.append(index[query])
        candidates += [candidate for _, candidate in ranked]
        scores += [-score for score, _ in ranked]
        indptr.append(len(candidates))
    return Run.from_arrays(
        system,
        np.array(queries, np.int32),
        np.array(indptr, np.int64),
        np.array(candidates, np.int32),
        np.array(scores, float),
    )


def column_of(study, name, values):
    """{image: value, values or None} as a label column."""
    rows = [values.get(image) or () for image in study.image_ids]
    rows = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
    known = sorted({value for row in rows for value in row})
    indptr = np.cumsum([0] + [len(row) for row in rows])
    indices = [i for row in rows for i in sorted(known.index(value) for value in row)]
    return LabelColumn(name, tuple(known), indptr.astype(np.int64), np.array(indices, np.int32))


def with_parts(study, *, runs=None, labels=None, queries=None, candidates=None):
    """The study with runs {system: answers}, labels {column: {image: value}}, and lists of image ids."""
    columns = {name: column_of(study, name, values) for name, values in (labels or {}).items()}
    indices = {
        part: np.sort(np.array([study.concepts.index(image) for image in images], np.int32))
        for part, images in (("queries", queries), ("candidates", candidates))
        if images is not None
    }
    made = {name: run_of(study, name, answers) for name, answers in (runs or {}).items()}
    digest = digest_of(
        study.digest,
        *(run.digest for run in made.values()),
        *(
            part
            for column in columns.values()
            for part in (column.name, column.values, column.indptr, column.indices)
        ),
        *indices.values(),
    )
    return replace(
        study, runs=MappingProxyType(made), digest=digest, labels=columns or study.labels, **indices
    )


def in_groups(study, group):
    """The study with patients {image: patient}."""
    groups = groups_of_column(column_of(study, "patient", group))
    return replace(study, groups=groups, digest=digest_of(study.digest, groups.of_image))


def drawn_study(seed, n=30, *, systems=(), depth=10, without=(), labels=(), embeddings=None):
    """Images i00, i01, ... with up to four concepts of the toy taxonomy; those ``without`` are not annotated.

    Every system returns images at random; ``labels``: {column: values to choose from}.
    """
    rng, images = np.random.default_rng(seed), [f"i{k:02}" for k in range(n)]
    concepts = sorted({concept for edge in TOY_EDGES for concept in edge})
    sets = {i: {*rng.choice(concepts, rng.integers(0, 5), replace=False).tolist()} for i in images}
    runs = {
        name: {i: [c for c in rng.permutation(images).tolist() if c != i][:depth] for i in images}
        for name in systems
    }
    columns = {name: {i: str(rng.choice(values)) for i in images} for name, values in dict(labels).items()}
    study = study_of({**sets, **dict.fromkeys(without)}, TOY_EDGES, embeddings=embeddings)
    return with_parts(study, runs=runs, labels=columns)


def by_cosine(vectors, query, pool=None, *, top=None):
    """{candidate: cosine}, best first, then by id, without the query."""
    a = vectors[query]
    cosines = {
        c: float(a @ vectors[c] / np.sqrt((a @ a) * (vectors[c] @ vectors[c])))
        for c in pool or vectors
        if c != query
    }
    return dict(sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:top])


# Scores, intervals and comparisons written by hand.


def scores_of(system, values, *, metric="CUI@3", groups=None, **settings):
    """Values by query; None and NaN are undefined, "out" outside the pool."""
    numbers = np.array([np.nan if value in (None, "out") else float(value) for value in values])
    reasons = np.where(np.isnan(numbers), NO_RELEVANT, DEFINED).astype(np.uint8)
    reasons[[isinstance(value, str) for value in values]] = OUTSIDE_POOL
    queries, how = np.arange(len(numbers), dtype=np.int32), Settings(**settings)
    return Scores(system, metric, queries, numbers, reasons, 0, 0, 0, 3, groups, settings=how)


def interval_of(mean: float, half: float = 0.05, n: int = 40) -> Interval:
    return Interval(mean, mean - half, mean + half, 0.95, "percentile bootstrap", n, 2000, 0)


def comparison_of(system: str, baseline: str, difference: float = 0.1, metric: str = "CUI@10") -> Comparison:
    ends, test = (difference - 0.04, difference + 0.04), (0.01, 0.02, "holm", "paired permutation")
    return Comparison(
        *(baseline, system, metric, difference, *ends, 0.95, *test), 40, 2000, 0, *(22, 8, 10), 0.4
    )
