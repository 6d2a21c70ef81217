"""Images lose channels: two thirds, then one third, where everything else is detected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic.ablation import (
    channel_ablation,
    measured_ablation,
    substitute_ablation,
    substitute_features,
    substitute_images,
)
from evalcore.features.synthetic.measure import feature_frame, measured
from evalcore.features.synthetic.wsi import WsiConfig, channels_of
from evalcore.values.errors import InputError

EXTREMES = WsiConfig(quantiles=(0, 1), n_resamples=20)


@pytest.mark.parametrize(
    ("sides", "ideal"),
    [((1, 1), [1, 2 / 3, 1 / 3, 0]), ((0.5, 0.5), [1, 0.8, 0.5, 0])],
    ids=["Jaccard", "Dice"],
)
def test_with_ideal_detection_one_channel_of_three_leaves_two_thirds(sides, ideal):
    """Between smallest and largest value every archetype has all of its features."""
    config = WsiConfig(alpha=sides[0], beta=sides[1], quantiles=(0, 1), n_resamples=20)
    steps = substitute_ablation(20, themselves=True, config=config)
    assert len(steps) == 8
    for step in steps:
        assert step.mean == pytest.approx(ideal[len(step.without)], abs=1e-12)
        assert (step.ideal, step.predicted) == pytest.approx((step.mean, step.mean))
        assert np.isnan(step.detected) if not step.without else step.detected == 1


def test_otherwise_the_score_is_what_the_whole_images_predict():
    """By hand: mean over the images of the features present outside the removed channels, of all nine."""
    archetypes, whole = (substitute_features(substitute_images(40, seed=seed)) for seed in (3, 4))
    low, high = np.quantile(archetypes, [0.05, 0.95], axis=0)
    within = ((low <= whole) & (whole <= high)).to_numpy()
    steps = substitute_ablation(40, seed=3, config=WsiConfig(n_resamples=20))
    for step in steps:
        kept = ~channels_of(whole.columns).isin(step.without)
        assert step.mean == pytest.approx(within[:, kept].sum() / (9 * 40)) == pytest.approx(step.predicted)
    assert 0.75 < steps[0].mean < 0.97  # about nine in ten features of an image are within tolerance


def test_features_that_stay_within_tolerance_are_not_detected_and_channels_can_weigh_the_same():
    """A channel that is empty in some archetypes may be empty: then what is removed is not missed."""
    names = ["red.objects", "green.objects"]
    archetypes = pd.DataFrame([[0, 5], [4, 5], [5, 6], [6, 9.0]], columns=names)
    whole = pd.DataFrame([[5, 5.0]], columns=names)
    first, second, *_ = channel_ablation(archetypes, whole, {"objects": 0.0}, config=EXTREMES)
    assert (first.mean, second.mean, second.predicted, second.detected) == (1, 1, 0.5, 0)
    some = pd.DataFrame(np.ones((2, 4)), columns=["red.a", "red.b", "red.c", "green.a"])
    black = dict.fromkeys("abc", 9.0)
    for how, ideal in (("uniform", 0.75), ("channels", 0.5)):
        green = channel_ablation(some, some, black, weights=how, config=EXTREMES)[2]
        assert green.without == ("green",) and (green.ideal, green.mean) == pytest.approx((ideal, ideal))


def test_ones_own_images_score_as_if_saved_without_the_channels():
    real, others = (substitute_images(24, seed=seed, side=48) for seed in (0, 1))

    def frame(images):
        return feature_frame(
            {str(i): measured(image) for i, image in enumerate(images)}, ["red", "green", "blue"]
        )

    steps = {step.without: step for step in measured_ablation(frame(real), frame(others))}
    assert len(steps) == 7
    for without in (("green",), ("red", "blue")):
        cut = others.copy()
        cut[..., [("red", "green", "blue").index(name) for name in without]] = 0
        low, high = np.quantile(frame(real), [0.05, 0.95], axis=0)
        with np.errstate(invalid="ignore"):
            expected = ((low <= frame(cut)) & (frame(cut) <= high)).to_numpy().mean()
        assert steps[without].mean == pytest.approx(expected) and steps[without].n == 24
        assert steps[without].ideal == pytest.approx(1 - len(without) / 3)


def test_what_has_no_channels():
    grey = pd.DataFrame([[1.0], [2.0]], columns=["grey.mean"])
    with pytest.raises(InputError, match=r"one channel \(grey\)"):
        measured_ablation(grey, grey)
    own = pd.DataFrame([[1.0, 2.0]], columns=["red.own", "green.own"])
    with pytest.raises(InputError, match="features of your own"):
        measured_ablation(own, own)


def test_the_substitutes_are_as_described():
    images = substitute_images(60, seed=1)
    np.testing.assert_array_equal(images, substitute_images(60, seed=1))
    assert (images != substitute_images(60, seed=2)).any()
    assert images.shape == (60, 128, 128, 3) and images.min() == 0 and images.max() <= 1
    np.testing.assert_array_equal(images * 255, np.rint(images * 255))
    means = substitute_features(images).mean()
    # discs that overlap are one object, and a larger one
    assert 9 < means["red.objects"] < 14 and 16 < means["green.objects"] < 22
    assert 4.5 < means["red.mean_radius"] < 6.5 and 3 < means["green.mean_radius"] < 4.5
