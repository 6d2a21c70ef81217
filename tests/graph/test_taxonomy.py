"""Hierarchies: depths, ancestors and counts against networkx and nxontology, cycles, several roots."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from nxontology import NXOntology

from evalcore.graph.taxonomy import information, lineage_of, sanchez, seco, taxonomy_of
from evalcore.values.errors import SettingError
from tests.graph.conftest import EDGES, graph_of
from tests.toy import TOY_EDGES

WORDS = tuple(sorted({word for edge in TOY_EDGES for word in edge}))


def lineage(edges, vocabulary):
    graph = graph_of(edges)
    return lineage_of(graph, taxonomy_of(graph), vocabulary)


# Edges are drawn by numpy from a seed: a choice at a time by hypothesis took longer than what is tested.


def rooted():
    """Edges of a random directed graph without cycles in which everything hangs from N00."""

    def edges(seed):
        rng = np.random.default_rng(seed)
        return [
            (f"N{child:02d}", f"N{parent:02d}")
            for child in range(1, rng.integers(2, 15))
            for parent in np.unique(rng.integers(0, child, rng.integers(1, 4)))
        ]

    return st.integers(0, 2**32 - 1).map(edges)


ANY_EDGES = EDGES.map(lambda edges: [edge for edge in edges if edge[0] != edge[1]] or [("n00", "n01")])
"""Cycles, pieces, several roots."""


def hierarchy(edges):
    """The same by networkx: cycles condensed, a node "top" above several roots; and each word's class."""
    condensed = nx.condensation(nx.DiGraph(edges))
    class_of = condensed.graph["mapping"]
    roots = [node for node in condensed if condensed.out_degree(node) == 0]
    if len(roots) > 1:
        condensed.add_edges_from((root, "top") for root in roots)
    return condensed, class_of


@effort(max_examples=150)
@given(ANY_EDGES)
def test_ancestors_and_descendants_equal_networkx(edges):
    upward, class_of = hierarchy(edges)
    words = sorted(class_of)
    result = lineage(edges, [*words, "unknown"])
    assert [words[k] for k in result.known] == words
    assert result.n_classes == len(upward)
    leaves = {node for node in upward if upward.in_degree(node) == 0}
    assert result.n_leaves == len(leaves)
    longest = {}
    for node in reversed(list(nx.topological_sort(upward))):
        longest[node] = 1 + max((longest[parent] for parent in upward.successors(node)), default=0)
    assert result.max_depth == max(longest.values())
    for row, word in enumerate(words):
        node, at = class_of[word], result.own[row]
        below = nx.ancestors(upward, node)  # edges point upwards
        assert result.above[at] == len(nx.descendants(upward, node)) + 1
        assert (result.below[at], result.leaves[at]) == (len(below), len(below & leaves))
        assert result.depth[at] == longest[node]
        up = nx.single_source_shortest_path_length(upward, node)
        mine = slice(result.indptr[row], result.indptr[row + 1])
        assert sorted(result.steps[mine].tolist()) == sorted(up.values())
        assert np.all(np.diff(result.indices[mine]) > 0)


def test_a_graph_of_nothing():
    graph = graph_of([])
    empty = lineage_of(graph, taxonomy_of(graph), ["vein"])
    assert (len(empty.known), empty.n_classes) == (0, 1)


@pytest.mark.parametrize(
    ("content", "golden"),
    [("seco", "seco"), ("sanchez", "sanchez"), ("zhou", "zhou_k.5_maxdepth"), ("corpus", "corpus")],
)
def test_information_of_the_golden_file(spec_golden, content, golden):
    expected = spec_golden["C_ic"]
    counts = [expected["corpus_counts"][word] for word in WORDS]
    result = lineage(TOY_EDGES, WORDS)
    values, highest = information(result, content, counts)
    for word, at in zip(WORDS, result.own, strict=True):
        assert values[at] == pytest.approx(expected[golden][word], rel=1e-12, abs=1e-15)
    assert highest == pytest.approx(max(expected[golden].values()), rel=1e-12)


@effort(max_examples=80)
@given(rooted())
def test_information_is_that_of_nxontology(edges):
    # Its Sánchez lets a leaf count itself; its scaled intrinsic IC is Seco's.
    oracle = NXOntology()
    oracle.graph.add_edges_from((parent, child) for child, parent in edges)
    words = sorted(oracle.graph)
    result = lineage(edges, words)
    itself = sanchez(np.maximum(result.leaves, 1), result.above, result.n_leaves)
    intrinsic = seco(result.below, result.n_classes)
    for word, at in zip(words, result.own, strict=True):
        info = oracle.node_info(word)
        assert intrinsic[at] == pytest.approx(info.intrinsic_ic_scaled, rel=1e-12, abs=1e-12)
        assert itself[at] == pytest.approx(info.intrinsic_ic_sanchez, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("content", ["seco", "sanchez", "zhou", "corpus", "levels"])
@effort(max_examples=40)
@given(edges=ANY_EDGES)
def test_information_never_falls_from_parent_to_child(content, edges):
    words = sorted({word for edge in edges for word in edge})
    result = lineage(edges, words)
    values, highest = information(result, content, np.arange(1, len(words) + 1))
    for row, at in enumerate(result.own):
        above = values[result.indices[result.indptr[row] : result.indptr[row + 1]]]
        assert np.all(above <= values[at] + 1e-12)
        assert 0 <= values[at] <= highest + 1e-12


def test_a_hierarchy_of_a_single_class_has_no_information():
    result = lineage([("a", "b"), ("b", "a")], ["a", "b"])
    for content in ("seco", "zhou", "corpus", "levels"):
        values, highest = information(result, content, [1, 1])
        assert (values.tolist(), highest) == ([0], 0)
    with pytest.raises(SettingError, match="`information content` must be one of seco"):
        information(result, "resnik", [1, 1])
