"""By definition, and against every order of tied results; trec_eval: `tests/evaluate/test_qrels.py`."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evalcore.ranking import binary, graded, hierarchical
from evalcore.ranking.lists import RankedGains, tie_groups


def test_bpref_of_fewer_others_than_relevant_images():
    """R = 3, N = 1: min(R, N) = 1, so a relevant image behind the other counts nothing: (1 + 0 + 0) / 3."""
    ranked = RankedGains(np.array([0, 4]), np.array([1.0, 0.0, 1.0, 1.0]))
    assert binary.bpref(ranked, np.array([3]), np.array([1]))[0] == pytest.approx(1 / 3, rel=1e-14)


def test_expected_reciprocal_rank_of_the_published_example():
    # Grades 3, 2, 4 of 4 (Chapelle et al. 2009, Eq. 3 and 4): R = 7/16, 3/16, 15/16, by hand
    stops = np.array([7, 3, 15]) / 16
    by_hand = 7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3
    ranked = RankedGains(np.array([0, 3]), stops)
    assert graded.expected_reciprocal_rank(ranked, cutoff=3)[0] == pytest.approx(by_hand, rel=1e-14)
    assert graded.stop_chance(np.array([0.0, 1.0, -0.3, 1.5]), gain="exp").tolist() == [0.0, 0.5, 0.0, 0.5]
    assert graded.stop_chance(np.array([0.25, 1.5, -1.0])).tolist() == [0.25, 1.0, 0.0]


# --- hierarchical average precision, by its definition and as average precision

grades = st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.25, 0.5, 1.0]), min_size=1, max_size=14)


def h_ap(rel, whole, cutoff=None):
    """The value of a list, by the engine's function."""
    ranked, ideal = RankedGains(np.array([0, len(rel)]), np.array(rel, float)), np.array([whole], float)
    return hierarchical.h_average_precision(ranked, ideal, cutoff=cutoff)[0]


def h_ap_by_definition(rel, total, cutoff):
    rel = np.asarray(rel)[:cutoff]
    minima = np.tril(np.minimum.outer(rel, rel)).sum(axis=1)
    return (minima * (rel > 0) / np.arange(1, len(rel) + 1)).sum() / total


@given(rel=grades, more=grades, cutoff=st.none() | st.integers(1, 16))
def test_h_ap_is_its_definition_for_lists_of_part_of_the_collection(rel, more, cutoff):
    total = sum(rel) + sum(more)
    expected = h_ap_by_definition(rel, total, cutoff) if total else np.nan
    assert h_ap(rel, [*rel, *more], cutoff) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_h_ap_of_thousands_of_results():
    rng = np.random.default_rng(3)
    rel = rng.random(3_000) * (rng.random(3_000) < 0.7)
    assert h_ap(rel, rel) == pytest.approx(h_ap_by_definition(rel, rel.sum(), None), rel=1e-11)


@given(relevant=st.lists(st.booleans(), min_size=1, max_size=40).filter(any))
def test_h_ap_of_binary_relevance_is_average_precision(relevant):
    expected = average_precision_score(relevant, -np.arange(len(relevant)))
    assert h_ap(relevant, relevant) == pytest.approx(expected)


# --- expectation over ties, by enumeration

IDEAL = np.array([[1.0, 1.0, 0.5, 0.25, 0.25]])

MEASURES = {
    "P@3": lambda ranked, total: binary.precision(ranked, cutoff=3),
    "mean@4": lambda ranked, total: graded.mean_gain(ranked, cutoff=4),
    "DCG@4": lambda ranked, total: graded.dcg(ranked, cutoff=4),
    "AP": binary.average_precision,
    "AP@3": lambda ranked, total: binary.average_precision(ranked, total, cutoff=3),
    "RR": lambda ranked, total: binary.reciprocal_rank(ranked),
    "RR@3": lambda ranked, total: binary.reciprocal_rank(ranked, cutoff=3),
    "RBP": lambda ranked, total: graded.rank_biased_precision(ranked, persistence=0.8),
    "RBP@3": lambda ranked, total: graded.rank_biased_precision(ranked, persistence=0.8, cutoff=3),
    "Recall@3": lambda ranked, total: binary.recall(ranked, total, cutoff=3),
    "F1@3": lambda ranked, total: binary.f1(ranked, total, cutoff=3),
    "Success@1": lambda ranked, total: binary.success(ranked, cutoff=1),
    "Success@3": lambda ranked, total: binary.success(ranked, cutoff=3),
    "Rprec": binary.r_precision,
    "bpref": lambda ranked, total: binary.bpref(ranked, total, np.full(len(total), 2)),
    "ERR@2": lambda ranked, total: graded.expected_reciprocal_rank(ranked, cutoff=2),
    "ERR@4": lambda ranked, total: graded.expected_reciprocal_rank(ranked, cutoff=4),
    "ERR@40": lambda ranked, total: graded.expected_reciprocal_rank(ranked, cutoff=40),
    "H-AP": lambda ranked, total: hierarchical.h_average_precision(ranked, ideal_of(ranked)),
    "H-AP@3": lambda ranked, total: hierarchical.h_average_precision(ranked, ideal_of(ranked), cutoff=3),
    "HP@3": lambda ranked, total: hierarchical.hierarchical_precision(ranked, ideal_of(ranked), cutoff=3),
    "AHP@4": lambda ranked, total: hierarchical.average_hierarchical_precision(
        ranked, ideal_of(ranked), cutoff=4
    ),
}


def ideal_of(ranked):
    return np.repeat(IDEAL, len(ranked), axis=0)


def all_orders(scores, gains):
    """Gains in every order that keeps the scores descending."""
    blocks = [
        [g for s, g in zip(scores, gains, strict=True) if s == level] for level in sorted(set(scores))[::-1]
    ]
    for choice in product(*[list(permutations(block)) for block in blocks]):
        yield [g for block in choice for g in block]


@pytest.mark.parametrize("name", MEASURES)
def test_expected_over_ties_equals_the_mean_of_all_orders(name):
    rng = np.random.default_rng(11)
    lists = []
    for _ in range(40):
        n = int(rng.integers(1, 7))
        scores = np.sort(rng.integers(0, 3, n))[::-1].astype(float)
        lists.append((scores, rng.choice([0.0, 0.0, 0.25, 1.0], n)))
    indptr = np.cumsum([0] + [len(gains) for _, gains in lists])
    total = np.array([max(np.count_nonzero(gains), 1) for _, gains in lists])
    scores, gains = (np.concatenate(column) for column in zip(*lists, strict=True))
    ranked = RankedGains(indptr, gains, tie_groups(indptr, scores))
    values = MEASURES[name](ranked, total)
    for i, (scores, gains) in enumerate(lists):
        orders = np.array(list(all_orders(scores, gains)))
        flat = RankedGains(np.arange(len(orders) + 1) * len(gains), orders.ravel())
        brute = MEASURES[name](flat, np.full(len(orders), total[i])).mean()
        assert values[i] == pytest.approx(brute, rel=1e-12, abs=1e-15)


def test_expected_reciprocal_rank_in_a_large_group_of_ties():
    # one relevant image among m tied ones: the mean of 1/1..1/m
    m = 5000
    ranked = RankedGains(np.array([0, m]), (np.arange(m) == 17).astype(float), groups=np.array([0, m]))
    assert binary.reciprocal_rank(ranked)[0] == pytest.approx(np.mean(1 / np.arange(1, m + 1)), rel=1e-10)
