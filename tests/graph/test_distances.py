"""Tables and counts of distances, neighbours and neighbourhoods, against networkx on random graphs."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.graph import Neighbours, neighbour_lists, neighbours
from evalcore.graph.distances import FURTHEST, NO_PATH, NOT_IN_GRAPH, distance_counts, distance_table
from evalcore.graph.neighbourhood import neighbourhood
from evalcore.graph.paths import shortest_paths
from evalcore.values.errors import SettingError
from tests.graph.conftest import DIRECTIONS, EDGES, NODES, graph_of
from tests.toy import lengths_of

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


def test_more_concepts_than_searches_at_a_time() -> None:
    """A chain of 1,100: three rounds of 512 searches; paths of more than 253 links count as none."""
    n, near = 1100, range(1, FURTHEST + 1)
    words, places, shares = [f"N{k:04d}" for k in range(n)], np.arange(n), []
    apart, times = np.abs(np.subtract.outer(places, places)), places % 9
    graph = graph_of(list(zip(words[1:], words[:-1], strict=True)))
    table = distance_table(graph, words, words)
    np.testing.assert_array_equal(table, np.where(apart > FURTHEST, NO_PATH, apart))
    counted = distance_counts(graph, words, times, progress=lambda done, _: shares.append(done))
    assert counted.pairs.tolist() == [0, *(n - d for d in near)]
    assert counted.weighted.tolist() == [0, *(int(times[d:] @ times[:-d]) for d in near)]
    assert shares == [512 / n, 1024 / n, 1.0]


def test_without_a_graph_and_with_one_concept() -> None:
    counted = distance_counts(None, ["a", "b", "c"], np.array([1, 2, 3]))
    assert (counted.not_in_graph, counted.no_path, counted.pairs.tolist()) == ((3, 11), (0, 0), [0])
    assert distance_counts(None, ["a"], np.array([5])).not_in_graph == (0, 0)
    assert distance_table(None, ["a"], ["a", "b"]).tolist() == [[0, NOT_IN_GRAPH]]
    assert neighbours(None, ["a", "b"], threshold=2).indptr.tolist() == [0, 0, 0]


def as_dict(near: Neighbours) -> dict[tuple[str, str], int]:
    pairs = {}
    for i, cui in enumerate(near.vocabulary):
        others, steps = near.of_concept(i)
        assert list(others) == sorted(set(others.tolist()))
        pairs |= {(cui, near.vocabulary[j]): int(d) for j, d in zip(others, steps, strict=True)}
    return pairs


def near_by_search(edges, vocabulary, threshold, direction) -> dict[tuple[str, str], int]:
    lengths = lengths_of(edges, direction, threshold)
    return {pair: n for pair, n in lengths.items() if n and {*pair} <= {*vocabulary}}


@settings(max_examples=300)
@given(EDGES, st.lists(st.sampled_from([*NODES, "absent"]), unique=True), st.integers(0, 5), DIRECTIONS)
def test_neighbours_equal_networkx(edges, vocabulary, threshold: int, direction: str) -> None:
    near = neighbours(graph_of(edges), vocabulary, threshold=threshold, direction=direction)
    assert as_dict(near) == near_by_search(edges, vocabulary, threshold, direction)
    nearer = near_by_search(edges, vocabulary, min(1, threshold), direction)
    assert as_dict(near.within(min(1, threshold))) == nearer


def test_the_digest_depends_on_the_settings() -> None:
    settings = [(n, d) for n in (1, 2) for d in ("undirected", "directed")]
    graph = graph_of([("b", "a")])
    digests = {neighbours(graph, ["a", "b"], threshold=n, direction=d).digest for n, d in settings}
    assert len(digests) == 4


@pytest.mark.parametrize("direction", ["undirected", "directed"])
def test_neighbours_do_not_depend_on_blocks(direction, monkeypatch) -> None:
    rng = np.random.default_rng(7)
    edges = [(f"n{a}", f"n{b}") for a, b in rng.integers(0, 150, (220, 2)).tolist()]
    vocabulary = sorted({name for edge in edges for name in edge})
    monkeypatch.setattr(neighbour_lists, "_BITS_HELD", 1)
    near = neighbours(graph_of(edges), vocabulary, threshold=3, direction=direction)
    assert as_dict(near) == near_by_search(edges, vocabulary, 3, direction)


USED = {"n01": 5, "n02": 1, "n03": 9, "n07": 2}


@given(EDGES, st.sampled_from(NODES), st.integers(1, 4), DIRECTIONS)
def test_the_neighbourhood_equals_networkx(edges, start, within, direction) -> None:
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


@pytest.mark.parametrize(
    ("ask", "option", "value"),
    [
        (lambda **more: distance_table(None, ["a"], ["b"], **more), "direction", "sideways"),
        (lambda **more: neighbours(None, [], **{"threshold": 1} | more), "threshold", -1),
        (lambda **more: neighbours(None, [], **{"threshold": 1} | more), "direction", "up"),
        (lambda **more: neighbourhood(None, "a", **{"within": 1, "used": {}} | more), "within", 0),
        (lambda **more: neighbourhood(None, "a", **{"within": 1, "used": {}} | more), "within", 5),
        (lambda **more: neighbourhood(None, "a", **{"within": 1, "used": {}} | more), "direction", "up"),
        (lambda **more: shortest_paths(None, "a", "b", **more), "limit", -1),
        (lambda **more: shortest_paths(None, "a", "b", **more), "direction", "up"),
    ],
)
def test_options_outside_their_range(ask: Callable, option: str, value: object) -> None:
    with pytest.raises(SettingError, match=option):
        ask(**{option: value})
