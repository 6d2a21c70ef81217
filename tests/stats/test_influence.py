"""Pseudo-values of slopes and areas, against scikit-learn, DeLong's variance and the jackknife."""

from __future__ import annotations

import numpy as np
import pytest
from evalcore.stats.mrmc.influence import right_from_wrong, slopes
from sklearn.metrics import roc_auc_score

from evalcore.stats.mrmc.readings import Readings


def readings(values):
    names = (tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("src", values.shape, strict=True))
    return Readings(*names, values)


def test_right_from_wrong_is_the_area_and_has_delongs_variance():
    rng = np.random.default_rng(1)
    confidence, right = rng.integers(0, 6, (1, 1, 40)).astype(float), rng.random((1, 1, 40)) < 0.6
    made = right_from_wrong(readings(confidence), right).ratings[0, 0]
    area = roc_auc_score(right[0, 0], confidence[0, 0])
    assert made.mean() == pytest.approx(area)
    yes, no = confidence[right], confidence[~right]
    won = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
    delong = won.mean(axis=1).var() / len(yes) + won.mean(axis=0).var() / len(no)
    assert ((made - area) ** 2).sum() / len(made) ** 2 == pytest.approx(delong)


def test_right_from_wrong_compares_answers_of_one_reader():
    rng = np.random.default_rng(2)
    confidence, right = rng.random((2, 4, 15)), rng.random((2, 4, 15)) < 0.5
    confidence[0, 1, 3:9] = np.nan
    right[1, 2] = True  # never wrong: no pair
    made = right_from_wrong(readings(confidence), right).ratings
    for system in range(2):
        won = pairs = 0.0
        for reader in range(4):
            for i in range(15):
                for j in range(15):
                    a, b = confidence[system, reader, [i, j]]
                    if right[system, reader, i] and not right[system, reader, j] and a == a and b == b:
                        won, pairs = won + (a > b) + 0.5 * (a == b), pairs + 1
        assert np.nanmean(made[system]) == pytest.approx(won / pairs)
    np.testing.assert_array_equal(np.isnan(made), np.isnan(confidence))
    assert np.isnan(right_from_wrong(readings(confidence), np.ones_like(right)).ratings).all()


def test_a_slope_is_least_squares_and_its_cases_move_it_as_leaving_them_out_does():
    rng = np.random.default_rng(3)
    x, values = rng.normal(size=9), rng.normal(size=(1, 4, 9))
    made = slopes(readings(values), x).ratings[0]
    means = values[0].mean(axis=0)
    slope = np.polyfit(x, means, 1)[0]
    assert made.mean() == pytest.approx(slope)
    left = np.array([slope - np.polyfit(np.delete(x, i), np.delete(means, i), 1)[0] for i in range(9)])
    np.testing.assert_allclose((made - slope).sum(axis=0) / made.size, left - left.mean())


def test_no_slope():
    values = np.ones((2, 3, 4))
    values[1] = np.nan
    assert np.isnan(slopes(readings(values), np.full(4, 0.3)).ratings).all()
    x = np.array([0.1, 0.2, np.nan, 0.4])
    made = slopes(readings(values), x).ratings
    assert np.isnan(made[1]).all() and np.isnan(made[0, :, 2]).all() and np.allclose(made[0, :, 0], 0)
