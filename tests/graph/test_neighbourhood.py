"""What lies around a concept and around a path, against networkx."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import build_graph
from evalcore.graph.neighbourhood import around_path, neighbourhood
from evalcore.values.errors import SettingError

NODES = [f"n{k:02d}" for k in range(14)]
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), min_size=1, max_size=24)
USED = {"n01": 5, "n02": 1, "n03": 9, "n07": 2}


def graph_of(edges):
    return build_graph([e[0] for e in edges], [e[1] for e in edges])[0]


@given(EDGES, st.integers(1, 4), st.sampled_from(["undirected", "directed"]))
def test_the_same_concepts_as_networkx_finds(edges, within, direction) -> None:
    upward = nx.DiGraph(edges)
    graph = graph_of(edges)
    for start in (NODES[0], NODES[3]):
        around = neighbourhood(graph, start, within=within, used=USED, direction=direction)
        found = {one.cui: one.steps for one in around.near}
        expected: dict[str, int] = {}
        if start in upward:
            ways = [upward.to_undirected()] if direction == "undirected" else [upward, upward.reverse()]
            for way in ways:
                for cui, d in nx.single_source_shortest_path_length(way, start, cutoff=within).items():
                    expected[cui] = min(d, expected.get(cui, d))
            del expected[start]
        assert found == expected
        assert around.totals == tuple(sum(d == k for d in expected.values()) for k in range(1, within + 1))
        assert around.used == tuple(
            sum(d == k and c in USED for c, d in expected.items()) for k in range(1, within + 1)
        )
        for one in around.near:
            assert (
                (one.via, one.cui) in upward.edges if one.way == "up" else (one.cui, one.via) in upward.edges
            )
            # With a direction and a cycle, the concept before may be nearer the other way round.
            assert direction == "directed" or one.steps == 1 + (0 if one.via == start else expected[one.via])


def test_order_and_use() -> None:
    graph = graph_of([("n00", "n01"), ("n02", "n00"), ("n03", "n01"), ("n03", "n02"), ("n04", "n01")])
    around = neighbourhood(graph, "n00", within=2, used=USED)
    assert [(one.cui, one.via, one.way, one.steps, one.used) for one in around.near] == [
        ("n01", "n00", "up", 1, 5),
        ("n02", "n00", "down", 1, 1),
        ("n03", "n01", "down", 2, 9),
        ("n04", "n01", "down", 2, 0),
    ]


def test_a_concept_nobody_knows() -> None:
    assert neighbourhood(None, "n00", within=2, used={}).near == ()
    assert neighbourhood(graph_of([("n01", "n02")]), "n00", within=1, used={}).totals == (0,)


@pytest.mark.parametrize("within", [0, 5])
def test_steps_outside_their_range(within: int) -> None:
    with pytest.raises(SettingError, match="within"):
        neighbourhood(None, "n00", within=within, used={})
    with pytest.raises(SettingError, match="direction"):
        neighbourhood(None, "n00", within=1, used={}, direction="up")


def test_around_a_path_the_most_used_and_no_more_than_asked_for() -> None:
    graph = graph_of(
        [("n00", "n01"), ("n02", "n01"), ("n03", "n01"), ("n07", "n01"), ("n08", "n00"), ("n07", "n00")]
    )
    path = ("n00", "n01", "n02")
    shown = around_path(graph, path, used=USED)
    assert [(one.cui, one.via, one.way) for one in shown] == [
        ("n07", "n00", "down"),
        ("n08", "n00", "down"),
        ("n03", "n01", "down"),
    ]
    assert [one.cui for one in around_path(graph, path, used=USED, per_node=1)] == ["n07", "n03"]
    assert [one.cui for one in around_path(graph, path, used=USED, limit=4)] == ["n07"]
    assert around_path(graph, ("unknown",), used=USED) == ()
