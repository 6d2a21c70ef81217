"""Self-similarity and nearest training images by hand, on simulated generators; copies by hash."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.spatial.distance import cdist

from evalcore.features.synthetic.answers import Compared, copies_answer
from evalcore.features.synthetic.copies import cosines, memorisation, nearest, self_similarity
from evalcore.features.synthetic.figures import pair_lines
from evalcore.features.synthetic.groups import read_groups, source_of
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.wsi import GroupScore, WsiConfig, wsi_matrix
from evalcore.figures.theme import LIGHT


def test_nearest_by_hand_and_cosines_as_scipy():
    images, similarity = nearest(np.array([[0.2, 0.9, 0.9], [np.nan, np.nan, np.nan], [0.1, np.nan, 0.0]]))
    assert images.tolist() == [1, -1, 0]
    assert similarity == pytest.approx([0.9, np.nan, 0.1], nan_ok=True)
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    assert cosines(rows, columns) == pytest.approx(1 - cdist(rows, columns, "cosine"))
    assert np.isnan(cosines(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))[1]).all()


def test_self_similarity_of_the_specification():
    """The archetypes of the specification: 45 pairs, mean 0.6925925926 (intersection over union)."""
    texts = ["011", "111", "111", "111", "100", "111", "110", "111", "111", "011"]
    rows = np.array([[c == "1" for c in text] for text in texts])
    rows, own = np.vstack([rows, rows[:3]]), np.arange(13) >= 10
    shared = (rows[:, None] & rows[None]).sum(axis=2) / (rows[:, None] | rows[None]).sum(axis=2)
    assert self_similarity(shared, ~own) == pytest.approx(0.6925925926, abs=5e-11)
    assert np.isnan(self_similarity(shared, np.arange(13) == 0))  # one image has no pair


def group(rows, name):
    rows = np.array(rows, np.int8)
    ids = [f"{name}{i}" for i in range(len(rows))]
    return GroupScore(name, pd.Series(np.nan, ids), rows, 0, 0, 0)


REAL = group([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]], "r")
FAKE = group([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], "f")
WEIGHTS, CONFIG = np.array([2.0, 1.0, 1.0, 0.5]), WsiConfig(alpha=0.2, beta=0.8, seed=3)


def test_pairs_and_nearest_by_the_measure_itself():
    vectors = np.eye(4), np.vstack([np.eye(4)[0], np.eye(4)[0] + np.eye(4)[1], np.full(4, np.nan)])
    copies = memorisation(REAL, FAKE, vectors, weights=WEIGHTS, config=CONFIG)
    rows = np.vstack([REAL.presence, FAKE.presence])
    both = wsi_matrix(rows, rows, WEIGHTS, CONFIG)
    both = (both + both.T) / 2
    own = [both[i, j] for i, j in ((4, 5), (4, 6), (5, 6))]
    assert copies.pairs[1] == pytest.approx(own) and len(copies.pairs[0]) == 6
    pairs, by_wsi, by_cosine = copies.means
    assert pairs["generated"] == pytest.approx(np.mean(own))
    assert pairs["training"] == pytest.approx(copies.pairs[0].mean())
    assert by_wsi["generated"] == pytest.approx(both[4:, :4].max(axis=1).mean())
    among = both[:4, :4] - np.eye(4) * 9  # but for itself
    assert by_wsi["training"] == pytest.approx(among.max(axis=1).mean())
    assert (by_cosine["n_generated"], by_cosine["n_training"]) == (3, 4)
    near = pd.DataFrame(copies.nearest).set_index("image")
    assert near["wsi"].tolist() == pytest.approx(both[4:, :4].max(axis=1))
    assert near["nearest_wsi"].tolist()[:2] == ["r0", "r0"]
    assert near["cosine"].tolist() == pytest.approx([1.0, np.sqrt(0.5), np.nan], nan_ok=True)


def picture(seed):
    values = np.random.default_rng(seed).integers(0, 255, (9, 9)).astype(np.uint8)
    return Image.fromarray(values).resize((90, 90), Image.Resampling.BICUBIC)


def test_copies_of_training_pictures_are_said_first(tmp_path):
    made = [picture(1).resize((60, 60)), picture(4), picture(5)]
    for name, some in {"real": [picture(1), picture(2), picture(3)], "made": made}.items():
        (tmp_path / name).mkdir()
        for i, image in enumerate(some):
            image.save(tmp_path / name / f"{name[0]}{i}.png")
    sources = [source_of(name, tmp_path / name) for name in ("real", "made")]
    material, _ = read_groups(sources, settings=ImageSettings(64))
    compared = Compared(material, WsiConfig(), "uniform", ImageSettings(64))
    answer = copies_answer(compared)
    assert [copy[:3] for copy in answer.part("near_duplicates").table.rows] == [("made", "m0", "r0")]
    assert answer.lead[0].startswith("Made: 1 image near-identical to a training image")


def test_shares_of_pairs_that_are_drawn_add_up():
    drawn = pair_lines({"r": np.full(8, 0.1), "g": np.linspace(0, 1, 50)}, theme=LIGHT)
    assert [sum(trace.y[::2]) for trace in drawn.figure.data] == pytest.approx([1.0, 1.0])
    assert "r 0.100, g 0.500" in drawn.alt
