"""What the method finds where the truth is known: users who compare images, users who do not, and chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.satisfaction.agreement import agreement, too_narrow, values
from evalcore.features.satisfaction.data import cleanse
from evalcore.features.satisfaction.published import simulated
from evalcore.ranking.grid import Reading
from evalcore.stats.correlation import compare_correlations, spearman

PAPER = Reading(per_image=True)
SEEDS = range(10)


@pytest.fixture(scope="module")
def by_kind():
    """Differences of the summing measures at ten rows, for ten seeds and both kinds of users."""
    kinds = {}
    for compare in (True, False):
        found = [
            agreement(
                cleanse(simulated(seed=seed, compare=compare), depth=10),
                depths=[10],
                reading=PAPER,
                n_resamples=1,
            )
            for seed in SEEDS
        ]
        kinds[compare] = found
    return kinds


@pytest.mark.parametrize("metric", ["RBP", "DCG", "CG", "AVG"])
def test_context_aware_gain_wins_where_users_compare_and_only_there(by_kind, metric):
    of = {k: [one.difference(metric, 10) for one in found] for k, found in by_kind.items()}
    assert all(d.difference > 0 for d in of[True])
    assert sum(d.p_corrected < 0.05 for d in of[True]) >= len(SEEDS) // 2
    assert np.mean([d.difference for d in of[False]]) < 0
    assert not any(d.difference > 0 and d.p_corrected < 0.05 for d in of[False])


def test_williams_test_holds_its_level_where_nothing_agrees():
    """Seed 2019: satisfaction dealt out anew 1,000 times, so that no measure agrees with it."""
    clean = cleanse(simulated(seed=0), depth=10)
    columns = values(clean, [10], PAPER)
    rng, false = np.random.default_rng(2019), np.zeros(6)
    between = [spearman(columns[:, j], columns[:, j + 1]) for j in range(0, 12, 2)]
    ranks = stats.rankdata(columns, axis=0)
    ranks = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    for _ in range(1_000):
        marks = stats.rankdata(rng.permutation(clean.satisfaction))
        rho = ranks.T @ ((marks - marks.mean()) / marks.std()) / len(marks)
        p = [
            compare_correlations(rho[j + 1], rho[j], between[j // 2], len(marks), test="williams").p
            for j in range(0, 12, 2)
        ]
        false += np.array(p) < 0.05
    low, high = stats.binom.ppf([0.001, 0.999], 1_000, 0.05)
    assert (low <= false).all() and (false <= high).all(), false


def test_few_participants_give_intervals_that_are_too_narrow():
    """Of 100 studies of 5 people far fewer than 95 hold the correlation of a study of 300; it is said."""
    ask = {"depths": [10], "reading": PAPER}
    many = cleanse(simulated(seed=10**6, n_users=300), depth=10)
    true = agreement(many, **ask, n_resamples=1).row("CG", "original", 10).spearman
    held = 0
    for seed in range(100):
        found = agreement(cleanse(simulated(seed=seed, n_users=5), depth=10), **ask, n_resamples=100)
        row = found.row("CG", "original", 10)
        held += row.ci_low <= true <= row.ci_high
    assert 65 <= held <= 92
    assert "fewer than 20 participants are too narrow" in too_narrow(found)
    assert too_narrow(agreement(many, **ask, n_resamples=1)) == ""
    assert (
        too_narrow(
            agreement(
                cleanse(simulated(seed=1, n_users=5), depth=10), **ask, n_resamples=1, resample="queries"
            )
        )
        == ""
    )


def test_simulated_is_marked_and_the_same_for_a_seed():
    one, again = simulated(seed=3), simulated(seed=3)
    assert one.origin == "simulated" and "simulated" in one.what and one.digest == again.digest
    assert one.digest != simulated(seed=4).digest
    other = simulated(seed=3, compare=False)
    assert np.array_equal(one.relevance, other.relevance, equal_nan=True)
    assert not np.array_equal(one.satisfaction, other.satisfaction)


def test_lists_look_like_a_page_of_images():
    data = simulated(seed=1)
    assert len(data) == 1080 and (data.n_rows == 10).all() and set(data.satisfaction) == {1, 2, 3, 4, 5}
    widths = np.array([np.bincount(row[shown]) for row, shown in zip(data.row_of, data.shown, strict=True)])
    assert widths.min() == 3 and widths.max() == 6
    known = data.relevance[data.shown]
    assert known.min() >= 0 and known.max() <= 1 and not np.isnan(known).any()
