"""Neighbours within a few edges, against networkx on random graphs and on the real one."""

from __future__ import annotations

import csv
import itertools
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.graph import Neighbours, build_graph, neighbour_lists, neighbours
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from pathlib import Path

NODES = [f"n{k}" for k in range(14)]
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=24)


def as_dict(found: Neighbours) -> dict[tuple[str, str], int]:
    pairs = {}
    for i, cui in enumerate(found.vocabulary):
        near, far = found.of(i)
        assert list(near) == sorted(set(near.tolist()))
        pairs |= {(cui, found.vocabulary[j]): int(d) for j, d in zip(near, far, strict=True)}
    return pairs


def oracle(edges: list[tuple[str, str]], vocabulary: list[str], threshold: int, direction: str) -> dict:
    graph = nx.DiGraph(edges)
    if direction == "undirected":
        graph = graph.to_undirected()
    lengths = dict(nx.all_pairs_shortest_path_length(graph, cutoff=threshold))
    pairs = {}
    for a, b in itertools.permutations(vocabulary, 2):
        both = [lengths.get(a, {}).get(b), lengths.get(b, {}).get(a)]
        known = [d for d in both if d is not None]
        if known:
            pairs[a, b] = min(known)
    return pairs


@settings(deadline=None)
@given(
    EDGES,
    st.sets(st.sampled_from([*NODES, "absent"])),
    st.integers(0, 5),
    st.sampled_from(["undirected", "directed"]),
)
def test_neighbours_equal_networkx(edges: list, words: set[str], threshold: int, direction: str) -> None:
    graph, _ = build_graph([e[0] for e in edges], [e[1] for e in edges])
    vocabulary = sorted(words)
    found = neighbours(graph, vocabulary, threshold=threshold, direction=direction)
    assert as_dict(found) == oracle(edges, vocabulary, threshold, direction)
    for i in range(len(vocabulary)):
        nearer = neighbours(graph, vocabulary, threshold=min(1, threshold), direction=direction)
        assert found.within(min(1, threshold)).of(i)[0].tolist() == nearer.of(i)[0].tolist()


def test_siblings_are_two_apart_and_directed_not_at_all() -> None:
    graph, _ = build_graph(["nodule", "cyst"], ["mass", "mass"])
    vocabulary = ["cyst", "nodule"]
    assert as_dict(neighbours(graph, vocabulary, threshold=1)) == {}
    assert as_dict(neighbours(graph, vocabulary, threshold=2)) == {
        ("cyst", "nodule"): 2,
        ("nodule", "cyst"): 2,
    }
    assert as_dict(neighbours(graph, vocabulary, threshold=4, direction="directed")) == {}


def test_without_a_graph_nobody_has_neighbours() -> None:
    found = neighbours(None, ["a", "b"], threshold=2)
    assert found.indptr.tolist() == [0, 0, 0]
    assert len(neighbours(None, [], threshold=2).indices) == 0


def test_the_vocabulary_need_not_be_sorted() -> None:
    graph, _ = build_graph(["b", "c"], ["a", "b"])
    assert as_dict(neighbours(graph, ["c", "x", "b", "a"], threshold=1)) == {
        ("c", "b"): 1,
        ("b", "c"): 1,
        ("b", "a"): 1,
        ("a", "b"): 1,
    }


def test_the_digest_tells_settings_apart() -> None:
    graph, _ = build_graph(["b"], ["a"])
    digests = {
        neighbours(graph, ["a", "b"], threshold=n, direction=d).digest
        for n in (1, 2)
        for d in ("undirected", "directed")
    }
    assert len(digests) == 4


@pytest.mark.parametrize("width", [1, 1 << 25])
def test_blocks_of_the_vocabulary_do_not_show(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    edges = [(f"n{a}", f"n{b}") for a, b in rng.integers(0, 150, (220, 2)).tolist()]
    vocabulary = sorted({name for edge in edges for name in edge})
    graph, _ = build_graph([e[0] for e in edges], [e[1] for e in edges])
    monkeypatch.setattr(neighbour_lists, "_BITS_HELD", width)
    for direction in ("undirected", "directed"):
        found = neighbours(graph, vocabulary, threshold=3, direction=direction)
        assert as_dict(found) == oracle(edges, vocabulary, 3, direction)


@pytest.mark.parametrize(("option", "value"), [("threshold", -1), ("direction", "up")])
def test_options_outside_their_range(option: str, value: object) -> None:
    with pytest.raises(SettingError, match=option):
        neighbours(None, [], **{"threshold": 1, option: value})


def test_the_real_graph_within_two_edges(real_dir: Path) -> None:
    with (real_dir / "kg/edges.csv").open(encoding="utf-8", newline="") as file:
        edges = [(row["child_cui"], row["parent_cui"]) for row in csv.DictReader(file)]
    graph, _ = build_graph([e[0] for e in edges], [e[1] for e in edges])
    vocabulary = [*np.random.default_rng(3).choice(graph.cuis, 300, replace=False).tolist(), "C0926510"]
    slow = nx.Graph(edges)
    found = as_dict(neighbours(graph, vocabulary, threshold=3))
    for cui in vocabulary[:300]:
        lengths = nx.single_source_shortest_path_length(slow, cui, cutoff=3)
        assert {b: d for (a, b), d in found.items() if a == cui} == {
            other: lengths[other] for other in vocabulary if other in lengths and other != cui
        }
