"""Substitute images lose channels: two thirds, then one third, where everything else is detected."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import tversky
from evalcore.features.synthetic.ablation import (
    ablated,
    ablation,
    substitute_features,
    substitute_images,
    without_channels,
)
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.features import table
from evalcore.values.errors import SettingError

IDEAL = {0: 1, 1: 2 / 3, 2: 1 / 3, 3: 0}
EXTREMES = WsiSettings(quantiles=(0, 1), n_resamples=20)


def test_with_ideal_detection_one_channel_of_three_leaves_two_thirds():
    """Between smallest and largest value every archetype has all of its features."""
    steps = ablation(n=20, themselves=True, settings=EXTREMES)
    assert len(steps) == 8
    for step in steps:
        assert step.mean == pytest.approx(IDEAL[len(step.without)], abs=1e-12)
        assert (step.ideal, step.predicted) == pytest.approx((step.mean, step.mean))
        assert np.isnan(step.detected) if not step.without else step.detected == 1


def test_with_dice_it_is_four_fifths_and_a_half():
    settings = WsiSettings(alpha=0.5, beta=0.5, quantiles=(0, 1), n_resamples=20)
    found = {len(step.without): step.mean for step in ablation(n=15, themselves=True, settings=settings)}
    assert found == pytest.approx({0: 1, 1: 0.8, 2: 0.5, 3: 0})


def test_otherwise_the_score_is_what_the_whole_images_predict():
    """By hand: mean over the images of the features present outside the removed channels, of all nine."""
    archetypes = substitute_features(substitute_images(40, seed=3))
    whole = substitute_features(substitute_images(40, seed=4))
    low, high = np.quantile(archetypes.values, [0.05, 0.95], axis=0)
    within = (low <= whole.values) & (whole.values <= high)
    steps = ablation(n=40, seed=3, settings=WsiSettings(n_resamples=20))
    for step in steps:
        kept = [j for j, channel in enumerate(whole.channels) if channel not in step.without]
        assert step.mean == pytest.approx(within[:, kept].sum() / (9 * 40))
        assert step.predicted == pytest.approx(step.mean)
    # about nine in ten features of an image are within tolerance
    assert 0.75 < steps[0].mean < 0.97
    one = np.mean([step.mean for step in steps if len(step.without) == 1])
    assert one == pytest.approx(steps[0].mean * 2 / 3, abs=1e-12)


def test_features_that_stay_within_tolerance_are_not_detected():
    """A channel that is empty in some archetypes may be empty: then what is removed is not missed."""
    names = ("red.objects", "green.objects")
    archetypes = table(list("abcd"), names, np.array([[0, 5], [4, 5], [5, 6], [6, 9.0]]))
    whole = table(["x"], names, np.array([[5, 5.0]]))
    cut = table(["x"], names, np.array([[0, 5.0]]))
    first, second = ablated(archetypes, [whole, cut], [(), ("red",)], settings=EXTREMES)
    assert (first.mean, second.mean, second.predicted, second.detected) == (1, 1, 0.5, 0)


def test_whole_channels_weigh_alike():
    names = ("red.a", "red.b", "red.c", "green.a")
    some = table(list("ab"), names, np.ones((2, 4)))
    cut = table(list("ab"), names, np.array([[1, 1, 1, 9.0]] * 2))
    for how, ideal in (("uniform", 0.75), ("channels", 0.5)):
        steps = ablated(
            some, [some, cut], [(), ("green",)], settings=EXTREMES, weights=tversky.named(names, how)
        )
        assert (steps[1].ideal, steps[1].mean) == (pytest.approx(ideal), pytest.approx(ideal))


def test_removing_a_channel_from_the_images_or_from_the_features_is_the_same():
    images = substitute_images(6, seed=9)
    emptied = substitute_features(substitute_images(6, seed=9, without=("green",)))
    np.testing.assert_array_equal(
        without_channels(substitute_features(images), ["green"]).values, emptied.values
    )
    with pytest.raises(SettingError, match=r"`without` must be some of red, green, blue. Got 'grey'."):
        substitute_images(1, seed=0, without=("grey",))


def test_the_images_are_as_described():
    images = substitute_images(60, seed=1)
    np.testing.assert_array_equal(images, substitute_images(60, seed=1))
    assert (images != substitute_images(60, seed=2)).any()
    assert images.shape == (60, 128, 128, 3) and images.min() == 0 and images.max() <= 1
    np.testing.assert_array_equal(images * 255, np.rint(images * 255))
    found = substitute_features(images)
    assert np.isfinite(found.values).all()
    means = dict(zip(found.names, found.values.mean(0), strict=True))
    # discs that overlap are one object, and a larger one
    assert 9 < means["red.objects"] < 14 and 16 < means["green.objects"] < 22
    assert 4.5 < means["red.mean_radius"] < 6.5 and 3 < means["green.mean_radius"] < 4.5
