"""Self-similarity and nearest training images: by hand, against all relabellings, and on simulated
generators; copies by hash."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.copies import (
    compare_nearest,
    compare_self_similarity,
    cosines,
    hashes_of,
    memorisation,
    near_copies,
    nearest,
)
from evalcore.features.synthetic.read_pictures import altered
from evalcore.features.synthetic.wsi import GroupScore, Presence, WsiConfig, wsi_matrix
from evalcore.values.errors import InputError, SettingError

FIRST = np.array([True, True, True, False, False, False])


def small(seed=0, n=6):
    values = np.random.default_rng(seed).random((n, n))
    values = (values + values.T) / 2
    np.fill_diagonal(values, 1.0)
    return values


def both_by_hand(values, own):
    rest = [i for i in range(len(values)) if i not in own]

    def pairs(images):
        return np.mean([values[i, j] for i, j in combinations(images, 2)])

    def near(images):
        return np.mean([max(values[i, j] for j in rest if j != i) for i in images])

    return pairs(own) - pairs(rest), near(own) - near(rest)


@pytest.mark.parametrize("seed", range(3))
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
    assert compare(values, FIRST, n_resamples=99, seed=5) != compare(values, FIRST, n_resamples=99, seed=6)


@given(st.integers(0, 10**6), st.permutations(range(8)))
def test_order_and_scale_of_images_decide_nothing(seed, order):
    values, own = small(seed, 8), np.arange(8) < 4
    plain = compare_self_similarity(values, own, n_resamples=20)
    moved = compare_self_similarity(values[np.ix_(order, order)], own[order], n_resamples=20)
    assert moved.difference == pytest.approx(plain.difference)
    near = compare_nearest(values, own, n_resamples=20)
    assert compare_nearest(2 * values, own, n_resamples=20).p == near.p and 0 < near.p <= 1
    assert near.low <= near.high and plain.low <= plain.high


@pytest.mark.parametrize("own", [np.zeros(6, bool), np.ones(6, bool), np.arange(6) < 2])
def test_too_few_images_are_refused(own):
    with pytest.raises(SettingError, match="at least 3 images of both kinds"):
        compare_self_similarity(small(), own)


def flags_in(kind, seed):
    """Vectors of six groups in twelve dimensions, and those of a generator: are both questions flagged?"""
    rng, middles = np.random.default_rng(seed), np.random.default_rng(7).normal(size=(6, 12))

    def images():
        return middles[rng.integers(0, 6, 60)] + rng.normal(size=(60, 12))

    training = images()
    source = training if kind == "copies" else training[rng.integers(0, 60, 6)]
    made = (
        images()
        if kind == "honest"
        else source[rng.integers(0, len(source), 60)] + 0.15 * rng.normal(size=(60, 12))
    )
    values, own = cosines(np.vstack([training, made])), np.arange(120) >= 60
    return [
        f(values, own, n_resamples=199, seed=seed).flagged for f in (compare_self_similarity, compare_nearest)
    ]


@pytest.mark.parametrize(("kind", "repeats"), [("copies", False), ("few", True)])
def test_a_generator_that_memorises_is_flagged(kind, repeats):
    """Copies of every training image are as different as those, and only the nearest one gives them away."""
    for seed in range(4):
        itself, near = flags_in(kind, seed)
        assert near and (itself or not repeats)


def test_nearest_by_hand_and_cosines_as_scipy():
    found = nearest(np.array([[0.2, 0.9, 0.9], [np.nan, np.nan, np.nan], [0.1, np.nan, 0.0]]))
    assert found.image.tolist() == [1, -1, 0] and found.ties.tolist() == [2, 0, 1]
    assert found.value == pytest.approx([0.9, np.nan, 0.1], nan_ok=True)
    assert nearest(np.zeros((2, 0))).image.tolist() == [-1, -1]
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    assert cosines(rows, columns) == pytest.approx(1 - cdist(rows, columns, "cosine"))
    assert np.isnan(cosines(np.array([[1.0, 0.0], [0.0, 0.0]]))[1]).all()


def group(rows, name):
    rows = np.array(rows, bool)
    ids = [f"{name}{i}" for i in range(len(rows))]
    return GroupScore(
        name, pd.Series(np.nan, ids), Presence(rows, np.ones_like(rows)), 0, 0, 0, np.zeros(len(rows))
    )


REAL = group([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]], "r")
FAKE = group([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], "f")
WEIGHTS, CONFIG = np.array([2.0, 1.0, 1.0, 0.5]), WsiConfig(alpha=0.2, beta=0.8, seed=3)


def test_pairs_and_nearest_by_the_measure_itself():
    vectors = np.eye(4), np.vstack([np.eye(4)[0], np.eye(4)[0] + np.eye(4)[1], np.full(4, np.nan)])
    found = memorisation(REAL, FAKE, vectors, weights=WEIGHTS, config=CONFIG, n_resamples=30)
    rows = np.vstack([REAL.presence.present, FAKE.presence.present])
    both = wsi_matrix(*[Presence(rows, np.ones_like(rows))] * 2, WEIGHTS, CONFIG)
    both = (both + both.T) / 2
    own = [both[i, j] for i, j in ((4, 5), (4, 6), (5, 6))]
    assert found.pairs[1] == pytest.approx(own) and len(found.pairs[0]) == 6
    assert found.repeats.generated == pytest.approx(np.mean(own))
    assert found.nearest["WSI"].value == pytest.approx(both[4:, :4].max(axis=1))
    assert found.nearest["WSI"].image.tolist()[:2] == [0, 0]
    assert found.nearest["cosine"].value == pytest.approx([1.0, np.sqrt(0.5), np.nan], nan_ok=True)
    few = group([[1, 1, 1, 1]] * 2, "f")
    with pytest.raises(SettingError, match="at least 3 images of both kinds"):
        memorisation(REAL, few, (np.eye(4), np.eye(4)[:2]), weights=WEIGHTS, config=CONFIG)


def picture(seed):
    values = np.random.default_rng(seed).integers(0, 255, (9, 9)).astype(np.uint8)
    return Image.fromarray(values).resize((90, 90), Image.Resampling.BICUBIC)


def broken():
    raise InputError("no picture")


def test_copies_of_training_pictures_and_of_each_other():
    smaller = picture(1).resize((60, 60))
    pictures = [lambda: picture(1), lambda: picture(2), lambda: smaller, *[lambda: picture(3)] * 2, broken]
    found = near_copies(hashes_of(pictures[:2]), hashes_of(pictures[2:]))
    assert {copy[:3] for copy in found} == {(0, 0, True), (1, 2, False)}


def test_what_each_takes_away():
    grey, colour = np.full((9, 9), 0.5), np.random.default_rng(0).random((9, 9, 3))
    assert altered(grey, "too dark", image="a")[0, 0] == pytest.approx(0.275)
    assert altered(grey, "blurred", image="a") == pytest.approx(grey)
    assert not altered(colour, "part missing", image="a")[..., 0].any()
    assert altered(grey, "part missing", image="a")[:6].all()
    assert not np.array_equal(*(altered(grey, "noisy", image="a", copy=i) for i in range(2)))


def test_self_similarity_of_the_specification():
    """The archetypes of the specification: 45 pairs, mean 0.6925925926 (intersection over union)."""
    texts = ["011", "111", "111", "111", "100", "111", "110", "111", "111", "011"]
    rows = np.array([[c == "1" for c in text] for text in texts])
    rows, own = np.vstack([rows, rows[:3]]), np.arange(13) >= 10
    shared = (rows[:, None] & rows[None]).sum(axis=2) / (rows[:, None] | rows[None]).sum(axis=2)
    found = compare_self_similarity(shared, own, n_resamples=1)
    assert found.training == pytest.approx(0.6925925926, abs=5e-11)
