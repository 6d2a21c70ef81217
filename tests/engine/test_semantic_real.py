"""SET:CONCEPT on real ROCOv2 concept sets and the open graph, with its cycles and its many roots."""

from __future__ import annotations

from math import log

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from evalcore.engine import ideal_gains, rank, relevance_of_pairs
from evalcore.relevance.concept_measures import SET_MEASURES
from evalcore.relevance.concept_table import concept_table
from evalcore.values.settings import Settings
from tests.toy import study_of

pytestmark = pytest.mark.real
CONCEPTS = ("path", "lin-corpus", "cs3-sanchez")


@pytest.fixture(scope="module")
def edges(real_dir):
    table = pd.read_csv(real_dir / "kg" / "edges.csv", keep_default_na=False)
    return [edge for edge in zip(table.child_cui, table.parent_cui, strict=True) if edge[0] != edge[1]]


@pytest.fixture(scope="module")
def rocov2(real_dir, edges):
    concepts = pd.read_csv(real_dir / "rocov2" / "test_concepts.csv", keep_default_na=False)
    sets = {image: cuis.split(";") for image, cuis in zip(concepts.ID, concepts.CUIs, strict=True)}
    return study_of(sets, edges)


def test_similarities_of_a_sample_by_networkx(rocov2, edges):
    graph = nx.DiGraph(edges)
    upward = nx.condensation(graph)
    class_of, both = upward.graph["mapping"], graph.to_undirected()
    roots = [node for node in upward if upward.out_degree(node) == 0]
    assert len(roots) > 1 and len(upward) < len(graph)  # several roots, cycles
    upward.add_edges_from((root, "top") for root in roots)
    depth = {}
    for node in reversed(list(nx.topological_sort(upward))):
        depth[node] = 1 + max((depth[parent] for parent in upward.successors(node)), default=0)
    seco = {}
    known = [cui for cui in rocov2.concepts.vocabulary if cui in graph]
    sample = np.random.default_rng(3).choice(known, 14, replace=False).tolist()
    up = {a: nx.single_source_shortest_path_length(upward, class_of[a]) for a in sample}
    for node in {node for a in sample for node in up[a]}:
        seco[node] = 1 - log(len(nx.ancestors(upward, node)) + 1) / log(len(upward))
    tables = {name: concept_table(rocov2, name) for name in ("path", "wu-palmer", "lin-seco", "cs2-levels")}
    for a in sample:
        links = nx.single_source_shortest_path_length(both, a)
        for b in sample:
            shared = up[a].keys() & up[b].keys()
            deepest = max(depth[node] for node in shared)
            steps = min(up[a][node] + up[b][node] for node in shared if depth[node] == deepest)
            own = [class_of[a], class_of[b]]
            mica = max(seco[node] for node in shared)
            expected = {
                "path": 1 / (1 + links[b]) if b in links else 0,
                "wu-palmer": 2 * deepest / (2 * deepest + steps),
                "lin-seco": 2 * mica / sum(seco[node] for node in own),
                "cs2-levels": 2 * (deepest - 1) / (sum(depth[node] for node in own) - 2),
            }
            found = {name: table.similar(a, b) for name, table in tables.items()}
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("kind", SET_MEASURES)
@pytest.mark.parametrize("concept", CONCEPTS)
def test_values_and_rankings_of_a_sample(rocov2, kind, concept):
    relevance, settings = f"{kind}:{concept}", Settings()
    similar, measure = concept_table(rocov2, concept).similar, SET_MEASURES[kind].value
    rng = np.random.default_rng(5)
    # Images with many concepts beside ordinary ones.
    many = np.argsort(rocov2.concepts.sizes)[-20:].astype(np.int32)
    some = np.unique(np.append(rng.choice(rocov2.candidates, 150, replace=False), many))
    queries = np.unique(np.append(rng.choice(rocov2.candidates, 3, replace=False), many[-1]))
    run = rank(rocov2, relevance, queries, candidates=some, depth=12, settings=settings)
    best = ideal_gains(rocov2, relevance, queries, candidates=some, depth=12, settings=settings)
    for q, gains in zip(queries, best, strict=True):
        a = rocov2.concepts.of_image(q)
        sets = [rocov2.concepts.of_image(c) for c in some]
        expected = np.array([measure(a, b, similar) if a and b else 0.0 for b in sets])
        found = relevance_of_pairs(rocov2, relevance, np.full(len(some), q), some, settings)
        np.testing.assert_array_equal(found, expected)
        order = [c for c in np.lexsort((some, -expected)) if some[c] != q][:12]
        assert run.answer(q)[0].tolist() == some[order].tolist()
        assert run.answer(q)[1].tolist() == gains.tolist() == expected[order].tolist()
