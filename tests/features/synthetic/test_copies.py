"""Self-similarity and nearest training images: by hand, against all relabellings, and on simulated
generators; copies by hash."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.answers import Compared, copies_answer, vectors_of
from evalcore.features.synthetic.copies import (
    compare,
    cosines,
    memorisation,
    near_copies,
    nearest,
    nearest_similarity,
    self_similarity,
)
from evalcore.features.synthetic.groups import read_groups, source_of
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.wsi import GroupScore, Presence, WsiConfig, wsi_matrix
from evalcore.values.errors import SettingError

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
@pytest.mark.parametrize(("which", "statistic"), [(0, self_similarity), (1, nearest_similarity)])
def test_against_all_relabellings(seed, which, statistic):
    """20 divisions of six images: the share that reaches the observed one is what sampling must find."""
    values = small(seed)
    observed = both_by_hand(values, (0, 1, 2))[which]
    exact = np.mean(
        [both_by_hand(values, own)[which] >= observed - 1e-12 for own in combinations(range(6), 3)]
    )
    found = compare(statistic(values), FIRST, n_resamples=4000, seed=1)
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3)
    assert compare(statistic(values), FIRST, n_resamples=4000, seed=1) == found
    assert (found.n_generated, found.n_training) == (3, 3)


@pytest.mark.parametrize("own", [np.zeros(6, bool), np.ones(6, bool), np.arange(6) < 2])
def test_too_few_images_are_refused(own):
    with pytest.raises(SettingError, match="at least 3 images of both kinds"):
        compare(self_similarity(small()), own)


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
    vectors, own = np.vstack([training, made]), np.arange(120) >= 60
    values = cosines(vectors, vectors)
    return [
        compare(statistic(values), own, n_resamples=199, seed=seed).flagged
        for statistic in (self_similarity, nearest_similarity)
    ]


@pytest.mark.parametrize(("kind", "repeats"), [("copies", False), ("few", True)])
def test_a_generator_that_memorises_is_flagged(kind, repeats):
    """Copies of every training image are as different as those, and only the nearest one gives them away."""
    for seed in range(4):
        similar, near = flags_in(kind, seed)
        assert near and (similar or not repeats)


def test_nearest_by_hand_and_cosines_as_scipy():
    found = nearest(np.array([[0.2, 0.9, 0.9], [np.nan, np.nan, np.nan], [0.1, np.nan, 0.0]]))
    assert found.image.tolist() == [1, -1, 0]
    assert found.value == pytest.approx([0.9, np.nan, 0.1], nan_ok=True)
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    assert cosines(rows, columns) == pytest.approx(1 - cdist(rows, columns, "cosine"))
    assert np.isnan(cosines(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))[1]).all()


def group(rows, name):
    rows = np.array(rows, bool)
    ids = [f"{name}{i}" for i in range(len(rows))]
    return GroupScore(name, pd.Series(np.nan, ids), Presence(rows, np.ones_like(rows)), 0, 0, 0)


REAL = group([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]], "r")
FAKE = group([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], "f")
WEIGHTS, CONFIG = np.array([2.0, 1.0, 1.0, 0.5]), WsiConfig(alpha=0.2, beta=0.8, seed=3)


def test_pairs_and_nearest_by_the_measure_itself():
    vectors = np.eye(4), np.vstack([np.eye(4)[0], np.eye(4)[0] + np.eye(4)[1], np.full(4, np.nan)])
    found = memorisation(REAL, FAKE, vectors, weights=WEIGHTS, config=CONFIG)
    rows = np.vstack([REAL.presence.present, FAKE.presence.present])
    both = wsi_matrix(*[Presence(rows, np.ones_like(rows))] * 2, WEIGHTS, CONFIG)
    both = (both + both.T) / 2
    own = [both[i, j] for i, j in ((4, 5), (4, 6), (5, 6))]
    assert found.pairs[1] == pytest.approx(own) and len(found.pairs[0]) == 6
    assert found.tests["self-similarity", "WSI"].generated == pytest.approx(np.mean(own))
    near = pd.DataFrame(found.nearest).set_index("image")
    assert near["wsi"].tolist() == pytest.approx(both[4:, :4].max(axis=1))
    assert near["nearest_wsi"].tolist()[:2] == ["r0", "r0"]
    assert near["cosine"].tolist() == pytest.approx([1.0, np.sqrt(0.5), np.nan], nan_ok=True)


def picture(seed):
    values = np.random.default_rng(seed).integers(0, 255, (9, 9)).astype(np.uint8)
    return Image.fromarray(values).resize((90, 90), Image.Resampling.BICUBIC)


def test_copies_of_training_pictures_and_of_each_other_are_said_first(tmp_path):
    made = [picture(1).resize((60, 60)), picture(4), picture(4), picture(5)]
    for name, some in {"real": [picture(1), picture(2), picture(3)], "made": made}.items():
        (tmp_path / name).mkdir()
        for i, image in enumerate(some):
            image.save(tmp_path / name / f"{name[0]}{i}.png")
    sources = [source_of(name, tmp_path / name) for name in ("real", "made")]
    material, _ = read_groups(sources, settings=ImageSettings(64))
    assert {copy[1:4] for copy in near_copies(material)} == {("m0", "r0", True), ("m1", "m2", False)}
    compared = Compared(material, WsiConfig(), "uniform", ImageSettings(64))
    lead = copies_answer(compared, vectors_of(material)).lead
    assert lead[0].startswith("Made: 1 image near-identical to a training image")


def test_self_similarity_of_the_specification():
    """The archetypes of the specification: 45 pairs, mean 0.6925925926 (intersection over union)."""
    texts = ["011", "111", "111", "111", "100", "111", "110", "111", "111", "011"]
    rows = np.array([[c == "1" for c in text] for text in texts])
    rows, own = np.vstack([rows, rows[:3]]), np.arange(13) >= 10
    shared = (rows[:, None] & rows[None]).sum(axis=2) / (rows[:, None] | rows[None]).sum(axis=2)
    found = compare(self_similarity(shared), own, n_resamples=1)
    assert found.training == pytest.approx(0.6925925926, abs=5e-11)
