"""A group against its training images as a whole: features, vectors, samples of large groups."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import diversity as room
from evalcore.features.synthetic.diversity import diversity
from evalcore.features.synthetic.evaluation.scores import Tally, WsiSettings
from evalcore.features.synthetic.tversky import presence, wsi
from evalcore.values.errors import SettingError


def tally(rows, name):
    rows = np.array(rows, bool)
    return Tally(tuple(f"{name}{i}" for i in range(len(rows))), ("a", "b", "c", "d"), presence(rows), name)


REAL = tally([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]], "r")
FAKE = tally([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], "f")
WEIGHTS = np.array([2.0, 1.0, 1.0, 0.5])
SIDES = WsiSettings(alpha=0.2, beta=0.8, seed=3)


def test_pairs_and_nearest_by_the_measure_itself():
    vectors = np.eye(4), np.vstack([np.eye(4)[0], np.eye(4)[0] + np.eye(4)[1], np.full(4, np.nan)])
    found = diversity(REAL, FAKE, weights=WEIGHTS, settings=SIDES, vectors=vectors, n_resamples=30)
    rows = np.vstack([REAL.presence.present, FAKE.presence.present])

    def both_ways(i, j):
        return (
            wsi(rows[i], rows[j], weights=WEIGHTS, alpha=0.2, beta=0.8)
            + wsi(rows[j], rows[i], weights=WEIGHTS, alpha=0.2, beta=0.8)
        ) / 2

    own = [both_ways(i, j) for i, j in ((4, 5), (4, 6), (5, 6))]
    assert found.features.pairs[1] == pytest.approx(own) and len(found.features.pairs[0]) == 6
    assert found.itself.generated == pytest.approx(np.mean(own))
    nearest = [max(both_ways(i, j) for j in range(4)) for i in (4, 5, 6)]
    assert found.features.nearest.value == pytest.approx(nearest)
    assert found.features.nearest.image.tolist()[:2] == [0, 0]
    assert found.vectors.nearest.value == pytest.approx([1.0, np.sqrt(0.5), np.nan], nan_ok=True)
    assert found.vectors.itself is None and not found.drawn


def test_too_few_images():
    with pytest.raises(SettingError, match="at least 3 of both kinds"):
        diversity(REAL, tally([[1, 1, 1, 1]] * 2, "f"), weights=WEIGHTS, settings=SIDES)


def test_large_groups_are_sampled_in_proportion_and_said_so(monkeypatch):
    monkeypatch.setattr(room, "MOST", 12)
    rng = np.random.default_rng(0)
    real, fake = (tally(rng.random((n, 4)) < 0.7, name) for n, name in ((40, "r"), (20, "f")))
    found = diversity(real, fake, weights=np.ones(4), settings=SIDES, n_resamples=9)
    assert (len(found.training_ids), len(found.generated_ids), found.drawn) == (8, 4, True)
    assert set(found.generated_ids) < set(fake.ids) and found.itself.n_training == 8
