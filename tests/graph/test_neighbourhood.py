"""What lies around a concept and around a path, against networkx."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph.neighbourhood import around_path, neighbourhood
from evalcore.values.errors import SettingError
from tests.graph.links import DIRECTIONS, EDGES, NODES, graph_of, lengths_of

USED = {"n01": 5, "n02": 1, "n03": 9, "n07": 2}


@given(EDGES, st.sampled_from(NODES), st.integers(1, 4), DIRECTIONS)
def test_the_same_concepts_as_networkx_finds(edges, start, within, direction) -> None:
    upward, lengths = nx.DiGraph(edges), lengths_of(edges, direction, within)
    around = neighbourhood(graph_of(edges), start, within=within, used=USED, direction=direction)
    expected = {b: n for (a, b), n in lengths.items() if a == start and b != start}
    assert {near.cui: near.steps for near in around.near} == expected
    rings = [[cui for cui, n in expected.items() if n == k] for k in range(1, within + 1)]
    assert around.totals == tuple(map(len, rings))
    assert around.used == tuple(sum(cui in USED for cui in ring) for ring in rings)
    for near in around.near:
        assert ((near.via, near.cui) if near.way == "up" else (near.cui, near.via)) in upward.edges
        # With a direction and a cycle, the concept before may be nearer the other way round.
        assert direction == "directed" or near.steps == 1 + expected.get(near.via, 0)


def test_order_and_use() -> None:
    graph = graph_of([("n00", "n01"), ("n02", "n00"), ("n03", "n01"), ("n03", "n02"), ("n04", "n01")])
    around = neighbourhood(graph, "n00", within=2, used=USED)
    assert [(near.cui, near.via, near.way, near.steps, near.used) for near in around.near] == [
        ("n01", "n00", "up", 1, 5),
        ("n02", "n00", "down", 1, 1),
        ("n03", "n01", "down", 2, 9),
        ("n04", "n01", "down", 2, 0),
    ]
    assert neighbourhood(None, "n00", within=2, used={}).near == ()


@pytest.mark.parametrize(("option", "value"), [("within", 0), ("within", 5), ("direction", "up")])
def test_options_outside_their_range(option: str, value: object) -> None:
    with pytest.raises(SettingError, match=option):
        neighbourhood(None, "n00", **{"within": 1, "used": {}, option: value})


def test_around_a_path_the_most_used_and_no_more_than_asked_for() -> None:
    ends = [("n00", "n01"), ("n02", "n01"), ("n03", "n01"), ("n07", "n01"), ("n08", "n00"), ("n07", "n00")]
    graph, path = graph_of(ends), ("n00", "n01", "n02")
    shown = [(near.cui, near.via, near.way) for near in around_path(graph, path, used=USED)]
    assert shown == [("n07", "n00", "down"), ("n08", "n00", "down"), ("n03", "n01", "down")]
    assert [near.cui for near in around_path(graph, path, used=USED, per_node=1)] == ["n07", "n03"]
    assert [near.cui for near in around_path(graph, path, used=USED, limit=4)] == ["n07"]
    assert around_path(graph, ("unknown",), used=USED) == ()
