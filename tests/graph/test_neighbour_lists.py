"""Neighbours within a few edges, against networkx on random graphs and on the real one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import Neighbours, neighbour_lists, neighbours
from evalcore.values.errors import SettingError
from tests.graph.links import DIRECTIONS, EDGES, NODES, graph_of, lengths_of


def as_dict(near: Neighbours) -> dict[tuple[str, str], int]:
    pairs = {}
    for i, cui in enumerate(near.vocabulary):
        others, steps = near.of_concept(i)
        assert list(others) == sorted(set(others.tolist()))
        pairs |= {(cui, near.vocabulary[j]): int(d) for j, d in zip(others, steps, strict=True)}
    return pairs


def by_search(edges, vocabulary, threshold, direction) -> dict[tuple[str, str], int]:
    lengths = lengths_of(edges, direction, threshold)
    return {pair: n for pair, n in lengths.items() if n and {*pair} <= {*vocabulary}}


@given(EDGES, st.lists(st.sampled_from([*NODES, "absent"]), unique=True), st.integers(0, 5), DIRECTIONS)
def test_neighbours_equal_networkx(edges, vocabulary, threshold: int, direction: str) -> None:
    near = neighbours(graph_of(edges), vocabulary, threshold=threshold, direction=direction)
    assert as_dict(near) == by_search(edges, vocabulary, threshold, direction)
    nearer = by_search(edges, vocabulary, min(1, threshold), direction)
    assert as_dict(near.within(min(1, threshold))) == nearer


def test_without_a_graph_nobody_has_neighbours() -> None:
    assert neighbours(None, ["a", "b"], threshold=2).indptr.tolist() == [0, 0, 0]
    assert len(neighbours(None, [], threshold=2).indices) == 0


def test_the_digest_tells_settings_apart() -> None:
    settings = [(n, d) for n in (1, 2) for d in ("undirected", "directed")]
    graph = graph_of([("b", "a")])
    digests = {neighbours(graph, ["a", "b"], threshold=n, direction=d).digest for n, d in settings}
    assert len(digests) == 4


@pytest.mark.parametrize("width", [1, 1 << 25])
@pytest.mark.parametrize("direction", ["undirected", "directed"])
def test_blocks_of_the_vocabulary_do_not_show(width, direction, monkeypatch) -> None:
    rng = np.random.default_rng(7)
    edges = [(f"n{a}", f"n{b}") for a, b in rng.integers(0, 150, (220, 2)).tolist()]
    vocabulary = sorted({name for edge in edges for name in edge})
    monkeypatch.setattr(neighbour_lists, "_BITS_HELD", width)
    near = neighbours(graph_of(edges), vocabulary, threshold=3, direction=direction)
    assert as_dict(near) == by_search(edges, vocabulary, 3, direction)


@pytest.mark.parametrize(("option", "value"), [("threshold", -1), ("direction", "up")])
def test_options_outside_their_range(option: str, value: object) -> None:
    with pytest.raises(SettingError, match=option):
        neighbours(None, [], **{"threshold": 1, option: value})


def test_the_real_graph_within_three_edges(real_graph) -> None:
    graph, slow = real_graph
    vocabulary = [*np.random.default_rng(3).choice(graph.cuis, 300, replace=False).tolist(), "C0926510"]
    near = neighbours(graph, vocabulary, threshold=3)
    names = near.vocabulary
    for i in range(0, len(names), 3):
        cui, (others, steps) = names[i], near.of_concept(i)
        lengths = nx.single_source_shortest_path_length(slow, cui, cutoff=3) if cui in slow else {}
        assert {names[j]: int(d) for j, d in zip(others, steps, strict=True)} == {
            other: lengths[other] for other in vocabulary if other in lengths and other != cui
        }
