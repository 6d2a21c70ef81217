"""The concept graph at the size of a large terminology: built from a file, neighbours, one path (T3)."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pandas as pd

from evalcore.graph import ConceptGraph, build_graph, neighbours, shortest_paths
from evalcore.study.parts.graph import parse_graph
from tests.benchmarks.measuring import Row, compare
from tests.benchmarks.studies import cui, is_a_edges

PATHS, REACH = 50, 2


def rows(n_nodes: int, n_edges: int, n_concepts: int) -> Iterator[Row]:
    child, parent = is_a_edges(n_nodes, n_edges)
    text = "child,parent\n" + "".join(f"{a},{b}\n" for a, b in zip(child, parent, strict=True))
    table, data = pd.DataFrame({"child": child, "parent": parent}), text.encode()
    size = f"{n_nodes:,} concepts, {n_edges:,} edges"
    yield compare(
        f"edge file to graph: {size}",
        "networkx from_pandas_edgelist",
        lambda: built(data),
        lambda: nx.from_pandas_edgelist(table, "child", "parent"),
        goal=0.1,
        rounds=3,
        note="the peer's table is read already",
    )
    graph, theirs = built(data), nx.from_pandas_edgelist(table, "child", "parent")
    rng = np.random.default_rng(5)
    words = sorted({cui(k) for k in rng.choice(n_nodes, n_concepts, replace=False).tolist()})
    yield neighbours_row(graph, words, (child, parent))
    ends = [(cui(a), cui(b)) for a, b in rng.integers(0, n_nodes, (PATHS, 2)).tolist()]
    for a, b in ends:
        assert len(nx.shortest_path(theirs, a, b)) - 1 == shortest_paths(graph, a, b).distance
    yield compare(
        f"{PATHS} shortest paths",
        "networkx shortest_path",
        lambda: [shortest_paths(graph, a, b, limit=1) for a, b in ends],
        lambda: [nx.shortest_path(theirs, a, b) for a, b in ends],
        goal=0.7,
        note="CUIscope counts all shortest paths and gives the alphabetically first",
    )


def built(data: bytes) -> ConceptGraph:
    edges, _ = parse_graph(data, file="edges.csv")
    return build_graph(edges.links["child"], edges.links["parent"], edges.labels)[0]


def neighbours_row(graph: ConceptGraph, words: list[str], edges: tuple[list[str], list[str]]) -> Row:
    """Who of the vocabulary is near whom; igraph finds all nodes near each, and we keep the vocabulary's."""
    import igraph

    task, peer = f"neighbours <= {REACH} of {len(words):,} concepts", "igraph neighborhood"

    def ours() -> object:
        return neighbours(graph, words, threshold=REACH)

    place = {name: i for i, name in enumerate(graph.cuis)}
    links = [(place[a], place[b]) for a, b in zip(*edges, strict=True)]
    theirs, nodes = igraph.Graph(n=graph.n_nodes, edges=links), [place[word] for word in words]
    known = set(nodes)

    def by_igraph() -> list[list[int]]:
        return [
            [node for node in near if node in known]
            for near in theirs.neighborhood(nodes, order=REACH, mindist=1)
        ]

    matrix = neighbours(graph, words, threshold=REACH)
    assert np.diff(matrix.indptr).tolist() == [len(near) for near in by_igraph()]
    return compare(task, peer, ours, by_igraph, goal=0.3)
