"""Self-similarity and nearest training images: by hand, against all relabellings, and on simulated
generators that memorise or do not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.features.synthetic.copies import cosines
from evalcore.features.synthetic.memorisation import (
    compare_nearest,
    compare_self_similarity,
    nearest_training,
    pair_values,
)
from evalcore.values.errors import SettingError

FIRST = np.array([True, True, True, False, False, False])


def small(seed=0, n=6):
    values = np.random.default_rng(seed).random((n, n))
    values = (values + values.T) / 2
    np.fill_diagonal(values, 1.0)
    return values


def mean_of_pairs(values, images):
    return np.mean([values[i, j] for i, j in combinations(images, 2)])


def mean_nearest(values, images, training):
    return np.mean([max(values[i, j] for j in training if j != i) for i in images])


def both_by_hand(values, own):
    rest = [i for i in range(len(values)) if i not in own]
    return (
        mean_of_pairs(values, own) - mean_of_pairs(values, rest),
        mean_nearest(values, own, rest) - mean_nearest(values, rest, rest),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("which", "compare"), [(0, compare_self_similarity), (1, compare_nearest)])
def test_against_all_relabellings(seed, which, compare):
    """20 divisions of six images: the share that reaches the observed one is what sampling must find."""
    values = small(seed)
    observed = both_by_hand(values, (0, 1, 2))[which]
    exact = np.mean(
        [both_by_hand(values, own)[which] >= observed - 1e-12 for own in combinations(range(6), 3)]
    )
    found = compare(values, FIRST, n_resamples=4000, seed=1)
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3)
    assert (found.n_generated, found.n_training, found.n_resamples) == (3, 3, 4000)


def test_spec_self_similarity():
    """The archetypes of the spec: 45 pairs, mean 0.6925925926 (intersection over union)."""
    rows = np.array(
        [
            [0, 1, 1],
            [1, 1, 1],
            [1, 1, 1],
            [1, 1, 1],
            [1, 0, 0],
            [1, 1, 1],
            [1, 1, 0],
            [1, 1, 1],
            [1, 1, 1],
            [0, 1, 1],
        ],
        bool,
    )
    rows, own = np.vstack([rows, rows[:3]]), np.arange(13) >= 10
    shared = (rows[:, None] & rows[None]).sum(axis=2) / (rows[:, None] | rows[None]).sum(axis=2)
    assert len(pair_values(shared[:10, :10])) == 45
    found = compare_self_similarity(shared, own, n_resamples=1)
    assert found.training == pytest.approx(0.6925925926, abs=5e-11)


def test_pairs_without_a_value_count_nowhere():
    values = small()
    values[0, 1] = values[1, 0] = np.nan
    found = compare_self_similarity(values, FIRST, n_resamples=50)
    assert found.generated == pytest.approx((values[0, 2] + values[1, 2]) / 2)
    assert not len(pair_values(np.full((3, 3), np.nan)))
    assert nearest_training(np.full((3, 3), np.nan), FIRST[:3]) == pytest.approx([np.nan] * 3, nan_ok=True)


@given(st.integers(0, 10**6), st.permutations(range(8)))
def test_order_and_scale_of_images_decide_nothing(seed, order):
    values, own = small(seed, 8), np.arange(8) < 4
    plain = compare_self_similarity(values, own, n_resamples=20)
    moved = compare_self_similarity(values[np.ix_(order, order)], own[order], n_resamples=20)
    assert moved.difference == pytest.approx(plain.difference)
    near = compare_nearest(values, own, n_resamples=20)
    assert compare_nearest(2 * values, own, n_resamples=20).p == near.p and 0 < near.p <= 1
    assert near.low <= near.high and plain.low <= plain.high


def test_the_same_seed_gives_the_same():
    first, again = (compare_self_similarity(small(), FIRST, n_resamples=99, seed=5) for _ in range(2))
    assert (first.p, first.low, first.high) == (again.p, again.low, again.high)


@pytest.mark.parametrize("own", [np.zeros(6, bool), np.ones(6, bool), np.arange(6) < 2])
def test_too_few_images_are_refused(own):
    with pytest.raises(SettingError, match="at least 3 images of both kinds"):
        compare_self_similarity(small(), own)


def images(rng, n):
    """Vectors of honest images: six groups in twelve dimensions."""
    middles = np.random.default_rng(7).normal(size=(6, 12))
    return middles[rng.integers(0, 6, n)] + rng.normal(size=(n, 12))


def generated_by(kind, rng, training):
    n = len(training)
    if kind == "honest":
        return images(rng, n)
    source = training if kind == "copies" else training[rng.integers(0, n, 6)]
    return source[rng.integers(0, len(source), n)] + 0.15 * rng.normal(size=training.shape)


def flags_in(kind, seed):
    rng = np.random.default_rng(seed)
    training = images(rng, 60)
    values = cosines(np.vstack([training, generated_by(kind, rng, training)]))
    own = np.arange(120) >= 60
    return [f(values, own, n_resamples=199, seed=seed) for f in (compare_self_similarity, compare_nearest)]


@pytest.mark.parametrize(("kind", "flags"), [("copies", [False, True]), ("few", [True, True])])
def test_a_generator_that_memorises_is_flagged(kind, flags):
    """Copies of every training image are as different as those, and only the nearest one gives them away."""
    found = [[one.flagged() for one in flags_in(kind, seed)] for seed in range(4)]
    assert all(one[1] for one in found)
    assert all(one[0] for one in found) or not flags[0]


def test_an_honest_generator_is_seldom_flagged():
    """Of 40 tests at .05, more than 7 flags have a chance of 1 in 1000."""
    found = [one.flagged() for seed in range(20) for one in flags_in("honest", seed)]
    assert sum(found) <= 7
