"""Laws of agreement with satisfaction, on studies drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.features.satisfaction.agreement import agreement, split
from evalcore.features.satisfaction.data import cleanse
from evalcore.ranking.grid import Reading
from evalcore.stats.correlation import spearman
from tests.features.satisfaction.people import made_up

PAPER = Reading(per_image=True)
SEEDS = st.integers(0, 10_000)


def rho(clean, **more):
    found = agreement(clean, depths=[3, 10], reading=Reading(per_image=True, **more), n_resamples=1)
    return np.array([one.spearman for one in found.rows])


def drawn(seed):
    return made_up(seed=seed, n_users=4, queries_each=6)


@settings(max_examples=15)
@given(SEEDS)
def test_only_the_order_of_marks_counts(seed):
    data = drawn(seed)
    steps = ["minmax"]
    usual = cleanse(data, depth=10, without=steps)
    stretched = cleanse(replace(data, satisfaction=data.satisfaction**3 - 7), depth=10, without=steps)
    assert rho(usual) == pytest.approx(rho(stretched), nan_ok=True)
    backwards = cleanse(replace(data, satisfaction=-data.satisfaction), depth=10, without=steps)
    assert rho(usual) == pytest.approx(-rho(backwards), nan_ok=True)


@settings(max_examples=15)
@given(SEEDS)
def test_each_persons_own_scale_does_not_count(seed):
    """With satisfaction from 0 to 1 per participant nobody's habit to praise or complain decides."""
    data = drawn(seed)
    rng = np.random.default_rng(seed)
    plus, times = rng.uniform(-9, 9, 4)[data.user_of], rng.uniform(0.5, 4, 4)[data.user_of]
    one, other = (
        cleanse(data, depth=10),
        cleanse(replace(data, satisfaction=plus + times * data.satisfaction), depth=10),
    )
    assert one.satisfaction == pytest.approx(other.satisfaction)
    assert rho(one) == pytest.approx(rho(other), nan_ok=True)


@settings(max_examples=15)
@given(SEEDS, st.floats(0.1, 1))
def test_a_smaller_scale_of_relevance_changes_nothing_but_err(seed, factor):
    """Context-aware gain and all sums of it grow with the relevance; ERR alone asks how good 1 is."""
    data = drawn(seed)
    one = rho(cleanse(data, depth=10))
    other = rho(cleanse(replace(data, relevance=factor * data.relevance), depth=10))
    keep = np.tile(np.arange(12) < 10, 2)
    assert one[keep] == pytest.approx(other[keep], abs=1e-9, nan_ok=True)


@settings(max_examples=10)
@given(SEEDS)
def test_a_window_of_one_and_rising_lists(seed):
    """Where no image is worse than one before it, and each stands alone, both gains are the relevance."""
    data = drawn(seed)
    rising = np.where(data.shown, np.sort(np.where(data.shown, data.relevance, 2.0), axis=1), np.nan)
    found = rho(cleanse(replace(data, relevance=rising), depth=10), window=1)
    assert found[::2] == pytest.approx(found[1::2], nan_ok=True)


@settings(max_examples=10)
@given(SEEDS)
def test_both_halves_are_all_queries(seed):
    clean = cleanse(drawn(seed), depth=10)
    found = split(clean, reading=PAPER, share=0.5, n_resamples=1)
    assert found is not None and 2 * found.n in {clean.n_queries, clean.n_queries - 1}
    assert found.border[0] <= found.border[1]


def test_spearman_of_the_spec(spec_golden):
    given_ = spec_golden["F_spearman"]
    assert spearman(np.array(given_["x"]), np.array(given_["y"], dtype=float)) == pytest.approx(
        given_["rho"], rel=1e-9
    )
