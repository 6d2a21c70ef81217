"""Groups of equals: maximal cliques by networkx, and letters that only equals share."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from evalcore.evaluate import equals as ranks
from evalcore.evaluate.equals import groups_of_equals
from evalcore.values.errors import InputError
from evalcore.values.model import Comparison

NAN = float("nan")
BLANK = Comparison("", "", "m", 0, 0, 0, 0.95, 0, 0, "Holm", "t", 9, 9, 0, 0, 0, 0, 0.0)


def comparisons(p):
    """{(a, b): corrected p}"""
    return [replace(BLANK, system=a, baseline=b, p_corrected=value) for (a, b), value in p.items()]


@pytest.mark.parametrize("seed", range(20))
def test_as_maximal_cliques(seed):
    rng = np.random.default_rng(seed)
    names = [f"s{i}" for i in range(rng.integers(2, 10))]
    p = {pair: float(rng.choice([0.01, 0.049, 0.05, 0.8])) for pair in combinations(names, 2)}
    found = groups_of_equals(names, comparisons(p))
    graph = nx.Graph([pair for pair, value in p.items() if value >= 0.05])
    graph.add_nodes_from(names)
    assert {frozenset(group) for group in found.groups} == set(map(frozenset, nx.find_cliques(graph)))
    letters = dict(zip(names, found.letters, strict=True))
    for (a, b), value in p.items():
        assert bool(set(letters[a]) & set(letters[b])) == (value >= 0.05)
    assert all(letters.values())
    assert "a" in letters["s0"], "the first group is that of the first system"


def test_an_overlapping_row_by_hand():
    """1 and 2, 2 and 3 are equals, 1 and 3 are not: the letters of the textbook, a ab b."""
    p = {("1", "2"): 0.5, ("2", "3"): 0.2, ("1", "3"): 0.01}
    found = groups_of_equals(["1", "2", "3"], comparisons(p))
    assert (found.groups, found.letters) == ((("1", "2"), ("2", "3")), ("a", "ab", "b"))
    strict = groups_of_equals(["1", "2", "3"], comparisons(p), level=0.3)
    assert strict.letters == ("a", "a", "b")


def test_pairs_without_a_p_are_not_told_apart():
    found = groups_of_equals(["1", "2"], comparisons({("1", "2"): NAN}))
    assert found.groups == (("1", "2"),)
    assert groups_of_equals([], []).groups == ()


def test_more_groups_than_can_be_read():
    """Ten trios, told apart within and not across: 3^10 groups."""
    names = [f"s{i}" for i in range(30)]
    p = {(a, b): 0.01 if int(a[1:]) // 3 == int(b[1:]) // 3 else 0.5 for a, b in combinations(names, 2)}
    with pytest.raises(InputError, match=f"more than {ranks.MOST} groups"):
        groups_of_equals(names, comparisons(p))
