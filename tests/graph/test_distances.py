"""Tables and counts of distances, against networkx on random graphs and on the real one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.graph import distances as module
from evalcore.graph.distances import FURTHEST, NO_PATH, NOT_IN_GRAPH, distance_counts, distance_table
from evalcore.values.errors import SettingError
from tests.graph.links import DIRECTIONS, EDGES, NODES, graph_of, lengths_of

WORDS = [*NODES, "absent", "missing"]


def by_search(edges, direction):
    """Distances as networkx finds them, in the words of a table."""
    lengths, known = lengths_of(edges, direction), {node for edge in edges for node in edge}

    def entry(a: str, b: str) -> int:
        unknown = a not in known or b not in known
        return 0 if a == b else NOT_IN_GRAPH if unknown else lengths.get((a, b), NO_PATH)

    return entry


@given(EDGES, DIRECTIONS)
def test_tables_equal_networkx(edges, direction) -> None:
    rows, columns, entry = WORDS[::2], [*WORDS[1::3], "n00", "n00"], by_search(edges, direction)
    table = distance_table(graph_of(edges), rows, columns, direction=direction)
    assert table.tolist() == [[entry(a, b) for b in columns] for a in rows]


@given(EDGES, st.lists(st.integers(0, 5), min_size=16, max_size=16), DIRECTIONS)
def test_counts_equal_networkx(edges, times, direction) -> None:
    counted = distance_counts(graph_of(edges), WORDS, np.array(times), direction=direction)
    plain, weighted, entry = Counter(), Counter(), by_search(edges, direction)
    for (a, x), (b, y) in combinations(zip(WORDS, times, strict=True), 2):
        plain[entry(a, b)] += 1
        weighted[entry(a, b)] += x * y
    for k, expected in enumerate((plain, weighted)):
        counts, no_path, unknown = counted.counts(weighted=bool(k))
        assert {d: int(n) for d, n in enumerate(counts) if n} == {
            d: n for d, n in expected.items() if d < NOT_IN_GRAPH and n
        }
        assert (no_path, unknown) == (expected[NO_PATH], expected[NOT_IN_GRAPH])
    assert counted.n_concepts == 16 and counted.n_known == sum(w in nx.DiGraph(edges) for w in WORDS)


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
    lengths = Counter(n for (a, b), n in lengths_of(edges, "undirected").items() if a < b)
    assert dict(enumerate(whole.pairs.tolist())) == {0: 0} | dict(lengths)


def test_more_concepts_than_searches_at_a_time() -> None:
    # A chain of 1,100: three rounds of 512 searches; paths of more than 253 links count as none.
    words, places = [f"N{k:04d}" for k in range(1100)], np.arange(1100)
    apart = np.abs(np.subtract.outer(places, places))
    table = distance_table(graph_of(list(zip(words[1:], words[:-1], strict=True))), words, words)
    np.testing.assert_array_equal(table, np.where(apart > FURTHEST, NO_PATH, apart))


def test_without_a_graph_and_with_one_concept() -> None:
    counted = distance_counts(None, ["a", "b", "c"], np.array([1, 2, 3]))
    assert (counted.not_in_graph, counted.no_path, counted.pairs.tolist()) == ((3, 11), (0, 0), [0])
    assert distance_counts(None, ["a"], np.array([5])).not_in_graph == (0, 0)
    assert distance_table(None, ["a"], ["a", "b"]).tolist() == [[0, NOT_IN_GRAPH]]
    with pytest.raises(SettingError, match="`direction` must be undirected or directed"):
        distance_table(None, ["a"], ["b"], direction="sideways")


def test_the_real_graph(real_graph) -> None:
    graph, slow = real_graph
    words = sorted(set(np.random.default_rng(3).choice(graph.cuis, 70).tolist()))
    expected = [nx.single_source_shortest_path_length(slow, a) for a in words[:12]]
    table = distance_table(graph, words[:12], words)
    assert table.tolist() == [[lengths.get(b, NO_PATH) for b in words] for lengths in expected]
