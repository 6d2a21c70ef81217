"""Distances, shortest paths and their steps, against networkx and facts published with the real graph."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import Paths, Step, build_graph, distance, shortest_paths, steps
from evalcore.graph.paths import PATH_COLUMNS, path_rows
from evalcore.values.errors import InputError
from tests.graph.conftest import EDGES, NODES, graph_of


def all_shortest(graph: nx.Graph, a: str, b: str) -> list[tuple[str, ...]]:
    if a == b:
        return [(a,)]
    if a not in graph or b not in graph or not nx.has_path(graph, a, b):
        return []
    return sorted(tuple(path) for path in nx.all_shortest_paths(graph, a, b))


@given(EDGES, st.sampled_from(NODES), st.sampled_from([*NODES, "absent"]), st.integers(0, 6))
def test_undirected_paths_equal_networkx(edges: list, a: str, b: str, limit: int) -> None:
    expected = all_shortest(nx.Graph(edges), a, b)
    length = len(expected[0]) - 1 if expected else None
    assert shortest_paths(graph_of(edges), a, b, limit=limit) == Paths(
        a, b, length, len(expected), tuple(expected[:limit])
    )
    assert distance(graph_of(edges), a, b) == length


@given(EDGES, st.sampled_from(NODES), st.sampled_from(NODES))
def test_directed_paths_are_the_shorter_way_up(edges: list, a: str, b: str) -> None:
    up = nx.DiGraph(edges)
    from_a = all_shortest(up, a, b)
    from_b = sorted(path[::-1] for path in all_shortest(up, b, a))
    shorter = min([paths for paths in (from_a, from_b) if paths], key=lambda paths: len(paths[0]), default=[])
    result = shortest_paths(graph_of(edges), a, b, direction="directed", limit=100)
    length = len(shorter[0]) - 1 if shorter else None
    assert (result.paths, result.n_shortest, result.distance) == (tuple(shorter), len(shorter), length)


def test_a_path_given_step_by_step() -> None:
    graph, _ = build_graph(
        ["nodule", "cyst", "a", "b"], ["mass", "mass", "b", "a"], ["MESH", "DOID isa", "x", "y"]
    )
    assert steps(graph, ("nodule", "mass", "cyst")) == (
        Step("nodule", "mass", "up", "MESH"),
        Step("mass", "cyst", "down", "DOID isa"),
    )
    assert steps(graph, ("a", "b")) == (Step("a", "b", "up", "x"),)
    assert steps(graph, ("a",)) == ()
    with pytest.raises(InputError, match="no edge between nodule and cyst"):
        steps(graph, ("nodule", "cyst"))
    with pytest.raises(InputError, match="no edge between nodule and elsewhere"):
        steps(graph, ("nodule", "elsewhere"))


def test_more_paths_than_fit_in_64_bits_are_counted() -> None:
    """70 diamonds in a row: two ways through each."""
    edges = []
    for k in range(70):
        edges += [(f"x{k:03}", f"l{k:03}"), (f"x{k:03}", f"r{k:03}")]
        edges += [(f"l{k:03}", f"x{k + 1:03}"), (f"r{k:03}", f"x{k + 1:03}")]
    result = shortest_paths(graph_of(edges), "x000", "x070", limit=2)
    assert (result.distance, result.n_shortest) == (140, 2**70)
    assert result.paths[0][1::2] == tuple(f"l{k:03}" for k in range(70))
    assert result.paths[1][-2] == "r069"


def test_the_real_graph(real_edges) -> None:
    graph, only_isa = (
        graph_of([(row["child_cui"], row["parent_cui"]) for row in real_edges if row["rela"] in relations])
        for relations in ({row["rela"] for row in real_edges}, {"isa"})
    )
    assert distance(graph, "C0042449", "C0005847") == 1
    assert distance(graph, "C0006121", "C0006104", direction="directed") == 1
    assert distance(only_isa, "C0006121", "C0006104") == 5
    assert distance(only_isa, "C0006121", "C0006104", direction="directed") is None
    assert distance(graph, "C0006121", "C0018670") == 5
    assert distance(graph, "C0006121", "C0926510") is None


# Paths as rows.

GRAPH = build_graph(["a", "b", "a", "c"], ["top", "top", "mid", "mid"], ["MESH", "X isa", "", ""])[0]
NAMES = {"a": 'Say "ah"', "top": "Top\\level"}


def test_one_row_per_link() -> None:
    rows = path_rows(GRAPH, [("a", "top", "b"), ("a", "mid")], NAMES)
    assert rows == [
        (1, 1, "a", 'Say "ah"', "up", "top", "Top\\level", "MESH"),
        (1, 2, "top", "Top\\level", "down", "b", "", "X isa"),
        (2, 1, "a", 'Say "ah"', "up", "mid", "", ""),
    ]
    assert all(len(row) == len(PATH_COLUMNS) for row in rows)
