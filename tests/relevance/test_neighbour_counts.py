"""How the count rules relate to each other, and matchings against another program."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.relevance.neighbour import matched_pairs, neighbour_count
from tests.toy import near_by_search

WORDS = [f"C{k:07d}" for k in range(16)]


@st.composite
def near_sets(draw):
    """Two sets over random links, dense enough for matchings that need a second thought."""
    edge = st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).filter(lambda pair: pair[0] != pair[1])
    edges = draw(st.lists(edge, max_size=40))
    one_set = st.frozensets(st.sampled_from(WORDS), max_size=10)
    return draw(one_set), draw(one_set), near_by_search(edges, threshold=2), draw(st.integers(0, 2))


@effort(max_examples=200, deadline=None)
@given(near_sets())
def test_a_matching_is_as_large_as_networkx_finds_it(case):
    a, b, near, threshold = case
    left, right = a - b, b - a
    links = nx.Graph()
    links.add_nodes_from(left)
    links.add_nodes_from(right)
    links.add_edges_from((x, y) for x in left for y in right if near.get(x, {}).get(y, 99) <= threshold)
    pairs = matched_pairs(left, right, near, threshold=threshold)
    assert len(pairs) == len(nx.bipartite.maximum_matching(links, top_nodes=left)) // 2
    assert all(links.has_edge(x, y) for x, y in pairs)
    assert len({x for x, _ in pairs}) == len({y for _, y in pairs}) == len(pairs)


@effort(max_examples=200, deadline=None)
@given(near_sets())
def test_rules_are_ordered_as_the_formulas_say(case):
    a, b, near, threshold = case

    def n(rule):
        return neighbour_count(a, b, near, threshold=threshold, rule=rule)

    assert n("matching") <= n("pairs") <= n("pairs_all")
    assert n("matching2") <= n("concepts") <= n("concepts_full")
    assert n("concepts") == n("query") + n("candidate")
    assert n("matching") <= min(n("query"), n("candidate"))
