"""Images lose channels: two thirds, then one third, where everything else is detected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evalcore.features.synthetic.measure import COLOURS, NAMES, ImageSettings, black, measured
from evalcore.features.synthetic.wsi import WsiConfig, channel_ablation

EXTREMES = WsiConfig(quantiles=(0, 1), n_resamples=20)


def noise(n, seed):
    """Images in three channels of different brightness."""
    return np.random.default_rng(seed).random((n, 24, 24, 3)) * np.array([0.9, 0.7, 0.5])


def frame(images):
    rows = [measured(image, ImageSettings()).reshape(-1) for image in images]
    return pd.DataFrame(rows, columns=[f"{channel}.{name}" for channel in COLOURS for name in NAMES])


def ablated(real, made, black, **options):
    return channel_ablation({"real": real, "made": made}, black, config=EXTREMES, **options).to_dict(
        "records"
    )


def without(images, *channels):
    result = images.copy()
    result[..., [COLOURS.index(name) for name in channels]] = 0
    return result


@pytest.mark.parametrize("config", [EXTREMES, WsiConfig(n_resamples=20), WsiConfig(alpha=0.5, beta=0.5)])
def test_the_score_is_that_of_images_saved_without_the_channels(config):
    """By hand: mean over the images of C / (C + beta V); of images that have everything 2/3 and 1/3, and by
    Dice 0.8 and 0.5."""
    real, others = frame(noise(24, 0)), noise(24, 1)
    low, high = np.quantile(real, config.quantiles, axis=0)
    steps = channel_ablation({"real": real, "made": frame(others)}, black(ImageSettings()), config=config)
    assert len(steps) == 7
    for step in steps.to_dict("records"):
        cut = frame(without(others, *step["without"]))
        with np.errstate(invalid="ignore"):
            share = ((low <= cut) & (cut <= high)).to_numpy().mean(axis=1)
        assert step["n"] == 24 and step["low"] <= step["wsi"] <= step["high"]
        assert step["wsi"] == pytest.approx(np.mean(share / (share + config.beta * (1 - share))))
        left = 1 - len(step["without"]) / 3
        assert step["ideal"] == pytest.approx(left / (left + config.beta * (1 - left)))


def test_features_that_stay_within_tolerance_are_not_detected_and_channels_can_weigh_the_same():
    """A channel that is empty in some archetypes may be empty: then what is removed is not missed."""
    names = ["red.objects", "green.objects"]
    archetypes = pd.DataFrame([[0, 5], [4, 5], [5, 6], [6, 9.0]], columns=names)
    whole = pd.DataFrame([[5, 5.0]], columns=names)
    first, second, *_ = ablated(archetypes, whole, {"objects": 0.0})
    assert (first["wsi"], second["wsi"], second["detected"]) == (1, 1, 0)
    some = pd.DataFrame(np.ones((2, 4)), columns=["red.a", "red.b", "red.c", "green.a"])
    for how, ideal in (("uniform", 0.75), ("channels", 0.5)):
        green = ablated(some, some, dict.fromkeys("abc", 9.0), weights=how)[2]
        assert green["without"] == ("green",) and (green["ideal"], green["wsi"]) == pytest.approx(
            (ideal, ideal)
        )
