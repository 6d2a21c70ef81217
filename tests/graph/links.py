"""Random edges, and what networkx says of them."""

from __future__ import annotations

import networkx as nx
from hypothesis import strategies as st

from evalcore.graph import ConceptGraph, build_graph

NODES = [f"n{k:02d}" for k in range(14)]
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), min_size=1, max_size=24)
DIRECTIONS = st.sampled_from(["undirected", "directed"])


def graph_of(edges: list[tuple[str, str]]) -> ConceptGraph:
    return build_graph([child for child, _ in edges], [parent for _, parent in edges])[0]


def lengths_of(edges: list[tuple[str, str]], direction: str, cutoff: int | None = None) -> dict:
    """{(a, b): links}, with a direction the shorter of the two ways up; no pairs that nothing connects."""
    graph = nx.DiGraph(edges)
    if direction == "undirected":
        graph = graph.to_undirected()
    lengths: dict[tuple[str, str], int] = {}
    for a, ends in nx.all_pairs_shortest_path_length(graph, cutoff=cutoff):
        for b, n in ends.items():
            for pair in ((a, b), (b, a)):
                lengths[pair] = min(n, lengths.get(pair, n))
    return lengths
