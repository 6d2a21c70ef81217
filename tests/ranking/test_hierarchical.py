"""Hierarchical measures: golden values of the specification, brute force, scikit-learn, orders of ties."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evalcore.ranking.gains import RankedGains
from evalcore.ranking.graded import gain_of, ndcg
from evalcore.ranking.hierarchical import (
    average_hierarchical_precision,
    average_set_intersection,
    h_average_precision,
    hierarchical_precision,
)

GOLDEN = [
    (
        [3, 0, 2, 1, 3, 0, 1, 2],
        0.7373015873,
        0.7136054422,
        0.8640129450,
        0.6888888889,
        (4, 0.6),
        0.7658143939,
        0.6408143939,
    ),
    (
        [0, 0, 1, 1, 2, 2, 3, 3],
        0.4515873016,
        0.3540816327,
        0.5150917006,
        0.1777777778,
        (4, 0.2),
        0.3673295455,
        0.3048295455,
    ),
    (
        [2, 1, 1, 0, 3, 1],
        0.6796296296,
        0.5484126984,
        0.7046897217,
        0.5433333333,
        (3, 0.6666666667),
        0.7299603175,
        0.5910714286,
    ),
    ([0, 1, 0, 1, 1], 0.5333333333, 0.5333333333, 0.6797310500, 0.2777777778, (4, 0.6666666667), 0.5, 0.4),
]
"""Levels in rank order, H-AP with a = 1 and 2, nDCG, ASI, HP, AHP by mean and trapezoid."""
lists = st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.25, 0.5, 1.0]), min_size=1, max_size=14)


def one(values) -> RankedGains:
    return RankedGains(np.array([0, len(values)]), np.array(values, float))


def best(values) -> np.ndarray:
    return np.array([sorted(values, reverse=True)], float)


def by_definition(rel, total=None, cutoff=None):
    ranks = range(1, min(len(rel), cutoff or len(rel)) + 1)
    found = sum(sum(min(rel[k - 1], rel[j]) for j in range(k)) / k for k in ranks if rel[k - 1] > 0)
    return found / (sum(rel) if total is None else total)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: str(row[0]))
def test_golden_values_of_levels(row):
    levels, h1, h2, of_ndcg, asi, (k, hp), mean, trapezoid = row
    near, n = {"abs": 5.1e-11}, len(levels)
    for a, expected in ((1, h1), (2, h2)):
        rel = [level**a / levels.count(level) if level else 0.0 for level in levels]
        assert h_average_precision(one(rel), best(rel))[0] == pytest.approx(expected, **near)
    gains = gain_of(np.array(levels, float), gain="exp")
    assert ndcg(one(gains), best(gains), cutoff=n)[0] == pytest.approx(of_ndcg, **near)
    assert average_set_intersection(one(levels), best(levels))[0] == pytest.approx(asi, **near)
    assert hierarchical_precision(one(levels), best(levels), cutoff=k)[0] == pytest.approx(hp, **near)
    for area, expected in (("mean", mean), ("trapezoid", trapezoid)):
        found = average_hierarchical_precision(one(levels), best(levels), cutoff=n, area=area)
        assert found[0] == pytest.approx(expected, **near)


def test_golden_values_of_graded_relevance():
    rel = [1 / 4, 2 / 3, 0, 2 / 3, 1 / 2]
    assert h_average_precision(one(rel), best(rel))[0] == pytest.approx(0.698, abs=1e-12)
    assert hierarchical_precision(one(rel), best(rel), cutoff=3)[0] == pytest.approx(0.5)
    for area, expected in (("mean", 0.6645), ("trapezoid", 0.527)):
        found = average_hierarchical_precision(one(rel), best(rel), cutoff=5, area=area)[0]
        assert found == pytest.approx(expected, abs=5e-5)
    thirds = [level / 3 for level in GOLDEN[2][0]]
    assert h_average_precision(one(thirds), best(thirds))[0] == pytest.approx(0.7791666667, abs=5.1e-11)


@given(rel=lists, more=lists, cutoff=st.none() | st.integers(1, 16))
def test_h_ap_is_its_definition_for_lists_of_part_of_the_collection(rel, more, cutoff):
    whole = [*rel, *more]
    (found,) = h_average_precision(one(rel), best(whole), cutoff=cutoff)
    if not any(whole):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(by_definition(rel, sum(whole), cutoff), abs=1e-12)


@given(relevant=st.lists(st.booleans(), min_size=1, max_size=40).filter(any))
def test_binary_relevance_gives_average_precision(relevant):
    expected = average_precision_score(relevant, -np.arange(len(relevant)))
    assert h_average_precision(one(relevant), best(relevant))[0] == pytest.approx(expected)


MEASURES = {
    "H-AP": lambda r, i: h_average_precision(r, i),
    "H-AP@3": lambda r, i: h_average_precision(r, i, cutoff=3),
    "HP@3": lambda r, i: hierarchical_precision(r, i, cutoff=3),
    "AHP@4": lambda r, i: average_hierarchical_precision(r, i, cutoff=4),
    "AHP@4 trapezoid": lambda r, i: average_hierarchical_precision(r, i, cutoff=4, area="trapezoid"),
}


@pytest.mark.parametrize("name", MEASURES)
@effort(max_examples=25)
@given(
    groups=st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=4), min_size=1, max_size=2
    )
)
def test_the_expectation_over_ties_is_the_mean_over_every_order(name, groups):
    rel = [value for group in groups for value in group]
    if not any(rel):
        return
    scores = np.repeat(-np.arange(len(groups), dtype=float), [len(group) for group in groups])
    tied = RankedGains.of(np.array([0, len(rel)]), scores, np.array(rel), expected=True)
    (expected,) = MEASURES[name](tied, best(rel))
    orders = [
        [*first, *second]
        for first in permutations(groups[0])
        for second in permutations(groups[1] if len(groups) > 1 else ())
    ]
    every = [MEASURES[name](one(order), best(rel))[0] for order in orders]
    assert expected == pytest.approx(np.mean(every), abs=1e-12)


def test_many_lists_at_once_and_thousands_of_results():
    rng = np.random.default_rng(3)
    lengths = [0, 3_000, 1, 0, 700]
    rel = rng.random(sum(lengths)) * (rng.random(sum(lengths)) < 0.7)
    ranked = RankedGains(np.concatenate([[0], np.cumsum(lengths)]), rel)
    parts = np.split(rel, np.cumsum(lengths)[:-1])
    ideal = np.zeros((5, 3_000))
    for i, part in enumerate(parts):
        ideal[i, : len(part)] = part
    found = h_average_precision(ranked, ideal)
    for value, part in zip(found, parts, strict=True):
        if not part.any():
            assert np.isnan(value)
            continue
        ranks = np.arange(1, len(part) + 1)
        minima = np.minimum.outer(part, part)
        expected = (np.tril(minima).sum(axis=1) / ranks).sum() / part.sum()
        assert value == pytest.approx(expected, rel=1e-11)


@given(rel=lists)
def test_asi_is_1_for_the_best_list_and_0_for_an_empty_one(rel):
    if any(rel):
        assert average_set_intersection(one(sorted(rel, reverse=True)), best(rel))[0] == pytest.approx(1)
        assert average_set_intersection(one([]), best(rel))[0] == 0
