"""Tables and counts of distances, against networkx on random graphs and on the real one."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import build_graph
from evalcore.graph import distances as module
from evalcore.graph.distances import NO_PATH, NOT_IN_GRAPH, distance_counts, distance_table
from evalcore.values.errors import SettingError

if TYPE_CHECKING:
    from pathlib import Path

NODES = [f"n{k:02d}" for k in range(14)]
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), min_size=1, max_size=24)
WORDS = [*NODES, "absent", "missing"]


def graph_of(edges):
    return build_graph([e[0] for e in edges], [e[1] for e in edges])[0]


def by_search(edges, a: str, b: str, direction: str) -> int:
    """The distance as networkx finds it, in the words of a table."""
    upward = nx.DiGraph(edges)
    if a == b:
        return 0
    if a not in upward or b not in upward:
        return NOT_IN_GRAPH
    graph = upward if direction == "directed" else upward.to_undirected()
    found = [nx.shortest_path_length(graph, *ends) for ends in ((a, b), (b, a)) if nx.has_path(graph, *ends)]
    return min(found, default=NO_PATH)


@given(EDGES, st.sampled_from(["undirected", "directed"]))
def test_tables_equal_networkx(edges, direction) -> None:
    rows, columns = WORDS[::2], [*WORDS[1::3], "n00", "n00"]
    table = distance_table(graph_of(edges), rows, columns, direction=direction)
    assert table.tolist() == [[by_search(edges, a, b, direction) for b in columns] for a in rows]


@given(
    EDGES, st.lists(st.integers(0, 5), min_size=16, max_size=16), st.sampled_from(["undirected", "directed"])
)
def test_counts_equal_networkx(edges, times, direction) -> None:
    found = distance_counts(graph_of(edges), WORDS, np.array(times), direction=direction)
    plain, weighted = Counter(), Counter()
    for (a, x), (b, y) in combinations(zip(WORDS, times, strict=True), 2):
        d = by_search(edges, a, b, direction)
        plain[d] += 1
        weighted[d] += x * y
    for k, expected in enumerate((plain, weighted)):
        counts, no_path, unknown = found.of(weighted=bool(k))
        assert {d: int(n) for d, n in enumerate(counts) if n} == {
            d: n for d, n in expected.items() if d < NOT_IN_GRAPH and n
        }
        assert (no_path, unknown) == (expected[NO_PATH], expected[NOT_IN_GRAPH])
    assert found.n_concepts == 16 and found.n_known == sum(w in nx.DiGraph(edges) for w in WORDS)


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """More concepts than one word of bits, and than one block, hold."""
    rng = np.random.default_rng(2)
    names = [f"n{k:03d}" for k in range(200)]
    edges = [(names[k], names[int(rng.integers(max(k, 1)))]) for k in range(1, 200)]
    graph, times, shares = graph_of(edges), rng.integers(0, 9, 200), []
    whole = distance_counts(graph, names, times)
    monkeypatch.setattr(module, "_ROWS", 70)
    parts = distance_counts(graph, names, times, progress=lambda done, _: shares.append(done))
    assert parts.pairs.tolist() == whole.pairs.tolist() and parts.weighted.tolist() == whole.weighted.tolist()
    assert shares == [70 / 200, 140 / 200, 1.0]
    lengths = Counter(
        d
        for a, found in nx.all_pairs_shortest_path_length(nx.Graph(edges))
        for b, d in found.items()
        if a < b
    )
    assert dict(enumerate(whole.pairs.tolist())) == {0: 0} | dict(lengths)


def test_without_a_graph_and_with_one_concept() -> None:
    found = distance_counts(None, ["a", "b", "c"], np.array([1, 2, 3]))
    assert (found.not_in_graph, found.no_path, found.pairs.tolist()) == ((3, 11), (0, 0), [0])
    assert distance_counts(None, ["a"], np.array([5])).not_in_graph == (0, 0)
    assert distance_table(None, ["a"], ["a", "b"]).tolist() == [[0, NOT_IN_GRAPH]]


def test_an_unknown_direction() -> None:
    with pytest.raises(SettingError, match="`direction` must be undirected or directed"):
        distance_table(None, ["a"], ["b"], direction="sideways")
    with pytest.raises(SettingError, match="direction"):
        distance_counts(None, ["a"], np.array([1]), direction="sideways")


def test_the_real_graph(real_dir: Path) -> None:
    with (real_dir / "kg/edges.csv").open(encoding="utf-8", newline="") as file:
        edges = [(row["child_cui"], row["parent_cui"]) for row in csv.DictReader(file)]
    graph, slow = graph_of(edges), nx.Graph(edges)
    words = sorted(set(np.random.default_rng(3).choice(graph.cuis, 70).tolist()))
    expected = {a: nx.single_source_shortest_path_length(slow, a) for a in words[:12]}
    table = distance_table(graph, words[:12], words)
    assert table.tolist() == [[expected[a].get(b, NO_PATH) for b in words] for a in words[:12]]
