"""By definition, and against every order of tied results; trec_eval: `tests/evaluate/test_qrels.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.ranking import binary, graded, hierarchical
from evalcore.ranking.lists import RankedGains


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


# --- expectation over ties, by enumeration


def test_expected_reciprocal_rank_in_a_large_group_of_ties():
    # one relevant image among m tied ones: the mean of 1/1..1/m
    m = 5000
    ranked = RankedGains(np.array([0, m]), (np.arange(m) == 17).astype(float), groups=np.array([0, m]))
    assert binary.reciprocal_rank(ranked)[0] == pytest.approx(np.mean(1 / np.arange(1, m + 1)), rel=1e-10)
