"""Vectors from a graph: the singular vectors of a table worked out densely here, the same every time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from evalcore.graph import build_graph
from evalcore.graph import embedding as of_module
from evalcore.graph.embedding import graph_vectors
from evalcore.values.errors import InputError, SettingError
from tests.toy import TOY_EDGES

TREE = [(f"n{i:03d}", f"n{(i - 1) // 3:03d}") for i in range(1, 120)]


def graph_of(edges):
    return build_graph(*zip(*edges, strict=True))[0]


def by_hand(edges, window):
    """M+ of the docstring by dense products, rows by name."""
    net = nx.Graph(edges)
    names = sorted(net)
    links = nx.to_numpy_array(net, nodelist=names, weight=None)
    degrees = links.sum(axis=1)
    step = links / degrees[:, None]
    walks = sum(np.linalg.matrix_power(step, r) for r in range(1, window + 1))
    with np.errstate(divide="ignore"):
        return names, np.maximum(np.log(degrees.sum() / window * walks / degrees), 0)


@pytest.mark.parametrize("window", [1, 2, 3])
def test_vectors_are_those_of_the_largest_singular_values(window):
    names, table = by_hand(TREE, window)
    cuis, vectors = graph_vectors(graph_of(TREE), dim=8, window=window)
    left, values, _ = np.linalg.svd(table)
    assert cuis == tuple(names)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0) ** 2, values[:8], rtol=1e-2)
    # Close singular values may share a plane: the planes are compared, not the vectors.
    expected = (left[:, :3] * values[:3]) @ left[:, :3].T
    if values[2] - values[3] > 0.05 * values[0]:
        np.testing.assert_allclose(
            vectors[:, :3].astype(float) ** 2 @ values[:3], np.diag(expected), rtol=0.02
        )


def test_the_same_graph_gives_the_same_vectors_and_near_concepts_near_ones():
    graph = graph_of(TOY_EDGES)
    (cuis, one), (_, other) = graph_vectors(graph, dim=6), graph_vectors(graph, dim=6)
    assert one.tobytes() == other.tobytes() and one.dtype == np.float32
    unit = one / np.linalg.norm(one, axis=1, keepdims=True)
    at = {cui: i for i, cui in enumerate(cuis)}
    assert unit[at["nodule"]] @ unit[at["cyst"]] > unit[at["nodule"]] @ unit[at["vein"]]


def test_what_cannot_be_is_said(monkeypatch):
    graph = graph_of(TOY_EDGES)
    with pytest.raises(SettingError, match="window"):
        graph_vectors(graph, window=4)
    with pytest.raises(InputError, match="fewer dimensions"):
        graph_vectors(graph, dim=64)
    monkeypatch.setattr(of_module, "MOST_MEETINGS", 3)
    with pytest.raises(InputError, match="smaller window"):
        graph_vectors(graph, dim=2)
