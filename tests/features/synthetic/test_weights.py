"""Weights by name, and what they make of a missing channel."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.synthetic import tversky
from evalcore.features.synthetic.tversky import wsi
from evalcore.values.errors import SettingError, UnknownName

NAMES = ("red.mean", "red.std", "red.p5", "green.mean", "blue.mean", "blue.std")


def test_whole_channels_weigh_alike_however_many_features_they_have():
    heavy = tversky.named(NAMES, "channels")
    everything = np.ones(6, bool)
    for channel in ("red", "green", "blue"):
        left = np.array([not name.startswith(channel) for name in NAMES])
        assert wsi(left, everything, weights=heavy) == pytest.approx(2 / 3)
    assert wsi(left, everything, weights=tversky.named(NAMES, "uniform")) == pytest.approx(4 / 6)


def test_given_weights_by_feature_and_by_channel():
    assert tversky.given(NAMES, {"red": 3, "red.p5": 0, "green": 2}).tolist() == [3, 3, 0, 2, 1, 1]


def test_weights_that_cannot_be_used():
    with pytest.raises(UnknownName, match=r"No feature called 'red.maen'. Did you mean: red.mean"):
        tversky.given(NAMES, {"red.maen": 1})
    with pytest.raises(SettingError, match=r"`weight of red.mean` must be a number of at least 0. Got -1"):
        tversky.given(NAMES, {"red.mean": -1})
    with pytest.raises(SettingError, match=r"`weights` must be uniform or channels. Got 'alike'."):
        tversky.named(NAMES, "alike")
