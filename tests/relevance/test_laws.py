"""Laws that every registered relevance must keep, as far as it claims to.

A measure that is not classified here fails.
"""

from dataclasses import replace
from typing import get_args

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.relevance.neighbour import matched_pairs, neighbour_count
from evalcore.relevance.overlap import iou
from evalcore.relevance.registry import RELEVANCE
from evalcore.values.settings import CountRule, Settings
from tests.toy import near_by_search

RULES = get_args(CountRule)
SYMMETRIC = set(RULES) - {"query", "candidate"}
BOUNDED = set(RULES) - {"pairs", "pairs_all"}
WORDS = [f"C{k:07d}" for k in range(16)]
NEW = "C9999999"

# name: (symmetric, needs a graph, a shared concept more never lowers it)
CLASSIFIED = {
    "iou": (True, False, True),
    "dice": (True, False, True),
    "cosine": (True, False, True),
    "overlap": (True, False, True),
    "nn-iou": (True, True, True),
}


def edges_of(seed):
    """Up to forty random links."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, len(WORDS), (rng.integers(0, 41), 2)).tolist()
    return [(WORDS[a], WORDS[b]) for a, b in ends if a != b]


EDGES = st.integers(0, 2**32 - 1).map(edges_of)


@st.composite
def cases(draw):
    """Two sets, a neighbour dictionary, settings."""
    one_set = st.frozensets(st.sampled_from(WORDS), max_size=7)
    settings = Settings(
        alpha=draw(st.sampled_from([0.0, 0.1, 0.5, 1 / 3, 0.9, 1.0])),
        threshold=draw(st.integers(0, 4)),
        count_rule=draw(st.sampled_from(sorted(RULES))),
    )
    return draw(one_set), draw(one_set), near_by_search(draw(EDGES), threshold=4), settings


def in_range(value, a, b, near, settings):
    """Between 0 and 1."""
    return 0 <= value(a, b, near, settings) <= 1


def symmetric(value, a, b, near, settings):
    """The same, to the last bit, from both sides."""
    return value(a, b, near, settings) == value(b, a, near, settings)


def one_with_itself(value, a, b, near, settings):
    """1 for a set with itself, unless there is nothing in it."""
    return value(a, a, near, settings) == (1 if a else 0)


def iou_without_neighbours(value, a, b, near, settings):
    """IoU, whatever alpha, when no distance counts as near."""
    return value(a, b, near, replace(settings, threshold=0)) == iou(a, b)


def iou_without_weight(value, a, b, near, settings):
    """IoU when near matches weigh nothing."""
    return value(a, b, near, replace(settings, alpha=0.0)) == iou(a, b)


def grows_with_a_shared_concept(value, a, b, near, settings):
    """Not lower when both get a concept that neither had."""
    return value(a | {NEW}, b | {NEW}, near, settings) >= value(a, b, near, settings)


def blind_to_names(value, a, b, near, settings):
    """The same under other names: an order-preserving and a reversing renaming."""
    before = value(a, b, near, settings)
    for rename in ({w: f"{w}x" for w in WORDS}, dict(zip(WORDS, reversed(WORDS), strict=True))):
        renamed = {
            rename[x]: {rename[y]: distance for y, distance in ends.items()} for x, ends in near.items()
        }
        if value({rename[x] for x in a}, {rename[x] for x in b}, renamed, settings) != before:
            return False
    return True


def blind_to_the_graph(value, a, b, near, settings):
    """The same without a graph and under the usual settings."""
    return value(a, b, near, settings) == value(a, b, {}, Settings())


LAWS = (
    (in_range, [*RELEVANCE], BOUNDED),
    (symmetric, [name for name, claims in CLASSIFIED.items() if claims[0]], SYMMETRIC),
    (one_with_itself, [*RELEVANCE], set(RULES) - {"pairs_all"}),
    (grows_with_a_shared_concept, [name for name, claims in CLASSIFIED.items() if claims[2]], BOUNDED),
    (blind_to_names, [*RELEVANCE], RULES),
    (iou_without_neighbours, ["nn-iou"], RULES),
    (iou_without_weight, ["nn-iou"], RULES),
    (blind_to_the_graph, [name for name, claims in CLASSIFIED.items() if not claims[1]], RULES),
)
"""Each law, the measures that keep it, and under which count rules."""


def test_every_measure_is_classified():
    claims = {m.name: (m.symmetric, m.needs_graph, m.monotone_in_shared) for m in RELEVANCE.values()}
    assert claims == CLASSIFIED
    assert all(m.name == name and m.value and m.range == (0, 1) for name, m in RELEVANCE.items())


@pytest.mark.parametrize("name", RELEVANCE)
@effort(max_examples=140)
@given(case=cases())
def test_every_law_that_a_measure_claims_to_keep(name, case):
    for law, names, rules in LAWS:
        if name in names and case[-1].count_rule in rules:
            assert law(RELEVANCE[name].value, *case), law.__name__


@effort(max_examples=60)
@given(case=cases())
def test_query_and_candidate_rules_are_mirror_images(case):
    a, b, near, settings = case
    value = RELEVANCE["nn-iou"].value
    forwards = value(a, b, near, replace(settings, count_rule="query"))
    assert forwards == value(b, a, near, replace(settings, count_rule="candidate"))


# How the count rules relate to each other, and matchings against another program.


@st.composite
def near_sets(draw):
    """Two sets over random links, dense enough for matchings that need a second thought."""
    one_set = st.frozensets(st.sampled_from(WORDS), max_size=10)
    return draw(one_set), draw(one_set), near_by_search(draw(EDGES), threshold=2), draw(st.integers(0, 2))


@effort(max_examples=200)
@given(near_sets())
def test_counts_are_ordered_and_a_matching_is_as_large_as_networkx_finds_it(case):
    a, b, near, threshold = case

    def n(rule):
        return neighbour_count(a, b, near, threshold=threshold, rule=rule)

    assert n("matching") <= n("pairs") <= n("pairs_all")
    assert n("matching2") <= n("concepts") <= n("concepts_full")
    assert n("concepts") == n("query") + n("candidate")
    assert n("matching") <= min(n("query"), n("candidate"))
    left, right = a - b, b - a
    links = nx.Graph()
    links.add_nodes_from([*left, *right])
    links.add_edges_from((x, y) for x in left for y in right if near.get(x, {}).get(y, 99) <= threshold)
    pairs = matched_pairs(left, right, near, threshold=threshold)
    assert n("matching") == len(pairs) == len(nx.bipartite.maximum_matching(links, top_nodes=left)) // 2
    assert all(links.has_edge(x, y) for x, y in pairs)
    assert len({x for x, _ in pairs}) == len({y for _, y in pairs}) == len(pairs)
