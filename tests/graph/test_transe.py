"""TransE: the step is down the gradient, the same seed gives the same vectors, and links can be told."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.graph import build_graph
from evalcore.graph.transe import step, transe_vectors
from evalcore.values.errors import InputError

TREE = [(f"n{i:03d}", f"n{(i - 1) // 3:03d}") for i in range(1, 120)]


def graph_of(edges):
    return build_graph(*zip(*edges, strict=True))[0]


def loss_of(concepts, relations, links, wrong, margin):
    """Written out, link by link."""
    total = 0.0
    for h, r, t, a, b in zip(*links, *wrong, strict=True):
        true = sum((concepts[h] + relations[r] - concepts[t]) ** 2)
        false = sum((concepts[a] + relations[r] - concepts[b]) ** 2)
        total += max(0.0, margin + true - false)
    return total


def test_a_step_goes_down_the_gradient():
    """The gradient by differences of the loss, with concepts that are in several links."""
    rng = np.random.default_rng(3)
    tables = [rng.normal(size=(5, 3)), rng.normal(size=(2, 3))]
    links = (np.array([0, 1, 0, 4]), np.array([0, 1, 1, 0]), np.array([1, 2, 3, 4]))
    wrong = (np.array([0, 3, 0, 2]), np.array([4, 2, 1, 0]))
    moved = [table.copy() for table in tables]
    assert step(*moved, links, wrong, rate=0.01, margin=0.5) == pytest.approx(
        loss_of(*tables, links, wrong, 0.5)
    )
    for number, table in enumerate(tables):
        for at in np.ndindex(table.shape):
            ends = []
            for sign in (1, -1):
                other = [one.copy() for one in tables]
                other[number][at] += sign * 1e-6
                ends.append(loss_of(*other, links, wrong, 0.5))
            gradient = (ends[0] - ends[1]) / 2e-6
            assert moved[number][at] - table[at] == pytest.approx(-0.01 * gradient, abs=1e-7)


def test_vectors_tell_parents_from_others():
    """h + r is nearer to the parent than to most concepts; r is the mean of t - h, whatever was learnt."""
    graph = graph_of(TREE)
    cuis, vectors = transe_vectors(graph, dim=16, seed=1)
    again = transe_vectors(graph, dim=16, seed=1)[1]
    assert np.array_equal(vectors, again) and cuis == graph.cuis
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert not np.array_equal(vectors, transe_vectors(graph, dim=16, seed=2)[1])
    place = {cui: i for i, cui in enumerate(cuis)}
    child, parent = (np.array([place[edge[i]] for edge in TREE]) for i in (0, 1))
    relation = (vectors[parent] - vectors[child]).mean(axis=0)
    apart = np.linalg.norm(vectors[child, None] + relation - vectors, axis=2)
    ranks = (apart < apart[np.arange(len(child)), parent][:, None]).sum(axis=1)
    assert np.median(ranks) < 12, "by chance 60 of 120 are nearer"


def test_too_many_dimensions():
    with pytest.raises(InputError, match="this one has 4"):
        transe_vectors(graph_of([("a", "b"), ("c", "d")]), dim=5)
